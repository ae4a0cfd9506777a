//! Folders that the user chooses, through the browser's File System Access, and their files.

use js_sys::{AsyncIterator, IteratorNext, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileList, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemHandle, FileSystemHandleKind,
};

/// Maximum number of files that are read of a folder.
pub const MOST_FILES: usize = 200;
/// Maximum size of its files together, in bytes.
pub const MOST_BYTES: f64 = 20.0 * 1024.0 * 1024.0;
/// Maximum number of folders inside each other, the chosen one included.
pub const MOST_DEPTH: usize = 6;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_name = showDirectoryPicker)]
    async fn show_directory_picker() -> Result<JsValue, JsValue>;

    /// A handle with the methods of Chromium that `web_sys` does not have.
    #[derive(Debug, Clone)]
    type GuardedHandle;

    #[wasm_bindgen(catch, method, js_name = requestPermission)]
    async fn request_permission(this: &GuardedHandle) -> Result<JsValue, JsValue>;
}

/// A file of a folder.
#[derive(Debug, Clone)]
pub struct FolderFile {
    /// Its path, which begins with the folder's name.
    pub path: String,
    /// The file.
    pub file: File,
}

/// Why the files of a folder are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderProblem {
    /// It has more than [`MOST_FILES`] files.
    ManyFiles,
    /// Its files have more than [`MOST_BYTES`] bytes.
    TooLarge,
    /// Its folders are nested deeper than [`MOST_DEPTH`].
    TooDeep,
    /// The browser cannot read it: it is gone, or the user does not allow it.
    Unreadable,
}

/// What choosing a folder came to.
#[derive(Debug, Clone)]
pub enum FolderChoice {
    /// A folder that can be read again.
    Folder(FolderHandle),
    /// The user chose none.
    None,
    /// The browser has no such dialog here.
    Unsupported,
}

/// A folder that the user chose. It can be read again as long as this is kept.
#[derive(Debug, Clone)]
pub struct FolderHandle(FileSystemDirectoryHandle);

impl FolderHandle {
    /// Lets the user choose a folder; needs a click.
    pub async fn choose() -> FolderChoice {
        if !Reflect::has(&window(), &"showDirectoryPicker".into()).unwrap_or(false) {
            return FolderChoice::Unsupported;
        }
        match show_directory_picker().await {
            Ok(handle) => FolderChoice::Folder(Self(handle.unchecked_into())),
            Err(error) if name_of(&error) == "AbortError" => FolderChoice::None,
            Err(_) => FolderChoice::Unsupported,
        }
    }

    /// Its files as they are now, without hidden ones. Asks the user first, where the browser wants that again.
    ///
    /// # Errors
    /// See [`FolderProblem`].
    pub async fn files(&self) -> Result<Vec<FolderFile>, FolderProblem> {
        // Refused where the folder is gone, which reading it finds out.
        let _ = self.0.unchecked_ref::<GuardedHandle>().request_permission().await;
        let (mut files, mut size) = (Vec::new(), FolderSize::default());
        let mut next = vec![(self.0.clone(), self.0.name())];
        while let Some((folder, path)) = next.pop() {
            let entries = entries(&folder).await.map_err(|_| FolderProblem::Unreadable)?;
            if entries.len() > MOST_FILES {
                return Err(FolderProblem::ManyFiles);
            }
            for entry in entries {
                let path = format!("{path}/{}", entry.name());
                check_depth(&path)?;
                if entry.kind() == FileSystemHandleKind::Directory {
                    next.push((entry.unchecked_into(), path));
                } else {
                    let file =
                        JsFuture::from(entry.unchecked_into::<FileSystemFileHandle>().get_file()).await;
                    let file: File = file.map_err(|_| FolderProblem::Unreadable)?.unchecked_into();
                    size.add(file.size())?;
                    files.push(FolderFile { path, file });
                }
            }
        }
        Ok(files)
    }
}

/// The files of a folder that was chosen in an `<input webkitdirectory>`, without hidden ones.
///
/// # Errors
/// See [`FolderProblem`].
pub fn files_of(list: &FileList) -> Result<Vec<FolderFile>, FolderProblem> {
    let (mut files, mut size) = (Vec::new(), FolderSize::default());
    for file in (0..list.length()).filter_map(|place| list.get(place)) {
        let path = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
        let path = path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name());
        if is_hidden(&path) {
            continue;
        }
        check_depth(&path)?;
        size.add(file.size())?;
        files.push(FolderFile { path, file });
    }
    Ok(files)
}

/// What is in a folder, without what is hidden; not all of it, if it is more than [`MOST_FILES`].
async fn entries(folder: &FileSystemDirectoryHandle) -> Result<Vec<FileSystemHandle>, JsValue> {
    let (values, mut entries): (AsyncIterator, _) = (folder.values(), Vec::new());
    while entries.len() <= MOST_FILES {
        let next = JsFuture::from(values.next()?).await?.unchecked_into::<IteratorNext>();
        if next.done() {
            break;
        }
        let entry: FileSystemHandle = next.value().unchecked_into();
        if !entry.name().starts_with('.') {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn name_of(error: &JsValue) -> String {
    Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default()
}

/// Whether a file is hidden, or in a hidden folder, such as that of a version control.
fn is_hidden(path: &str) -> bool {
    path.split('/').skip(1).any(|part| part.starts_with('.'))
}

fn check_depth(path: &str) -> Result<(), FolderProblem> {
    if path.matches('/').count() > MOST_DEPTH { Err(FolderProblem::TooDeep) } else { Ok(()) }
}

/// How much of a folder was read.
#[derive(Debug, Default)]
struct FolderSize {
    files: usize,
    bytes: f64,
}

impl FolderSize {
    fn add(&mut self, bytes: f64) -> Result<(), FolderProblem> {
        self.files += 1;
        self.bytes += bytes;
        match self {
            Self { files, .. } if *files > MOST_FILES => Err(FolderProblem::ManyFiles),
            Self { bytes, .. } if *bytes > MOST_BYTES => Err(FolderProblem::TooLarge),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_files_are_those_below_a_name_with_a_dot() {
        for path in ["a/.git/config", "a/.env", "a/b/.x/y"] {
            assert!(is_hidden(path), "{path}");
        }
        for path in ["a/SKILL.md", ".a/SKILL.md", "a/b.c/d"] {
            assert!(!is_hidden(path), "{path}");
        }
    }

    #[test]
    fn folder_is_refused_when_nested_too_deep() {
        assert_eq!(check_depth("1/2/3/4/5/6/file"), Ok(()));
        assert_eq!(check_depth("1/2/3/4/5/6/7/file"), Err(FolderProblem::TooDeep));
    }

    #[test]
    fn folder_is_refused_when_it_has_too_many_files_or_bytes() {
        let mut size = FolderSize::default();
        for _ in 0..MOST_FILES {
            assert_eq!(size.add(0.0), Ok(()));
        }
        assert_eq!(size.add(0.0), Err(FolderProblem::ManyFiles));
        let mut size = FolderSize::default();
        assert_eq!(size.add(MOST_BYTES), Ok(()));
        assert_eq!(size.add(1.0), Err(FolderProblem::TooLarge));
    }
}
