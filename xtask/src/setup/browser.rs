//! A browser that loads an unpacked extension from its command line: Chromium or Chrome for Testing.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::setup::{apt, node};
use crate::{paths, run};

/// The variable that names the browser to use.
pub const VARIABLE: &str = "SIDECAR_CHROMIUM";

/// Debian's browser, and a font for the Chinese tests.
pub const PACKAGES: [&str; 2] = ["chromium", "fonts-noto-cjk"];

const DOWNLOAD_LIMIT: Duration = Duration::from_secs(10 * 60);

/// The oldest browser that is used unless one is named. The tests compare with native WebMCP as of this
/// version.
const OLDEST: u32 = 156;

/// Names on PATH. Google Chrome itself is not among them: it no longer supports `--load-extension`.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "chrome-for-testing", "google-chrome-for-testing"];

/// Where applications are outside PATH.
const APPLICATIONS: [&str; 2] = [
    "/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The program inside a download by `@puppeteer/browsers`, by platform.
const IN_DOWNLOAD: [&str; 5] = [
    "chrome-linux64/chrome",
    "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
    "chrome-win64/chrome.exe",
    "chrome-win32/chrome.exe",
];

/// A browser that was found and starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Browser {
    /// The program.
    pub program: PathBuf,
    /// As it names itself, like `Chromium 156.0.8078.79`.
    pub version: String,
}

/// Look for a browser: the one named in the environment, otherwise a Chrome for Testing, otherwise a
/// Chromium, neither older than [`OLDEST`]. An error only if the one in the environment is unusable.
pub fn find() -> Result<Option<Browser>> {
    if let Some(program) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        let browser = probe(&program).with_context(|| format!("{VARIABLE} is {}", program.display()))?;
        if !takes_extensions(&browser.version) {
            bail!(
                "{VARIABLE} is {}: {} no longer loads unpacked extensions from the command line. \
                 Name a Chromium or a Chrome for Testing, or unset it",
                program.display(),
                browser.version
            );
        }
        return Ok(Some(browser));
    }
    let candidates = downloads(&cache())
        .into_iter()
        .chain(NAMES.iter().filter_map(|name| run::on_path(name)))
        .chain(APPLICATIONS.iter().map(PathBuf::from).filter(|program| program.is_file()));
    // If the system's libraries are missing, a download does not even print its version.
    Ok(candidates
        .filter_map(|program| probe(&program).ok())
        .find(|browser| takes_extensions(&browser.version) && is_recent(&browser.version)))
}

/// The browser, or what to do to get one.
pub fn require() -> Result<Browser> {
    find()?.with_context(|| {
        format!(
            "no Chromium or Chrome for Testing from version {OLDEST} on here; `cargo xtask setup` brings one"
        )
    })
}

/// Make sure that there is a browser.
pub fn ensure() -> Result<String> {
    if let Some(browser) = find()? {
        return Ok(format!("{} ({})", browser.version, browser.program.display()));
    }
    let mut tried = Vec::new();
    for (name, bring) in
        [("download of Chrome for Testing", download as fn() -> Result<()>), ("Debian", debian)]
    {
        match bring() {
            Ok(()) => match find()? {
                Some(browser) => return Ok(format!("{} installed", browser.version)),
                None => {
                    tried.push(format!("- {name}: it came, but does not start or is older than {OLDEST}"))
                }
            },
            Err(error) => tried.push(format!("- {name}: {error:#}")),
        }
    }
    bail!(
        "There is no browser from version {OLDEST} on that takes an unpacked extension.\n{}\n\
         Install Chromium (on Debian, as root: `{}`) or Chrome for Testing \
         (`npx @puppeteer/browsers install chrome@stable --path ~/.cache/puppeteer`), or name one in {VARIABLE}; then \
         run this again.",
        tried.join("\n"),
        apt::command(&PACKAGES)
    )
}

fn download() -> Result<()> {
    run::quietly(
        "downloading Chrome for Testing",
        node::tool(&paths::tests(), "browsers").args(["install", "chrome@stable", "--path"]).arg(cache()),
        DOWNLOAD_LIMIT,
    )
}

fn debian() -> Result<()> {
    apt::install(&PACKAGES)
}

/// Puppeteer's own cache, which other projects of the same user share.
fn cache() -> PathBuf {
    let home = || std::env::home_dir().unwrap_or_default().join(".cache").join("puppeteer");
    std::env::var_os("PUPPETEER_CACHE_DIR").map_or_else(home, PathBuf::from)
}

/// Chrome for Testing in Puppeteer's cache, the newest first.
fn downloads(cache: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(cache.join("chrome")).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries.map(|entry| entry.path()).collect();
    folders.sort_by_key(|folder| Reverse(build_number(folder)));
    folders
        .iter()
        .flat_map(|folder| IN_DOWNLOAD.iter().map(|program| folder.join(program)))
        .filter(|program| program.is_file())
        .collect()
}

/// The numbers in a folder's name like `linux-156.0.8078.79`.
fn build_number(folder: &Path) -> Vec<u32> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let number = name.rsplit('-').next().unwrap_or_default();
    number.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn probe(program: &Path) -> Result<Browser> {
    let version = run::captured(Command::new(program).arg("--version"))?;
    Ok(Browser { program: program.to_owned(), version: short(&version) })
}

/// `Chromium 156.0.8078.79 built on …` without what follows the number.
fn short(version: &str) -> String {
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    let mut words = Vec::new();
    for word in version.split_whitespace() {
        words.push(word);
        if is_number(word) {
            break;
        }
    }
    words.join(" ")
}

fn takes_extensions(version: &str) -> bool {
    !version.starts_with("Google Chrome ") || version.starts_with("Google Chrome for Testing ")
}

fn is_recent(version: &str) -> bool {
    let number = version.rsplit(' ').next().and_then(|number| number.split('.').next()?.parse::<u32>().ok());
    number.is_some_and(|major| major >= OLDEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branded_browser_is_not_taken() {
        assert!(takes_extensions(&short("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)")));
        assert!(takes_extensions(&short("Google Chrome for Testing 156.0.8078.79 ")));
        assert!(!takes_extensions(&short("Google Chrome 156.0.8078.79 ")));
    }

    #[test]
    fn old_browser_is_not_taken() {
        assert!(is_recent("Chromium 156.0.8078.79"));
        assert!(is_recent("Google Chrome for Testing 200.0.1.2"));
        assert!(!is_recent("Chromium 148.0.7778.167"));
        assert!(!is_recent("Chromium"));
    }

    #[test]
    fn version_is_its_name_and_number() {
        assert_eq!(short("Chromium 156.0.8078.79 built on Debian GNU/Linux 12"), "Chromium 156.0.8078.79");
    }

    #[test]
    fn newest_download_comes_first() {
        let cache = tempfile::tempdir().unwrap();
        let program = |build: &str| cache.path().join("chrome").join(build).join("chrome-linux64/chrome");
        for build in ["linux-99.0.1.2", "linux-156.0.1.2"] {
            fs::create_dir_all(program(build).parent().unwrap()).unwrap();
            fs::write(program(build), "").unwrap();
        }
        assert_eq!(downloads(cache.path()), [program("linux-156.0.1.2"), program("linux-99.0.1.2")]);
    }
}
