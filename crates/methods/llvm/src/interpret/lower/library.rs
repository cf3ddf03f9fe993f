//! Names of C library functions. Optimisers know what they do, so that they are not unknown callees.

/// Whether an optimiser may treat a call of this name specially.
pub(super) fn is_known(name: &str) -> bool {
    // Allocation in C++ and Rust, checked variants, kernels of runtimes.
    let reserved = ["__", "_Zn", "_Zd", "??", "swift_"];
    reserved.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with('\u{1}')
        || crate::library::is_known_by_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_functions_and_their_variants_are_known() {
        for name in [
            "malloc",
            "sqrtf",
            "fabsl",
            "puts",
            "_Znwm",
            "__memcpy_chk",
            "fputs_unlocked",
            "nexttowardf",
        ] {
            assert!(is_known(name), "{name}");
        }
        for name in ["use", "foo", "clobber", "callee"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
