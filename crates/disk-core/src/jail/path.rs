//! A client's path, decoded and validated exactly once, before any other code sees it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// Maximum bytes of one name; Linux's own limit.
pub const MAX_NAME_BYTES: usize = 255;
/// Bytes in a whole decoded path. More than `PATH_MAX`, because folders can lie deeper than that.
pub(crate) const MAX_PATH_BYTES: usize = 16 * 1024;
/// Names in a path.
pub const MAX_DEPTH: usize = 1000;

/// The disk's own folder for unfinished uploads and the like. The name is reserved at every level of the tree, so that
/// no link and no mounted file system makes one visible.
pub const RESERVED_NAME: &str = kernel::rules::DISK_FOLDER;

/// Characters that `encodeURIComponent` leaves alone, so that links look as browsers write them.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Why a path is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A `%` that two hexadecimal digits do not follow.
    #[error("malformed percent-encoding")]
    Encoding,
    /// Not UTF-8 once decoded; overlong forms are not UTF-8.
    #[error("path is not UTF-8")]
    Utf8,
    /// A NUL byte.
    #[error("path contains NUL")]
    Nul,
    /// A `.` or `..` segment.
    #[error("dot segment in path")]
    Dots,
    /// Two slashes in a row.
    #[error("empty segment in path")]
    Empty,
    /// A name over 255 bytes, or too much altogether.
    #[error("path too long")]
    TooLong,
}

/// A path in the person's own view, such as `/home/图.png`. It names no real file until the jail has mapped it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VirtualPath {
    names: Vec<String>,
    folder: bool,
}

impl VirtualPath {
    /// Parses the percent-encoded form in a URL. Decodes once: `%252e` is the three characters `%2e`. An encoded slash
    /// separates like a plain one, a backslash is part of a name.
    ///
    /// # Errors
    /// [`PathError`] has the fault.
    pub fn parse(encoded: &str) -> Result<Self, PathError> {
        // Each byte takes at most three characters.
        if encoded.len() > MAX_PATH_BYTES * 3 {
            return Err(PathError::TooLong);
        }
        if !escapes_are_whole(encoded.as_bytes()) {
            return Err(PathError::Encoding);
        }
        let decoded = percent_encoding::percent_decode_str(encoded).decode_utf8();
        Self::from_decoded(&decoded.map_err(|_| PathError::Utf8)?)
    }

    /// Parses decoded text.
    ///
    /// # Errors
    /// [`PathError`] has the fault.
    pub fn from_decoded(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong);
        }
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        let inner = text.strip_prefix('/').unwrap_or(text);
        if inner.is_empty() {
            return Ok(Self { names: Vec::new(), folder: true });
        }
        let (inner, folder) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
        let names = inner.split('/').map(parse_name).collect::<Result<Vec<_>, _>>()?;
        if names.len() > MAX_DEPTH {
            return Err(PathError::TooLong);
        }
        Ok(Self { names, folder })
    }

    /// The names from the root down.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether it ended with a slash. The root does.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.folder
    }

    /// Whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.names.is_empty()
    }

    /// The last name; empty for the root.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// The path of the folder that this lies in; the root's is the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        let names = self.names[..self.names.len().saturating_sub(1)].to_vec();
        Self { names, folder: true }
    }

    /// The path of an entry in this folder. The name comes from the file system and is not validated again.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        let mut names = self.names.clone();
        names.push(name.to_owned());
        Self { names, folder: false }
    }

    /// Percent-encoded, each name for itself, with the leading slash.
    #[must_use]
    pub fn encoded(&self) -> String {
        let mut out = String::new();
        for name in &self.names {
            out.push('/');
            out.extend(percent_encode(name.as_bytes(), COMPONENT));
        }
        if self.folder {
            out.push('/');
        }
        out
    }
}

impl std::fmt::Display for VirtualPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for name in &self.names {
            write!(f, "/{name}")?;
        }
        if self.folder { f.write_str("/") } else { Ok(()) }
    }
}

fn parse_name(name: &str) -> Result<String, PathError> {
    match name {
        "" => Err(PathError::Empty),
        "." | ".." => Err(PathError::Dots),
        long if long.len() > MAX_NAME_BYTES => Err(PathError::TooLong),
        name => Ok(name.to_owned()),
    }
}

/// Lenient decoders pass a lone `%` through; a correct encoder never sends one.
fn escapes_are_whole(text: &[u8]) -> bool {
    text.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'%')
        .all(|(at, _)| text.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

/// Whether a name is the disk's own. Case-insensitive, because the file system may be, too.
pub fn is_reserved(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(RESERVED_NAME.as_bytes())
}
