//! Fonts: screenshots of the Chinese panel need one that has its characters.

use std::process::Command;

use anyhow::Result;

use crate::run;
use crate::setup::apt;

/// Debian's package with Chinese characters.
pub const PACKAGE: &str = "fonts-noto-cjk";

/// Install a Chinese font if possible. Never an error: only screenshots suffer without one.
pub fn ensure() -> Result<String> {
    match chinese() {
        Some(true) => return Ok("there already".to_owned()),
        Some(false) => {}
        None => return Ok("cannot tell; the system is trusted to have one".to_owned()),
    }
    Ok(match apt::install(&[PACKAGE]) {
        Ok(()) => format!("{PACKAGE} installed"),
        Err(error) => format!("missing, so Chinese screenshots will show empty boxes ({error:#})"),
    })
}

/// Whether a font has Chinese characters; `None` where fontconfig is not in use.
pub fn chinese() -> Option<bool> {
    run::captured(Command::new("fc-list").arg(":lang=zh")).ok().map(|fonts| !fonts.is_empty())
}
