//! Attachments: files on the network disk. The portal stores their paths and names; the disk opens them, with the
//! reader's own rights. Without I/O.

use kernel::{Actor, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most attachments of an order or reply.
pub(super) const MOST: usize = 10;

const MAX_PATH_BYTES: usize = 4096;

/// A file to attach.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttachmentForm {
    /// Where the author sees it on the disk, such as `/home/a.png`; not percent-encoded.
    pub(super) path: String,
}

/// An attachment as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attachment {
    /// As its author sees it.
    pub(super) path: String,
    /// Its author saw the whole disk, as administrators do.
    pub(super) whole_disk: bool,
}

/// An attached file as a reader sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WorksheetAttachment {
    pub(super) name: String,
    /// Where the reader finds it on the disk; null when it lies where they can't look, such as in
    /// another person's home.
    pub(super) path: Option<String>,
}

impl AttachmentForm {
    /// Whether the path is absolute and normalized.
    pub(super) fn is_fine(&self) -> bool {
        let names = self.path.strip_prefix('/').map(|rest| rest.split('/').collect::<Vec<_>>());
        self.path.len() <= MAX_PATH_BYTES
            && rules::is_line(&self.path, MAX_PATH_BYTES)
            && names.is_some_and(|names| names.iter().all(|name| !matches!(*name, "" | "." | "..")))
    }

    pub(super) fn kept(self, author: &Actor) -> Attachment {
        Attachment { path: self.path, whole_disk: author.is_admin() }
    }
}

impl Attachment {
    /// The attachment as `reader` sees it. `author`: the username of the user who attached it.
    pub(super) fn for_reader(&self, author: &str, reader: &Actor) -> WorksheetAttachment {
        let name = self.path.rsplit('/').next().unwrap_or_default().to_owned();
        let own = reader.username == author && reader.is_admin() == self.whole_disk;
        let path = if own { Some(self.path.clone()) } else { self.whole_path(author).and_then(|p| seen(&p, reader)) };
        WorksheetAttachment { name, path }
    }

    /// The path on the whole disk; `None` for a path that only its author's view has.
    fn whole_path(&self, author: &str) -> Option<String> {
        if self.whole_disk {
            return Some(self.path.clone());
        }
        if let Some(rest) = self.path.strip_prefix("/home/") {
            return Some(format!("/home/{author}/{rest}"));
        }
        let common = ["/share/", "/groups/", "/datasets/"];
        common.iter().any(|space| self.path.starts_with(space)).then(|| self.path.clone())
    }
}

/// The path in the reader's view; `None` if it is outside.
fn seen(path: &str, reader: &Actor) -> Option<String> {
    if reader.is_admin() {
        return Some(path.to_owned());
    }
    let Some(in_homes) = path.strip_prefix("/home/") else { return Some(path.to_owned()) };
    let (owner, rest) = in_homes.split_once('/')?;
    (owner == reader.username).then(|| format!("/home/{rest}"))
}

#[cfg(test)]
mod tests {
    use kernel::{Role, Timestamp};

    use super::*;

    fn actor(username: &str, role: Role) -> Actor {
        let expires = Timestamp::from_millis(0);
        Actor { id: 1, username: username.to_owned(), role, session: String::new(), expires, token: None, folder: None }
    }

    #[test]
    fn everybody_gets_the_path_that_is_right_for_them() {
        let (ann, bob, root) = (actor("ann", Role::User), actor("bob", Role::User), actor("root", Role::Admin));
        for (path, author, reader, expected) in [
            ("/home/a.png", &ann, &ann, Some("/home/a.png")),
            ("/home/a.png", &ann, &root, Some("/home/ann/a.png")),
            ("/home/a.png", &ann, &bob, None),
            ("/home/ann/a.png", &root, &ann, Some("/home/a.png")),
            ("/home/ann/a.png", &root, &bob, None),
            ("/home/root/a.png", &root, &root, Some("/home/root/a.png")),
            ("/share/a.png", &ann, &bob, Some("/share/a.png")),
            ("/share/a.png", &root, &ann, Some("/share/a.png")),
            ("/a.png", &ann, &ann, Some("/a.png")),
            ("/a.png", &ann, &root, None),
        ] {
            let kept = AttachmentForm { path: path.to_owned() }.kept(author);
            let seen = kept.for_reader(&author.username, reader);
            assert_eq!((seen.name.as_str(), seen.path.as_deref()), ("a.png", expected), "{path}");
        }
    }

    #[test]
    fn only_whole_paths_are_taken() {
        for (path, fine) in [
            ("/home/a 图.png", true),
            ("", false),
            ("/", false),
            ("home/a", false),
            ("/home/", false),
            ("/home//a", false),
            ("/home/../a", false),
            ("/home/a\n", false),
        ] {
            assert_eq!(AttachmentForm { path: path.to_owned() }.is_fine(), fine, "{path:?}");
        }
    }
}
