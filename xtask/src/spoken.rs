//! The language in which a command speaks.

use clap::ValueEnum;
use sidecar_protocol::settings::Language;

/// A language, as `--language` takes it.
#[derive(Clone, Copy, ValueEnum)]
pub enum Spoken {
    En,
    Zh,
}

impl From<Spoken> for Language {
    fn from(spoken: Spoken) -> Self {
        match spoken {
            Spoken::En => Self::English,
            Spoken::Zh => Self::Chinese,
        }
    }
}
