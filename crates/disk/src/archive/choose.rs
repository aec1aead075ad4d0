//! Chooses the entries of an archive and its name.
//!
//! `files` holds names relative to the folder, separated by commas, percent-decoded once. Clients of the original
//! encode each name a second time, and many encode the commas as well, so in this one place three readings are tried in
//! turn, and the first is taken whose every name exists: commas as written in the URL, commas after decoding, and names
//! decoded once more.

use std::ffi::OsStr;

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Kind, VirtualPath};
use disk_core::reason::Reason;
use disk_core::view::{Place, View};

use super::Algorithm;
use super::names::{Taken, cleaned};
use super::walk::Source;

/// Names in `files` at most.
const MAX_FILES: usize = 10_000;

/// The selection to be packed.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) sources: Vec<Source>,
    /// The archive's name without its ending.
    pub(crate) name: String,
}

impl Choice {
    /// The file name of an archive of this.
    pub(crate) fn file_name(&self, algorithm: Algorithm) -> String {
        format!("{}{}", self.name, algorithm.ending())
    }
}

/// Selects the folder at `path`, or the `files` in it (as written in the URL). Blocks.
///
/// A single file or folder gives the archive its name, several give it their common folder's after an underscore;
/// entries are named from there, so a single folder's own name is not among them. `root` is the name of the view's
/// root, which has none of its own.
///
/// # Errors
/// 404 for missing entries, 403 for those that a rule denies or that cannot be packed, 400 for invalid names.
pub(crate) fn choose(
    jail: &Jail,
    view: &View,
    root: &str,
    path: &VirtualPath,
    files: Option<&str>,
) -> DiskResult<Choice> {
    let chooser = Chooser { jail, view, root };
    let chosen = match files.filter(|files| !files.is_empty()) {
        Some(files) => chooser.read(path, files)?,
        None => vec![path.clone()],
    };
    chooser.take(chosen)
}

/// Selects these files and folders, whose entries are named as in [`choose`], for an archive that already has a name.
/// Blocks.
///
/// # Errors
/// 404 for missing entries, 403 for those that a rule denies or that cannot be packed.
pub(crate) fn choose_paths(jail: &Jail, view: &View, paths: Vec<VirtualPath>) -> DiskResult<Choice> {
    Chooser { jail, view, root: "" }.take(paths)
}

struct Chooser<'a> {
    jail: &'a Jail,
    view: &'a View,
    root: &'a str,
}

impl Chooser<'_> {
    fn take(&self, chosen: Vec<VirtualPath>) -> DiskResult<Choice> {
        match &outermost(chosen)[..] {
            [one] => self.one(one),
            several => self.several(several),
        }
    }

    fn read(&self, folder: &VirtualPath, files: &str) -> DiskResult<Vec<VirtualPath>> {
        let decoded = decode(files)?;
        let parts: Vec<&str> = decoded.split(',').collect();
        if parts.len() > MAX_FILES {
            return Err(DiskError::TooLarge);
        }
        let once: DiskResult<Vec<_>> = files.split(',').map(|part| below(folder, &decode(part)?)).collect();
        // No path at all: the commas of many names are encoded.
        if let Ok(once) = once
            && self.all_exist(&once)?
        {
            return Ok(once);
        }
        let split = parts.iter().map(|part| below(folder, part)).collect::<DiskResult<Vec<_>>>()?;
        let mut chosen = Vec::new();
        for (path, part) in split.into_iter().zip(parts) {
            let twice = if self.exists(&path)? { None } else { decode(part).ok() };
            chosen.push(match twice {
                Some(twice) => below(folder, &twice)?,
                None => path,
            });
        }
        if self.all_exist(&chosen)? { Ok(chosen) } else { Err(DiskError::NotFound) }
    }

    fn all_exist(&self, paths: &[VirtualPath]) -> DiskResult<bool> {
        for path in paths {
            if !self.exists(path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn exists(&self, path: &VirtualPath) -> DiskResult<bool> {
        match self.is_folder(path) {
            Ok(_) => Ok(true),
            Err(DiskError::NotFound) => Ok(false),
            // A refusal is definite: a denied entry is 403 under any reading.
            Err(other) => Err(other),
        }
    }

    /// Whether the path is a folder or a file; an error for anything else.
    fn is_folder(&self, path: &VirtualPath) -> DiskResult<bool> {
        let place = self.view.place(path);
        self.view.check_made_up(&place)?;
        let kind = match place {
            Place::At(at) => self.jail.find(&at)?.meta.kind,
            Place::Root | Place::Shelf(_) => Kind::Folder,
            Place::Nowhere => return Err(DiskError::NotFound),
        };
        match kind {
            Kind::File => Ok(false),
            Kind::Folder => Ok(true),
            Kind::Link | Kind::Special(_) => Err(DiskError::Forbidden),
        }
    }

    fn one(&self, path: &VirtualPath) -> DiskResult<Choice> {
        let is_folder = self.is_folder(path)?;
        let name = self.name_of(path.names());
        let mut sources = Vec::new();
        let entry = if is_folder { String::new() } else { cleaned(OsStr::new(&name)).into_owned() };
        self.add(path, entry, &mut sources)?;
        Ok(Choice { sources, name })
    }

    fn several(&self, paths: &[VirtualPath]) -> DiskResult<Choice> {
        let common = common_folder(paths);
        let mut taken = Taken::default();
        let mut sources = Vec::new();
        for path in paths {
            let names: Vec<_> = path.names()[common.len()..].iter().map(|name| cleaned(OsStr::new(name))).collect();
            self.add(path, taken.take(&names.join("/"), true), &mut sources)?;
        }
        Ok(Choice { sources, name: format!("_{}", self.name_of(&common)) })
    }

    fn name_of(&self, names: &[String]) -> String {
        names.last().map_or(self.root, String::as_str).to_owned()
    }

    /// Adds a real place, or all that a made-up folder shows.
    fn add(&self, path: &VirtualPath, entry: String, to: &mut Vec<Source>) -> DiskResult<()> {
        let shown = match self.view.place(path) {
            Place::At(at) => {
                to.push(Source { at, path: entry });
                return Ok(());
            }
            Place::Root => self.view.root_names(),
            Place::Shelf(shelf) => self.view.names_on(shelf),
            Place::Nowhere => return Err(DiskError::NotFound),
        };
        for name in shown {
            let path = path.join(name);
            match self.is_folder(&path) {
                // Left to an administrator to make, or denied.
                Err(DiskError::NotFound | DiskError::Forbidden) => continue,
                other => other?,
            };
            let inner = if entry.is_empty() { name.to_owned() } else { format!("{entry}/{name}") };
            self.add(&path, inner, to)?;
        }
        Ok(())
    }
}

fn decode(text: &str) -> DiskResult<String> {
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(text).collect();
    String::from_utf8(bytes).map_err(|_| DiskError::bad_request(Reason::FilesEncoding))
}

fn below(folder: &VirtualPath, relative: &str) -> DiskResult<VirtualPath> {
    let folder = folder.to_string();
    let relative = relative.strip_prefix('/').unwrap_or(relative);
    if relative.is_empty() {
        return Err(DiskError::bad_request(Reason::FilesEmptyName));
    }
    Ok(VirtualPath::from_decoded(&format!("{}/{relative}", folder.trim_end_matches('/')))?)
}

/// Removes repeated paths, and paths inside of others.
fn outermost(mut paths: Vec<VirtualPath>) -> Vec<VirtualPath> {
    paths.sort_by(|a, b| a.names().cmp(b.names()));
    paths.dedup_by(|later, kept| later.names().starts_with(kept.names()));
    paths
}

fn common_folder(paths: &[VirtualPath]) -> Vec<String> {
    let mut common = paths.first().map(VirtualPath::parent).unwrap_or_default().names().to_vec();
    for path in paths {
        let parent = path.parent();
        let same = common.iter().zip(parent.names()).take_while(|(a, b)| a == b).count();
        common.truncate(same);
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<VirtualPath> {
        paths.iter().map(|path| VirtualPath::from_decoded(path).unwrap()).collect()
    }

    #[test]
    fn one_thing_is_packed_once() {
        let kept = outermost(paths(&["/a/b", "/a/b/c", "/a/b", "/a/bc", "/a/b-c"]));
        assert_eq!(kept, paths(&["/a/b", "/a/b-c", "/a/bc"]));
        assert_eq!(outermost(paths(&["/a", "/"])), paths(&["/"]));
    }

    #[test]
    fn the_folder_that_several_lie_in() {
        assert_eq!(common_folder(&paths(&["/a/b/x", "/a/b/y/z"])), ["a", "b"]);
        assert_eq!(common_folder(&paths(&["/a/b/x", "/a/c"])), ["a"]);
        assert_eq!(common_folder(&paths(&["/a", "/b"])), [] as [&str; 0]);
    }
}
