//! Packages as zip files.

use std::io::Write as _;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter, ZipSliceArchive, ZipVerification, crc32};
use sidecar_locales::Word;

use super::{MOST_FILE_BYTES, SkillPackage, check_sizes, inside, path};
use crate::problem::{PackageProblem, Reason, ReasonCode};
use crate::word;

/// Maximum bytes of a zip that holds one SKILL.
pub const MOST_ZIP_BYTES: usize = 5 * 1024 * 1024;
/// Maximum bytes of a repository's archive, of which a folder is chosen.
pub const MOST_REPOSITORY_BYTES: usize = 50 * 1024 * 1024;
/// Maximum number of files and folders in a repository's archive.
const MOST_ENTRIES: usize = 20_000;
/// How many bytes a compressed byte may become at most.
const MOST_RATIO: u64 = 100;
/// The least size at which the ratio counts, in bytes: a short text of one letter is no bomb.
const RATIO_FROM: u64 = 64 * 1024;
/// How hard files are compressed: the best that the library has.
const LEVEL: u8 = 9;

/// A zip whose directory was read and checked. Nothing of its files was unpacked.
#[derive(Debug)]
pub struct Zip<'z> {
    archive: ZipSliceArchive<&'z [u8]>,
    entries: Vec<ZipEntry>,
}

/// A file in a zip.
#[derive(Debug)]
struct ZipEntry {
    path: String,
    method: CompressionMethod,
    size: u64,
    place: rawzip::ZipArchiveEntryWayfinder,
}

impl<'z> Zip<'z> {
    /// Reads the directory of a zip.
    ///
    /// # Errors
    /// It is too large or broken, or a path, kind or size of an entry is refused: then nothing of it is taken.
    pub fn read(bytes: &'z [u8]) -> Result<Self, PackageProblem> {
        if bytes.len() > MOST_REPOSITORY_BYTES {
            return Err(too_large(MOST_REPOSITORY_BYTES));
        }
        let archive = ZipArchive::from_slice(bytes).map_err(|_| broken(""))?;
        let mut entries = Vec::new();
        let mut directory = archive.entries();
        let mut seen: u64 = 0;
        while let Some(entry) = directory.next_entry().map_err(|_| broken(""))? {
            seen += 1;
            if seen > MOST_ENTRIES as u64 {
                let most = MOST_ENTRIES.to_string();
                let (why, way_out) = (word::FILES_TOO_MANY, word::FILES_TOO_MANY_WAY);
                return Err(PackageProblem::error(
                    "",
                    Reason::new(ReasonCode::TooMany, why, way_out, &[("most", &most)]),
                ));
            }
            let raw = entry.file_path();
            let name = std::str::from_utf8(raw.as_bytes()).map_err(|_| hides("", word::ZIP_NAME))?;
            if entry.flags().is_encrypted() {
                return Err(hides(name, word::ZIP_ENCRYPTED));
            }
            if entry.mode().is_symlink() {
                return Err(hides(name, word::ZIP_LINK));
            }
            if entry.is_dir() {
                path::check(name.trim_end_matches('/'))?;
                continue;
            }
            path::check(name)?;
            let (packed, size) = (entry.compressed_size_hint(), entry.uncompressed_size_hint());
            if size > RATIO_FROM && size > packed.saturating_mul(MOST_RATIO) {
                return Err(hides(name, word::ZIP_RATIO));
            }
            let method = entry.compression_method();
            entries.push(ZipEntry { path: name.to_owned(), method, size, place: entry.wayfinder() });
        }
        if seen != archive.entries_hint() {
            return Err(broken(""));
        }
        let zip = Self { archive, entries };
        zip.refuse_overlaps()?;
        Ok(zip)
    }

    /// Two entries that share bytes are a way to make much out of little.
    fn refuse_overlaps(&self) -> Result<(), PackageProblem> {
        let mut ranges = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            let found = self.archive.get_entry(entry.place).map_err(|_| broken(&entry.path))?;
            let header = found.local_header();
            if header.file_path().as_bytes() != entry.path.as_bytes() {
                return Err(hides(&entry.path, word::ZIP_DIRECTORY));
            }
            ranges.push((found.compressed_data_range(), entry));
        }
        ranges.sort_by_key(|((start, _), _)| *start);
        for pair in ranges.windows(2) {
            if let [((_, end), _), ((start, _), entry)] = pair
                && end > start
            {
                return Err(hides(&entry.path, word::ZIP_OVERLAP));
            }
        }
        Ok(())
    }

    /// The paths of its files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.path.as_str())
    }

    /// Unpacks a folder; the empty path is all of it. Returns what was left out as well.
    ///
    /// # Errors
    /// A file is too large or not what the directory says, or there are too many.
    pub fn unpack(&self, folder: &str) -> Result<(SkillPackage, Vec<PackageProblem>), PackageProblem> {
        if folder.is_empty() && self.archive.get_ref().len() > MOST_ZIP_BYTES {
            return Err(too_large(MOST_ZIP_BYTES));
        }
        let (mut files, mut taken, mut bytes) = (Vec::new(), 0, 0_usize);
        for entry in &self.entries {
            let Some(path) = inside(&entry.path, folder) else { continue };
            if path::is_ignored(path) {
                files.push((path.to_owned(), Vec::new()));
                continue;
            }
            // By what the directory says, before anything is unpacked; `of` checks what is there.
            let size = usize::try_from(entry.size).unwrap_or(usize::MAX);
            (taken, bytes) = (taken + 1, bytes.saturating_add(size));
            check_sizes(path, size, bytes, taken)?;
            files.push((path.to_owned(), self.file(entry)?));
        }
        SkillPackage::of(files)
    }

    fn file(&self, entry: &ZipEntry) -> Result<Vec<u8>, PackageProblem> {
        let found = self.archive.get_entry(entry.place).map_err(|_| broken(&entry.path))?;
        let content = match entry.method {
            CompressionMethod::STORE => found.data().to_vec(),
            CompressionMethod::DEFLATE => {
                let most = usize::try_from(entry.size).unwrap_or(usize::MAX).min(MOST_FILE_BYTES);
                decompress_to_vec_with_limit(found.data(), most)
                    .map_err(|_| hides(&entry.path, word::ZIP_DIRECTORY))?
            }
            _ => return Err(hides(&entry.path, word::ZIP_METHOD)),
        };
        let is = ZipVerification { crc: crc32(&content), uncompressed_size: content.len() as u64 };
        found.claim_verifier().valid(is).map_err(|_| hides(&entry.path, word::ZIP_DIRECTORY))?;
        Ok(content)
    }
}

/// Packs a package. The same package gives the same bytes.
///
/// # Panics
/// Never: the files of a package fit into a zip, which is written to memory.
#[must_use]
pub fn pack(package: &SkillPackage) -> Vec<u8> {
    let pack = || -> Result<Vec<u8>, rawzip::Error> {
        let mut zip = ZipArchiveWriter::new(Vec::new());
        for (path, content) in package.files() {
            let compressed = compress_to_vec(content, LEVEL);
            let (mut entry, config) = zip
                .new_file(path)
                .compression_method(CompressionMethod::DEFLATE)
                .unix_permissions(0o644)
                .start()?;
            entry.write_all(&compressed).map_err(rawzip::Error::from)?;
            // The bytes are compressed already: what is counted and summed up goes nowhere.
            let mut counted = config.wrap(std::io::sink());
            counted.write_all(content).map_err(rawzip::Error::from)?;
            let (_, descriptor) = counted.finish()?;
            entry.finish(descriptor)?;
        }
        zip.finish()
    };
    pack().expect("memory takes what is written")
}

fn too_large(most: usize) -> PackageProblem {
    let most = format!("{} MiB", most / 1024 / 1024);
    PackageProblem::error(
        "",
        Reason::new(ReasonCode::TooLarge, word::FILE_TOO_LARGE, word::FILE_TOO_LARGE_WAY, &[("most", &most)]),
    )
}

fn broken(path: &str) -> PackageProblem {
    hides(path, word::ZIP_BROKEN)
}

fn hides(path: &str, why: Word) -> PackageProblem {
    PackageProblem::error(path, Reason::new(ReasonCode::BadArchive, why, word::ZIP_WAY, &[]))
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::testing::{raw, same};
    use super::*;

    fn package(files: &[(&str, &[u8])]) -> SkillPackage {
        SkillPackage::of(files.iter().map(|(path, content)| ((*path).to_owned(), content.to_vec())))
            .unwrap()
            .0
    }

    fn refused(bytes: &[u8]) -> ReasonCode {
        match Zip::read(bytes).and_then(|zip| zip.unpack("")) {
            Ok(taken) => panic!("taken: {taken:?}"),
            Err(problem) => problem.reason.code,
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_the_same_and_packed_again_the_same() {
        let large: String = (0..20_000).map(|n| format!("{n} ")).collect();
        let package = package(&[
            ("SKILL.md", b"---\nname: a\n---\n"),
            ("references/说明.md", large.as_bytes()),
            ("scripts/run.sh", b"#!/bin/sh\n"),
            ("empty", b""),
        ]);
        let bytes = pack(&package);
        assert!(bytes.len() < large.len() / 2, "{} bytes", bytes.len());
        let (again, told) = Zip::read(&bytes).unwrap().unpack("").unwrap();
        assert_eq!((&again, told.len()), (&package, 0));
        assert_eq!(again.digest(), package.digest());
        assert_eq!(pack(&again), bytes);
    }

    #[test]
    fn folder_of_a_repository_is_unpacked_alone() {
        let bytes = raw(
            &[
                (b"repo/", b""),
                (b"repo/a/SKILL.md", b"a"),
                (b"repo/a/x.md", b"x"),
                (b"repo/ab/SKILL.md", b"b"),
            ],
            same,
        );
        let zip = Zip::read(&bytes).unwrap();
        assert_eq!(super::super::folders(zip.paths()).unwrap(), ["repo/a", "repo/ab"]);
        let (package, _) = zip.unpack("repo/a").unwrap();
        assert_eq!(package.files().map(|(path, _)| path).collect::<Vec<_>>(), ["SKILL.md", "x.md"]);
    }

    #[test]
    fn case_09_paths_that_lead_elsewhere_are_refused() {
        for name in ["../SKILL.md", "/SKILL.md", "a\\SKILL.md", "C:SKILL.md", "a/../../SKILL.md", "a\0b"] {
            assert_eq!(refused(&raw(&[(name.as_bytes(), b"x")], same)), ReasonCode::BadPath, "{name:?}");
        }
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x"), (b"skill.md", b"x")], same)), ReasonCode::BadPath);
        assert_eq!(refused(&raw(&[(b"a\xff", b"x")], same)), ReasonCode::BadArchive);
    }

    #[test]
    fn case_09_links_and_encrypted_files_are_refused() {
        let link = |_: usize, central: &mut Vec<u8>, _: &mut Vec<u8>| {
            central[38..42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
        };
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"/etc/passwd")], link)), ReasonCode::BadArchive);
        let encrypted = |_: usize, central: &mut Vec<u8>, local: &mut Vec<u8>| {
            central[8] |= 1;
            local[6] |= 1;
        };
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x")], encrypted)), ReasonCode::BadArchive);
    }

    #[test]
    fn case_10_files_unlike_the_directory_are_refused() {
        let other_sum = |_: usize, central: &mut Vec<u8>, _: &mut Vec<u8>| central[16] ^= 1;
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x")], other_sum)), ReasonCode::BadArchive);
        let larger = |_: usize, central: &mut Vec<u8>, _: &mut Vec<u8>| central[24] += 1;
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x")], larger)), ReasonCode::BadArchive);
        let other_name = |_: usize, _: &mut Vec<u8>, local: &mut Vec<u8>| local[30] = b'T';
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x")], other_name)), ReasonCode::BadArchive);
        let other_method = |_: usize, central: &mut Vec<u8>, _: &mut Vec<u8>| central[10] = 12;
        assert_eq!(refused(&raw(&[(b"SKILL.md", b"x")], other_method)), ReasonCode::BadArchive);
        // Both entries say that they are the first one's bytes.
        let shared = |number: usize, central: &mut Vec<u8>, _: &mut Vec<u8>| {
            if number == 1 {
                central[42..46].fill(0);
            }
        };
        assert_eq!(
            refused(&raw(&[(b"SKILL.md", b"x"), (b"other.md", b"x")], shared)),
            ReasonCode::BadArchive
        );
    }

    #[test]
    fn case_10_bombs_stop_at_the_limit() {
        // 20 MB of zeros in 20 kB: by what the directory says.
        let zeros = vec![0; 20_000_000];
        let packed = compress_to_vec(&zeros, 9);
        let bomb = |says: u32| {
            let method = move |_: usize, central: &mut Vec<u8>, local: &mut Vec<u8>| {
                (central[10], local[8]) = (8, 8);
                central[24..28].copy_from_slice(&says.to_le_bytes());
                local[22..26].copy_from_slice(&says.to_le_bytes());
            };
            raw(&[(b"SKILL.md", &packed)], method)
        };
        assert_eq!(refused(&bomb(20_000_000)), ReasonCode::BadArchive, "by its ratio");
        assert_eq!(refused(&bomb(100_000)), ReasonCode::BadArchive, "more than it says");
        let many: Vec<_> = (0..201).map(|n| format!("f{n}")).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_bytes(), b"x".as_slice())).collect();
        assert_eq!(refused(&raw(&many, same)), ReasonCode::TooMany);
        assert_eq!(refused(&raw(&[(b"a.bin", &vec![b'x'; 1_048_577])], same)), ReasonCode::TooLarge);
    }

    #[test]
    fn files_that_are_left_out_count_only_for_the_size_of_the_zip() {
        let hidden: Vec<_> = (0..300).map(|n| format!(".git/{n}")).collect();
        let mut files: Vec<_> = hidden.iter().map(|name| (name.as_bytes(), b"x".as_slice())).collect();
        files.push((b"SKILL.md", b"x"));
        let bytes = raw(&files, same);
        let (package, told) = Zip::read(&bytes).unwrap().unpack("").unwrap();
        assert_eq!((package.files().count(), told.len()), (1, 300));
        let large = vec![b'x'; MOST_ZIP_BYTES];
        let bytes = raw(&[(b".git/pack", &large), (b"SKILL.md", b"x"), (b"a/SKILL.md", b"x")], same);
        assert_eq!(refused(&bytes), ReasonCode::TooLarge);
        assert!(Zip::read(&bytes).unwrap().unpack("a").is_ok(), "a folder of a repository");
    }

    #[test]
    fn what_is_no_zip_is_refused() {
        for bytes in [b"".as_slice(), b"PK\x03\x04", b"{}", &[0; 5000]] {
            assert_eq!(refused(bytes), ReasonCode::BadArchive);
        }
        let whole = raw(&[(b"SKILL.md", b"x"), (b"b", b"y")], same);
        for end in 0..whole.len() {
            assert!(Zip::read(&whole[..end]).is_err(), "cut at {end}");
        }
    }

    proptest::proptest! {
        #[test]
        fn changed_bytes_never_panic(at in 0_usize..200, to: u8) {
            let mut bytes = raw(&[(b"SKILL.md", b"some text"), (b"b/c.md", b"more")], same);
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
            if let Ok(zip) = Zip::read(&bytes) {
                let _ = zip.unpack("");
            }
        }
    }
}
