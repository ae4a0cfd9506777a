//! Where things are in the repository.

use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    // `cargo run` sets this variable; the compile-time value is for running the program alone.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| package.clone(), Path::to_path_buf)
}

/// The build matrix.
pub fn matrix() -> PathBuf {
    root().join("wasm-pack.toml")
}

/// The hand-written part of the extension.
pub fn extension_source() -> PathBuf {
    root().join("extension")
}

/// The SKILLs that ship.
pub fn skills() -> PathBuf {
    root().join("skills")
}

/// The build results: the unpacked extension and the zip.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// The unpacked extension, as a browser loads it.
pub fn extension() -> PathBuf {
    dist().join("extension")
}

/// The npm package with the build tools.
pub fn tools() -> PathBuf {
    root().join("xtask").join("tools")
}

/// The end-to-end suite, an npm package too.
pub fn tests() -> PathBuf {
    root().join("tests")
}

/// The npm package with what `bench pages` compares with.
pub fn peers() -> PathBuf {
    tests().join("bench").join("peers")
}

/// A folder for temporary files beside the build's output. Not created here.
pub fn scratch(name: &str) -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_path_buf));
    beside.unwrap_or_else(std::env::temp_dir).join("xtask-scratch").join(name)
}
