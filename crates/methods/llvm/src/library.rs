//! stub
pub fn is_library_function(_name: &str) -> bool { false }
