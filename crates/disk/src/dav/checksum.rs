//! `OC-Checksum`: ownCloud's clients send a digest with an upload and read it back as the property
//! `oc:checksums`. An extended attribute holds it together with the file's size and modification time;
//! it is valid while both are unchanged.

use std::ffi::OsStr;

use bytes::Bytes;
use dav_server::fs::DavProp;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Entry, Meta, attribute, set_attribute};
use disk_core::reason::Reason;
use md5::Md5;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::DynDigest;

const ATTRIBUTE: &str = "user.yunlab.checksum";
const OWNCLOUD: &str = "http://owncloud.org/ns";

type Hasher = Box<dyn DynDigest + Send + Sync>;
type NewHasher = fn() -> Hasher;

/// The algorithms by their names in the header.
const ALGORITHMS: [(&str, NewHasher); 3] = [
    ("SHA1", || Box::new(Sha1::default())),
    ("MD5", || Box::new(Md5::default())),
    ("SHA256", || Box::new(Sha256::default())),
];
/// ownCloud stores these for each file, and clients compare whichever they have.
const STORED: [&str; 2] = ["SHA1", "MD5"];

/// The digests being computed, and the announced value of one of them.
pub(super) struct Checksum {
    digests: Vec<(&'static str, Hasher)>,
    announced: &'static str,
    expected: String,
}

impl Checksum {
    /// Parses the header, such as `SHA1:da39…`; `None` for other algorithms than SHA1, MD5 and SHA256.
    pub(super) fn read(header: &str) -> Option<Self> {
        let (name, expected) = header.trim().split_once(':')?;
        let (announced, _) = ALGORITHMS.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        let needed = ALGORITHMS.into_iter().filter(|(known, _)| *known == announced || STORED.contains(known));
        let digests = needed.map(|(name, hasher)| (name, hasher())).collect();
        Some(Self { digests, announced, expected: expected.to_ascii_lowercase() })
    }

    /// Adds content.
    pub(super) fn update(&mut self, chunks: &[Bytes]) {
        for (_, digest) in &mut self.digests {
            for chunk in chunks {
                digest.update(chunk);
            }
        }
    }

    /// Returns the text for [`keep`]; 400 if the digest differs from the announced one.
    pub(super) fn verify(self) -> DiskResult<String> {
        let mut words = Vec::new();
        for (name, digest) in self.digests {
            let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
            if name == self.announced && digest != self.expected {
                return Err(DiskError::bad_request(Reason::WrongDigest));
            }
            words.push(format!("{name}:{digest}"));
        }
        Ok(words.join(" "))
    }
}

#[derive(Serialize, Deserialize)]
struct StoredChecksum {
    text: String,
    size: u64,
    /// Seconds and nanoseconds since 1970.
    modified: (i64, u32),
}

/// Stores the checksum of a complete upload. Best effort: on a file system without attributes the
/// property is absent.
pub(super) fn keep(text: String, folder: &OwnedFd, name: &OsStr, meta: &Meta) {
    let stored = StoredChecksum { text, size: meta.size, modified: (meta.modified.seconds, meta.modified.nanos) };
    if let Ok(text) = serde_json::to_vec(&stored) {
        let _ = set_attribute(folder, name, ATTRIBUTE, &text);
    }
}

/// Reads the stored checksum if it is still valid.
pub(super) fn kept(entry: &Entry) -> DiskResult<Option<String>> {
    let text = match attribute(&entry.folder, &entry.name, ATTRIBUTE) {
        Ok(text) => text,
        // EPERM: links and special files have no user attributes.
        Err(Errno::NODATA | Errno::NOTSUP | Errno::PERM) => return Ok(None),
        Err(other) => return Err(other.into()),
    };
    let Ok(kept) = serde_json::from_slice::<StoredChecksum>(&text) else { return Ok(None) };
    let meta = entry.meta()?.ok_or(DiskError::NotFound)?;
    let current = (kept.size, kept.modified) == (meta.size, (meta.modified.seconds, meta.modified.nanos));
    // Untrusted: programs in containers can write attributes too.
    let plain = kept.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b':' || byte == b' ');
    Ok((current && plain).then_some(kept.text))
}

/// Whether this is `oc:checksums`.
pub(super) fn is_checksums(prop: &DavProp) -> bool {
    prop.name == "checksums" && prop.namespace.as_deref() == Some(OWNCLOUD)
}

/// Renders the property.
pub(super) fn property(entry: &Entry) -> DiskResult<Vec<u8>> {
    let text = kept(entry)?.ok_or(DiskError::NotFound)?;
    let xml = format!("<oc:checksums xmlns:oc=\"{OWNCLOUD}\"><oc:checksum>{text}</oc:checksum></oc:checksums>");
    Ok(xml.into_bytes())
}
