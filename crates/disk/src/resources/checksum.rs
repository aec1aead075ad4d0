//! Digests of files.

use std::fs::File;
use std::io::{self, Read};

use md5::Md5;
use serde::Serialize;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

/// Read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// The digests that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Checksum {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl Checksum {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "md5" => Self::Md5,
            "sha1" => Self::Sha1,
            "sha256" => Self::Sha256,
            "sha512" => Self::Sha512,
            _ => return None,
        })
    }

    /// The digest of a whole file in hexadecimal; fails when nobody waits for it any more.
    pub(super) fn of(self, file: &File, gone: &CancellationToken) -> io::Result<String> {
        match self {
            Self::Md5 => digest::<Md5>(file, gone),
            Self::Sha1 => digest::<Sha1>(file, gone),
            Self::Sha256 => digest::<Sha256>(file, gone),
            Self::Sha512 => digest::<Sha512>(file, gone),
        }
    }
}

fn digest<D: Digest>(mut file: &File, gone: &CancellationToken) -> io::Result<String> {
    let mut digest = D::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        if gone.is_cancelled() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => digest.update(&chunk[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
