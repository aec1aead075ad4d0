//! Digests of files.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc;
use std::thread;

use md5::Md5;
use serde::Serialize;
use sha1::Sha1;
use sha2::{Digest, Sha256};
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

    /// Computes the digest of a whole file in hexadecimal; fails when the request was dropped.
    pub(super) fn of(self, file: &File, gone: &CancellationToken) -> io::Result<String> {
        match self {
            Self::Md5 => digest::<Md5>(file, gone),
            Self::Sha1 => digest::<Sha1>(file, gone),
            Self::Sha256 => digest::<Sha256>(file, gone),
            Self::Sha512 => {
                let mut digest = ring::digest::Context::new(&ring::digest::SHA512);
                each_chunk(file, gone, |chunk| digest.update(chunk))?;
                Ok(hexadecimal(digest.finish().as_ref()))
            }
        }
    }
}

fn digest<D: Digest>(file: &File, gone: &CancellationToken) -> io::Result<String> {
    let mut digest = D::new();
    each_chunk(file, gone, |chunk| digest.update(chunk))?;
    Ok(hexadecimal(&digest.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Two buffers alternate: one is filled while the other is digested.
fn each_chunk(file: &File, gone: &CancellationToken, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    thread::scope(|scope| {
        let (to_fill, empty) = mpsc::sync_channel(2);
        let (to_digest, filled) = mpsc::sync_channel(1);
        scope.spawn(move || {
            for mut chunk in empty {
                let read = fill(file, &mut chunk);
                let ended = !matches!(read, Ok(1..));
                if to_digest.send(read.map(|_| chunk)).is_err() || ended {
                    break;
                }
            }
        });
        let mut spare = vec![0; CHUNK_BYTES];
        let _ = to_fill.send(vec![0; CHUNK_BYTES]);
        for chunk in filled {
            if gone.is_cancelled() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            let chunk: Vec<u8> = std::mem::replace(&mut spare, chunk?);
            // At the end the reader is gone.
            let _ = to_fill.send(chunk);
            each(&spare);
            spare.resize(CHUNK_BYTES, 0);
        }
        Ok(())
    })
}

/// Reads one chunk into the buffer.
fn fill(mut file: &File, chunk: &mut Vec<u8>) -> io::Result<usize> {
    loop {
        match file.read(chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(read) => {
                chunk.truncate(read);
                return Ok(read);
            }
        }
    }
}
