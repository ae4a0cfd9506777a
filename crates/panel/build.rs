//! Generates the panel's words, and has the linker keep its relocations, by which the build splits the module
//! (`src/parts.rs`).

fn main() {
    sidecar_locales::generate();
    println!("cargo::rustc-link-arg-cdylib=--emit-relocs");
}
