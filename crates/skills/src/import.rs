//! Import: what files are, what a package could do, and what it would change. Answers questions of
//! [`crate::exchange`]; nothing is kept here.
//!
//! Everything that comes in is untrusted. What is no SKILL is refused by its name, with a way out.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sidecar_protocol::settings::Language;
use sidecar_protocol::skill::SkillOffer;

use crate::check::check;
use crate::exchange::{KeptSkill, PackageAnswer, PackageQuestion, UploadedFile};
use crate::package::zip::MOST_REPOSITORY_BYTES;
use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::revoked::{Revocation, revoked};
use crate::word;

mod compare;
mod doubts;
mod draft;
mod files;
mod kept;
mod kinds;
mod lines;
mod recording;
mod review;
mod script;
mod sentences;

use files::{UncheckedPackage, Upload};

/// Maximum number of files that are uploaded at once.
const MOST_UPLOADED: usize = 20_000;

/// Answers a [`PackageQuestion`] with a [`PackageAnswer`], both JSON text. A question that cannot be read is refused.
///
/// # Panics
/// Never: an answer has nothing that JSON cannot hold.
#[must_use]
pub fn answer(question: &str) -> String {
    let answer = match serde_json::from_str(question) {
        Ok(question) => answer_to(question),
        Err(error) => {
            let said = error.to_string();
            let reason = Reason::new(
                ReasonCode::BadSchema,
                word::QUESTION_BAD,
                word::QUESTION_BAD_WAY,
                &[("said", &said)],
            );
            refused(&[PackageProblem::error("", reason)], Language::English)
        }
    };
    serde_json::to_string(&answer).expect("names of all maps are texts")
}

/// Answers a question about packages.
#[must_use]
pub fn answer_to(question: PackageQuestion) -> PackageAnswer {
    match question {
        PackageQuestion::Open { files, folder, revoked, language } => {
            let answered = decoded(files).and_then(|files| files::open(files, folder.as_deref()));
            match answered.and_then(|upload| offered(upload, &revoked, language)) {
                Ok((offer, kept)) => PackageAnswer::Opened { offer, kept },
                Err(problems) => refused(&problems, language),
            }
        }
        PackageQuestion::Compare { before, after, language } => {
            // Of an installed package that cannot be read any more nothing is known: then all is new.
            let before = bytes("", &before).and_then(|bytes| compare::read(&bytes)).unwrap_or_default();
            match bytes("", &after).and_then(|bytes| compare::read(&bytes)) {
                Ok(after) => PackageAnswer::Compared { update: compare::update(&before, &after, language) },
                Err(problems) => refused(&problems, language),
            }
        }
    }
}

fn refused(problems: &[PackageProblem], language: Language) -> PackageAnswer {
    let problems = review::told(problems, language);
    PackageAnswer::Opened { offer: SkillOffer::Refused { problems }, kept: None }
}

fn offered(
    upload: Upload,
    list: &[Revocation],
    language: Language,
) -> Result<(SkillOffer, Option<KeptSkill>), Vec<PackageProblem>> {
    let opened = match upload {
        Upload::Package(opened) => opened,
        Upload::Several(folders) => return Ok((SkillOffer::Choose { folders }, None)),
    };
    let UncheckedPackage { package, folder, .. } = &opened;
    let checked = match check(package, folder.as_deref()) {
        Ok(checked) => checked,
        Err(problems) => kept::newer(package, folder.as_deref(), problems)?,
    };
    if checked.text.name.is_empty() {
        let reason = Reason::new(ReasonCode::BadField, word::NAME_NONE, word::NAME_NONE_WAY, &[]);
        return Err(vec![PackageProblem::error("SKILL.md", reason)]);
    }
    let review = review::review(&opened, &checked, language);
    if let Some(revocation) = revoked(list, &review.id, &review.version, &review.digest) {
        return Err(vec![off_the_list(revocation, language)]);
    }
    let kept = kept::kept(package, &checked);
    Ok((SkillOffer::Review(Box::new(review)), Some(kept)))
}

/// Why a package that is revoked does not come in.
fn off_the_list(revocation: &Revocation, language: Language) -> PackageProblem {
    let Revocation { reason, link, .. } = revocation;
    let way = if link.is_empty() { word::REVOKED_WAY } else { word::REVOKED_WAY_LINK };
    let why = Reason::new(ReasonCode::Revoked, word::REVOKED_WHY, way, &[]);
    PackageProblem::error("", why.telling("reason", reason.text(review::tag(language))).telling("link", link))
}

/// Bytes in base64. `path` is the file's.
fn bytes(path: &str, data: &str) -> Result<Vec<u8>, Vec<PackageProblem>> {
    STANDARD.decode(data).map_err(|_| {
        let reason = Reason::new(ReasonCode::BadArchive, word::UPLOAD_BROKEN, word::UPLOAD_BROKEN_WAY, &[]);
        vec![PackageProblem::error(path, reason)]
    })
}

/// The files of an upload. Their number and their size have a limit, whatever they are.
fn decoded(files: Vec<UploadedFile>) -> Result<Vec<(String, Vec<u8>)>, Vec<PackageProblem>> {
    let limit = |code, why, way, most: String| {
        vec![PackageProblem::error("", Reason::new(code, why, way, &[("most", &most)]))]
    };
    if files.len() > MOST_UPLOADED {
        let most = MOST_UPLOADED.to_string();
        return Err(limit(ReasonCode::TooMany, word::FILES_TOO_MANY, word::FILES_TOO_MANY_WAY, most));
    }
    // Four characters for three bytes.
    let size: usize = files.iter().map(|file| file.data.len() / 4 * 3).sum();
    if size > MOST_REPOSITORY_BYTES {
        let most = format!("{} MiB", MOST_REPOSITORY_BYTES / 1024 / 1024);
        return Err(limit(ReasonCode::TooLarge, word::FILE_TOO_LARGE, word::FILE_TOO_LARGE_WAY, most));
    }
    files
        .into_iter()
        .map(|UploadedFile { path, data }| bytes(&path, &data).map(|bytes| (path, bytes)))
        .collect()
}

#[cfg(test)]
mod tests;
