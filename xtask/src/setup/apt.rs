//! Debian packages, if we may install them.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::run;

const LIMIT: Duration = Duration::from_secs(20 * 60);

/// Install packages. The error says why not, if this is not Debian or we are not root.
pub fn install(packages: &[&str]) -> Result<()> {
    if !on_debian() {
        bail!("this is not Debian");
    }
    if !root() {
        bail!("we are not root here");
    }
    // Old lists name old packages: the browser would be half a year old. If the servers do not answer, the
    // known packages may still be available.
    let refreshed = run::quietly("refreshing Debian's package lists", apt_get().arg("update"), LIMIT);
    if run::captured(Command::new("apt-cache").arg("show").args(packages)).is_err() {
        refreshed?;
    }
    get(packages)
}

/// Whether a package is installed.
pub fn installed(package: &str) -> bool {
    let status = run::captured(Command::new("dpkg-query").args(["-W", "-f", "${Status}", package]));
    status.is_ok_and(|status| status == "install ok installed")
}

/// The command that installs packages, for a person.
pub fn command(packages: &[&str]) -> String {
    format!("apt-get install -y --no-install-recommends {}", packages.join(" "))
}

/// Whether this is Debian itself: other distributions with its tools name or split these packages
/// differently.
pub fn on_debian() -> bool {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    release.lines().any(|line| line == "ID=debian") && run::on_path("apt-get").is_some()
}

fn get(packages: &[&str]) -> Result<()> {
    run::quietly(
        &format!("installing {} from Debian", packages.join(", ")),
        apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages),
        LIMIT,
    )
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn root() -> bool {
    run::captured(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}
