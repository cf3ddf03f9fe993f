//! Coverage of compilers that are WebAssembly modules in npm packages.

mod blocks;
mod instrument;
