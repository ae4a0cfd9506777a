//! Generates the workbench's words.

fn main() {
    sidecar_locales::generate();
}
