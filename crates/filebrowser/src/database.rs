//! Reading the file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::de::DeserializeOwned;

use crate::bolt::{Bolt, BoltError, Row};
use crate::model::{Link, Server, Settings, User};

/// Rows are small; a larger file has other content or another origin.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// The prefix of storm's own buckets.
const OF_STORM: &[u8] = b"__storm";

/// Everything that is read of a File Browser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Database {
    /// By number.
    pub users: Vec<User>,
    /// By hash.
    pub links: Vec<Link>,
    /// For all users.
    pub settings: Settings,
    /// The server's settings.
    pub server: Server,
    /// Rows that could not be understood.
    pub unreadable: usize,
    /// Whether a File Browser had the file open, so that it may have changed since.
    pub in_use: bool,
}

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system's answer.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A folder, a device or the like.
    #[error("不是文件")]
    NotAFile,
    /// Nothing in it.
    #[error("文件是空的")]
    Empty,
    /// Far more than such a database takes.
    #[error("文件超过 256 MB，不像是 File Browser 的数据库")]
    TooLarge,
    /// No sound bbolt file.
    #[error(transparent)]
    Bolt(#[from] BoltError),
    /// Some other program's.
    #[error("不是 File Browser 2 的数据库：其中没有设置和用户")]
    OtherProgram,
}

impl Database {
    /// Reads the file without changing it or waiting for a File Browser that has it open.
    ///
    /// # Errors
    /// When it is missing, or not a File Browser's.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        // Checked before opening: opening a pipe would wait for its other end.
        let meta = path.metadata()?;
        if !meta.is_file() {
            return Err(ReadError::NotAFile);
        }
        if meta.len() > MAX_BYTES {
            return Err(ReadError::TooLarge);
        }
        let mut file = File::open(path)?;
        // A File Browser that runs holds the file exclusively. With the lock, none starts until all is read.
        let in_use = matches!(flock(&file, FlockOperation::NonBlockingLockShared), Err(Errno::WOULDBLOCK));
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(MAX_BYTES).read_to_end(&mut bytes)?;
        Ok(Self { in_use, ..Self::parse(bytes)? })
    }

    fn parse(bytes: Vec<u8>) -> Result<Self, ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        let bolt = Bolt::open(bytes)?;
        let config = bolt.bucket("config")?.ok_or(ReadError::OtherProgram)?;
        let settings = config.iter().find(|row| row.key == b"settings").ok_or(ReadError::OtherProgram)?;
        let settings = serde_json::from_slice(settings.value).map_err(|_| ReadError::OtherProgram)?;
        let server = config.iter().find(|row| row.key == b"server");
        let mut database = Self { settings, ..Self::default() };
        database.server = server.and_then(|row| database.row(row)).unwrap_or_default();
        database.users = database.rows(bolt.bucket("User")?);
        database.links = database.rows(bolt.bucket("Link")?);
        database.users.sort_by_key(|user| user.id);
        Ok(database)
    }

    fn rows<T: DeserializeOwned>(&mut self, rows: Option<Vec<Row<'_>>>) -> Vec<T> {
        let rows = rows.unwrap_or_default().into_iter().filter(|row| !row.key.starts_with(OF_STORM));
        rows.filter_map(|row| self.row(&row)).collect()
    }

    fn row<T: DeserializeOwned>(&mut self, row: &Row<'_>) -> Option<T> {
        let read = serde_json::from_slice(row.value).ok();
        self.unreadable += usize::from(read.is_none());
        read
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs::{self, File};

    use rstest::rstest;
    use rustix::fs::{FlockOperation, flock};
    use tempfile::TempDir;

    use super::{Database, ReadError};

    /// A file of the real program; see `tests/fixtures/filebrowser/make.sh`.
    pub(crate) fn sample() -> Vec<u8> {
        let packed = include_bytes!("../../../tests/fixtures/filebrowser/2.63.23.db.zst");
        zstd::decode_all(packed.as_slice()).unwrap()
    }

    fn file(content: &[u8]) -> (TempDir, std::path::PathBuf) {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("filebrowser.db");
        fs::write(&path, content).unwrap();
        (dir, path)
    }

    #[test]
    fn everything_of_a_real_one_is_read() {
        let (_dir, path) = file(&sample());
        let read = Database::read(&path).unwrap();
        let names: Vec<&str> = read.users.iter().map(|user| user.username.as_str()).collect();
        assert_eq!(names, ["boss", "ann", "bob", "Ann", "li-lei", "team1", "team2"]);
        assert!(!read.in_use && read.unreadable == 0);
        let ann = &read.users[1];
        assert_eq!((ann.scope.as_str(), ann.view_mode.as_str(), ann.lock_password), ("/users/ann", "mosaic", true));
        assert_eq!((&ann.commands[..], ann.rules.len()), (&["git".to_owned(), "ls".to_owned()][..], 3));
        assert!(ann.rules[2].regex && ann.rules[2].regexp.raw == r"^/notes/.*\.key$");
        assert!(ann.password.starts_with("$2a$10$") && ann.perm.share && !ann.perm.admin);
        assert!(read.links.iter().any(|link| link.path == "/docs/" && link.password_hash.starts_with("$2a$")));
        assert_eq!((read.links.len(), read.settings.rules.len()), (6, 2));
        assert_eq!((read.server.root.as_str(), read.server.enable_exec), ("/srv/filebrowser", true));
        assert!(read.settings.signup && read.settings.has_hooks() && read.settings.branding.name == "资料库");
        assert_eq!(fs::read(&path).unwrap(), sample(), "it was changed");
    }

    #[test]
    fn one_that_is_open_elsewhere_is_read_and_told_of() {
        let (_dir, path) = file(&sample());
        let other = File::options().read(true).write(true).open(&path).unwrap();
        flock(&other, FlockOperation::LockExclusive).unwrap();
        let read = Database::read(&path).unwrap();
        assert!(read.in_use && read.users.len() == 7);
    }

    #[rstest]
    #[case::empty(b"", "空的")]
    #[case::text(b"users:\n- ann\n", "不是 bbolt")]
    fn another_file_says_what_is_wrong(#[case] content: &[u8], #[case] words: &str) {
        let (_dir, path) = file(content);
        let error = Database::read(&path).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn a_folder_or_nothing_at_all_is_refused() {
        let dir = TempDir::new().unwrap();
        assert!(matches!(Database::read(dir.path()), Err(ReadError::NotAFile)));
        assert!(matches!(Database::read(&dir.path().join("none")), Err(ReadError::Io(_))));
    }

    #[test]
    fn a_bolt_file_of_another_program_is_refused() {
        let mut other = sample();
        let name = b"config";
        for at in 0..other.len() - name.len() {
            if other[at..].starts_with(name) {
                other[at..at + name.len()].copy_from_slice(b"images");
            }
        }
        let (_dir, path) = file(&other);
        assert!(matches!(Database::read(&path), Err(ReadError::OtherProgram)));
    }
}
