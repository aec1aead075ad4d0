//! Digests that a client sends with a piece.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use http::HeaderMap;
use md5::Md5;
use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::DynDigest;

/// As `OPTIONS` names them.
pub(super) const ALGORITHMS: &str = "sha1,sha256,md5";

/// The digest being computed and the announced one.
pub(super) struct Checksum {
    digest: Box<dyn DynDigest + Send>,
    expected: Vec<u8>,
}

impl Checksum {
    /// `Upload-Checksum`: the name of an algorithm and the digest in Base64. 400 for others.
    pub(super) fn read(headers: &HeaderMap) -> DiskResult<Option<Self>> {
        let Some(value) = headers.get("upload-checksum") else { return Ok(None) };
        let malformed = || DiskError::bad_request(Reason::UploadChecksumMalformed);
        let (name, expected) = value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
        let digest: Box<dyn DynDigest + Send> = match name {
            "sha1" => Box::new(Sha1::default()),
            "sha256" => Box::new(Sha256::default()),
            "md5" => Box::new(Md5::default()),
            _ => return Err(DiskError::bad_request(Reason::DigestAlgorithm)),
        };
        let expected = STANDARD.decode(expected.trim()).map_err(|_| malformed())?;
        Ok(Some(Self { digest, expected }))
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    /// Whether the received bytes match the announced digest.
    pub(super) fn matches(self) -> bool {
        *self.digest.finalize() == *self.expected
    }
}
