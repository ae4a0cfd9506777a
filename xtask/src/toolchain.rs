//! Which Rust toolchain builds what, and cargo without the environment of the outer cargo.

use std::fmt;
use std::process::Command;

/// The name under which the set-up links Debian's compiler to rustup.
pub const DEBIAN: &str = "debian";

/// The target of the WASM crates.
pub const WASM: &str = "wasm32-unknown-unknown";

/// A Rust to build with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolchain {
    /// The active one.
    Active,
    /// Debian's, linked to rustup as [`DEBIAN`].
    Debian,
}

impl Toolchain {
    /// This toolchain's cargo.
    pub fn cargo(self) -> Command {
        self.program("cargo")
    }

    /// This toolchain's compiler.
    pub fn rustc(self) -> Command {
        self.program("rustc")
    }

    fn program(self, name: &str) -> Command {
        let mut command = clean(name);
        match self {
            Self::Active => {}
            Self::Debian => {
                command.env("RUSTUP_TOOLCHAIN", DEBIAN);
            }
        }
        command
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Active => f.write_str("the active toolchain"),
            Self::Debian => write!(f, "toolchain \"{DEBIAN}\""),
        }
    }
}

/// A program without the variables that the outer cargo sets for this package.
pub fn clean(program: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let own = name.to_str().is_some_and(|name| {
            matches!(name, "CARGO" | "RUSTC" | "RUSTDOC" | "LD_LIBRARY_PATH" | "DYLD_FALLBACK_LIBRARY_PATH")
                || ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
        });
        if own {
            command.env_remove(name);
        }
    }
    command
}
