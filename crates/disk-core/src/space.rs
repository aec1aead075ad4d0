//! The parts of the disk: homes, the public share, group folders, datasets, and the disk's root with anything else that
//! an administrator put there.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use anyhow::Context;
use kernel::dataset::version_of;
use rustix::fs::{CWD, Mode, OFlags, openat};
use serde::{Deserialize, Serialize};

/// The folder of all homes.
pub const HOME: &str = "home";
/// The folder that all people share.
pub(crate) const SHARE: &str = "share";
/// The folder of all groups' folders.
pub const GROUPS: &str = "groups";
/// The folder of all datasets.
pub const DATASETS: &str = "datasets";
/// The folders in the disk's root, in the order in which an ordinary user sees them.
pub(crate) const FOLDERS: [&str; 4] = [HOME, SHARE, GROUPS, DATASETS];

/// A part of the disk that links do not lead out of and that use is counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// A user's own folder.
    Home(String),
    /// A group's folder.
    Group(String),
    Share,
    /// All datasets together, and other entries that an administrator put beside them.
    Datasets,
    /// The folder of this dataset and those of its versions.
    Dataset(String),
    /// The disk's root and any other entries in it; for administrators.
    Top,
}

impl Space {
    /// Its own names from the disk's root down.
    pub fn names(&self) -> Vec<OsString> {
        let names: &[&str] = match self {
            Self::Home(name) => &[HOME, name],
            Self::Group(name) => &[GROUPS, name],
            Self::Share => &[SHARE],
            Self::Datasets => &[DATASETS],
            Self::Dataset(name) => &[DATASETS, name],
            Self::Top => &[],
        };
        names.iter().map(OsString::from).collect()
    }

    /// The space that this real path is the very root of.
    pub fn rooted_at(names: &[OsString]) -> Option<Self> {
        let text: Vec<&str> = names.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
        match text[..] {
            [HOME, name] => Some(Self::Home(name.to_owned())),
            [GROUPS, name] => Some(Self::Group(name.to_owned())),
            [SHARE] => Some(Self::Share),
            [DATASETS] => Some(Self::Datasets),
            [DATASETS, folder] => Some(Self::dataset(folder)),
            _ => None,
        }
    }

    /// The dataset that a folder of `datasets` is of: itself, or a version of it.
    pub fn dataset(folder: &str) -> Self {
        Self::Dataset(version_of(folder).map_or(folder, |(name, _)| name).to_owned())
    }

    /// The space that contains this one and that it also counts to.
    pub fn above(&self) -> Option<Self> {
        matches!(self, Self::Dataset(_)).then_some(Self::Datasets)
    }

    /// Whether the use of this space counts to the other.
    pub(crate) fn counts_to(&self, other: &Self) -> bool {
        self == other || self.above().as_ref() == Some(other)
    }
}

/// Makes the root and its folders where they are missing.
pub fn make_folders(root: &Path) -> anyhow::Result<()> {
    let make = |path: &Path| {
        let made = DirBuilder::new().recursive(true).mode(0o750).create(path);
        made.with_context(|| format!("making the folder {}", path.display()))
    };
    make(root)?;
    for name in FOLDERS {
        let path = root.join(name);
        make(&path)?;
        // A link would be refused at each request, so it is reported at the start.
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, &path, flags, Mode::empty()).with_context(|| {
            format!("{} is a link; mount the folder there instead (a bind mount will do)", path.display())
        })?;
    }
    Ok(())
}

/// Whether an entry of the disk's root is one of its own folders.
pub fn is_fixed_folder(name: &OsStr) -> bool {
    FOLDERS.iter().any(|folder| name == OsStr::new(folder))
}
