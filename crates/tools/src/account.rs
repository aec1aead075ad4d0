//! Users and groups by `/etc/passwd` and `/etc/group`, which images may lack, and the shells that there may be.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// Bytes of such a file that are looked at.
const LONGEST: u64 = 4 << 20;

/// Shells that images have, the most comfortable first.
const SHELLS: [&str; 8] = [
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/bin/zsh",
    "/bin/ash",
    "/bin/sh",
    "/usr/bin/sh",
    "/busybox/sh",
];

/// The user that this runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its name; the number if it has none.
    pub(crate) name: OsString,
    /// Its folder; `/` if it has none.
    pub(crate) home: PathBuf,
    /// Its shell, if one is named.
    shell: Option<PathBuf>,
}

impl Account {
    /// The user that this runs as.
    pub(crate) fn own() -> Self {
        let number = rustix::process::geteuid().as_raw();
        let mut own = Self::find(&lines("/etc/passwd"), number);
        // What the instance says is the home of its own program too.
        if let Some(home) = std::env::var_os("HOME").filter(|home| !home.is_empty()) {
            own.home = home.into();
        }
        own
    }

    fn find(passwd: &[u8], number: u32) -> Self {
        let text = number.to_string();
        let entry = entries(passwd).find(|fields| fields.len() >= 7 && fields[2] == text.as_bytes());
        let path = |field: &[u8]| (!field.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(field)));
        match entry {
            Some(fields) => Self {
                name: OsStr::from_bytes(fields[0]).to_owned(),
                home: path(fields[5]).unwrap_or_else(|| "/".into()),
                shell: path(fields[6]),
            },
            None => Self { name: text.into(), home: "/".into(), shell: None },
        }
    }

    /// The folder in which its programs start: its own, if there is such a folder.
    pub(crate) fn folder(&self) -> PathBuf {
        if self.home.is_dir() { self.home.clone() } else { "/".into() }
    }

    /// Its shell if that can be used, or the best one that there is.
    pub(crate) fn usable_shell(&self) -> Option<PathBuf> {
        let closed = |shell: &Path| shell.ends_with("nologin") || shell.ends_with("false");
        let own = self.shell.as_deref().filter(|shell| !closed(shell));
        let known = SHELLS.into_iter().map(Path::new);
        own.into_iter().chain(known).find(|shell| is_executable(shell)).map(Path::to_owned)
    }
}

/// Whether this user may run a file.
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}

/// The folder of another user.
pub(crate) fn home_of(name: &[u8]) -> Option<PathBuf> {
    let passwd = lines("/etc/passwd");
    let fields = entries(&passwd).find(|fields| fields.len() >= 7 && fields[0] == name)?;
    Some(PathBuf::from(OsString::from_vec(fields[5].to_vec())))
}

/// Names by numbers, of users or groups.
#[derive(Debug)]
pub(crate) struct Names(Vec<u8>);

impl Names {
    /// Of users.
    pub(crate) fn of_users() -> Self {
        Self(lines("/etc/passwd"))
    }

    /// Of groups.
    pub(crate) fn of_groups() -> Self {
        Self(lines("/etc/group"))
    }

    /// The name of a number.
    pub(crate) fn name(&self, number: u32) -> Option<&[u8]> {
        let text = number.to_string();
        entries(&self.0).find(|fields| fields.len() >= 3 && fields[2] == text.as_bytes()).map(|fields| fields[0])
    }
}

/// The lines of such a file, split at colons.
fn entries(file: &[u8]) -> impl Iterator<Item = Vec<&[u8]>> {
    file.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':').collect())
}

fn lines(path: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    read.map_or_else(|_| Vec::new(), |_| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &[u8] =
        b"root:x:0:0:root:/root:/bin/bash\nann:x:1000:100::/home/ann:\nbroken\nb:x:7:7:::/sbin/nologin\n";

    #[test]
    fn an_account_is_found_by_its_number() {
        let root = Account::find(PASSWD, 0);
        assert_eq!((root.name.as_bytes(), root.home.as_path()), (&b"root"[..], Path::new("/root")));
        assert_eq!(root.shell.as_deref(), Some(Path::new("/bin/bash")));
        let ann = Account::find(PASSWD, 1000);
        assert_eq!((ann.home.as_path(), ann.shell.as_deref()), (Path::new("/home/ann"), None));
        assert_eq!(Account::find(PASSWD, 7).home, Path::new("/"));
        assert_eq!(Account::find(PASSWD, 4711).name, "4711");
        assert_eq!(Account::find(b"\xff::\n:::::::\n", 4711).name, "4711");
    }

    #[test]
    fn names_are_found_by_their_numbers() {
        let names = Names(PASSWD.to_vec());
        assert_eq!(names.name(1000), Some(&b"ann"[..]));
        assert_eq!(names.name(1), None);
    }
}
