//! Generates the words of this crate.

fn main() {
    sidecar_locales::generate();
}
