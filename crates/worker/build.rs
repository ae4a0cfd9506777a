//! Has the linker keep its relocations, by which the build splits the module (`src/browser/parts.rs`).

fn main() {
    println!("cargo::rustc-link-arg-cdylib=--emit-relocs");
    println!("cargo::rerun-if-changed=build.rs");
}
