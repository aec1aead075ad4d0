//! A folder by the names that lead to it from some root: File Browser's, or the disk's.

use std::fmt;

/// The root itself has no names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Folder(Vec<String>);

impl Folder {
    /// As Go's `path.Join("/", text)` reads it: nothing leads above the root.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::default().join(text)
    }

    /// The names from the root down.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The folder at this path below it; never above it.
    #[must_use]
    pub fn join(&self, text: &str) -> Self {
        let mut names = self.0.clone();
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => names.truncate((names.len().max(self.0.len() + 1)) - 1),
                name => names.push(name.to_owned()),
            }
        }
        Self(names)
    }

    /// The names on the path from this folder to `other`; `None` unless `other` is the same or below.
    #[must_use]
    pub fn below<'a>(&self, other: &'a Self) -> Option<&'a [String]> {
        other.0.strip_prefix(self.0.as_slice())
    }

    /// The folder that these names lead to from here.
    #[must_use]
    pub fn with(&self, names: &[String]) -> Self {
        Self([&self.0, names].concat())
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        self.0.iter().try_for_each(|name| write!(f, "/{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Folder;

    #[test]
    fn paths_are_read_as_the_original_reads_them() {
        let table = [
            ("/", "/"),
            (".", "/"),
            ("", "/"),
            ("./users//ann/", "/users/ann"),
            ("../../etc", "/etc"),
            ("/a/../b", "/b"),
            ("a\\b", "/a\\b"),
        ];
        for (text, expected) in table {
            assert_eq!(Folder::new(text).to_string(), expected, "{text}");
        }
        assert_eq!(Folder::new("/users/ann").join("/../../x").to_string(), "/users/ann/x");
    }

    #[test]
    fn only_whole_names_lie_below() {
        let names = |of: &str, other: &str| Folder::new(of).below(&Folder::new(other)).map(<[String]>::len);
        assert_eq!((names("/a", "/a/b/c"), names("/a", "/a"), names("/", "/a")), (Some(2), Some(0), Some(1)));
        assert_eq!((names("/a", "/ab"), names("/a/b", "/a")), (None, None));
    }
}
