//! Generates the panel's words.

fn main() {
    sidecar_locales::generate();
}
