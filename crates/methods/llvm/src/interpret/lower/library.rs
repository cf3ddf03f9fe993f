//! Names of C library functions. Optimisers know what they do, so that they are not unknown callees.

const NAMES: &str = "\
    abort abs access acos acosh aligned_alloc asin asinh atan atan2 atanh atof atoi atol atoll \
    bcmp bcopy bzero cabs calloc cbrt ceil clearerr copysign cos cosh cospi erf exit exp exp10 \
    exp2 expm1 fabs fclose fdim ferror fflush ffs ffsl ffsll fgetc fgets fileno fiprintf floor \
    fls flsl flsll fma fmax fmin fmod fopen fprintf fputc fputs fread free frexp fscanf fseek \
    fwrite getc getchar getenv gets htonl htons hypot ilogb iprintf isascii isdigit labs ldexp \
    llabs log log10 log1p log2 logb longjmp lrint lround malloc memccpy memchr memcmp memcpy \
    memmove mempcpy memrchr memset memset_pattern16 memset_pattern4 memset_pattern8 mktime modf \
    nan nearbyint nextafter ntohl ntohs open perror posix_memalign pow printf putc putchar puts \
    qsort read realloc reallocf remainder remquo rewind rint round roundeven scalbln scalbn scanf \
    setjmp sin sincos sincospi sinh sinpi siprintf snprintf sprintf sqrt srand sscanf stpcpy \
    stpncpy strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strlcat strlcpy strlen \
    strncasecmp strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod \
    strtof strtok strtol strtold strtoll strtoul strtoull tan tanh tgamma time toascii trunc \
    ungetc unlink valloc vec_calloc vec_free vec_malloc vfprintf vprintf vsnprintf vsprintf \
    wcslen write";

/// Whether an optimiser may treat a call of this name specially.
pub(super) fn is_known(name: &str) -> bool {
    // Allocation in C++ and Rust, checked variants, kernels of runtimes.
    let mangled = ["_Zn", "_Zd", "__rust", "__", "??", "objc_", "swift_", "omp_"];
    if mangled.iter().any(|prefix| name.starts_with(prefix)) || name.starts_with('\u{1}') {
        return true;
    }
    let has = |name: &str| NAMES.split_whitespace().any(|it| it == name);
    // Variants for float and long double, and those without locks.
    let trimmed = name.strip_suffix(['f', 'l']).unwrap_or(name);
    has(name) || has(trimmed) || name.strip_suffix("_unlocked").is_some_and(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_functions_and_their_variants_are_known() {
        for name in ["malloc", "sqrtf", "fabsl", "puts", "_Znwm", "__memcpy_chk", "fputs_unlocked"]
        {
            assert!(is_known(name), "{name}");
        }
        for name in ["use", "foo", "clobber", "callee"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
