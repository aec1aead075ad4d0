//! The source of releases: a folder or a URL. Nothing is trusted before its signature is checked, and every read has a
//! limit.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use reqwest::{Client, StatusCode, redirect};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tokio_util::io::ReaderStream;
use url::Url;

use super::model::{Build, MAX_MANIFEST_BYTES, Manifest, ReleaseError};
use super::signature::{MAX_SIGNATURE_BYTES, PublisherKey};
use crate::unreached;

const MANIFEST: &str = "manifest.json";
const SIGNATURE: &str = "manifest.json.sig";
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);
/// To the first byte, and from each part to the next.
const HEARD_WITHIN: Duration = Duration::from_secs(30);
const MOST_REDIRECTIONS: usize = 5;

/// Where to look.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Folder(PathBuf),
    /// Ends with a slash.
    Web(Url),
}

impl Source {
    /// From an absolute path or an address.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.starts_with('/') {
            return Some(Self::Folder(PathBuf::from(text)));
        }
        let url = Url::parse(&format!("{}/", text.trim_end_matches('/'))).ok()?;
        let plain = url.has_host() && url.query().is_none() && url.fragment().is_none();
        (plain && matches!(url.scheme(), "http" | "https")).then_some(Self::Web(url))
    }

    /// The offered release, after its signature was checked.
    pub(super) async fn manifest(&self, key: &PublisherKey) -> Result<Manifest, ReleaseError> {
        let bytes = self.small(MANIFEST, MAX_MANIFEST_BYTES).await?;
        let signature = self.small(SIGNATURE, MAX_SIGNATURE_BYTES).await?;
        key.verify(&bytes, &signature)?;
        Manifest::parse(&bytes)
    }

    /// Writes a program into `to`, complete and durable on success. `heard` is called with the size of each part.
    pub(super) async fn program(
        &self,
        build: &Build,
        to: &mut File,
        path: &Path,
        heard: impl Fn(u64),
    ) -> Result<(), ReleaseError> {
        let cannot_write = |error: io::Error| unwritable(path, &error);
        let (mut parts, mut digest, mut left) = (self.open(&build.file).await?, Sha256::new(), build.size);
        while let Some(part) = next(&mut parts).await? {
            let length = part.len() as u64;
            left = left.checked_sub(length).ok_or(ReleaseError::Corrupt("大小不一致"))?;
            digest.update(&part);
            to.write_all(&part).await.map_err(cannot_write)?;
            heard(length);
        }
        if left > 0 {
            return Err(ReleaseError::Corrupt("不完整"));
        }
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        if digest != build.sha256 {
            return Err(ReleaseError::Corrupt("校验和不一致"));
        }
        to.flush().await.map_err(cannot_write)?;
        to.sync_all().await.map_err(cannot_write)
    }

    async fn small(&self, name: &str, most: u64) -> Result<Vec<u8>, ReleaseError> {
        let (mut parts, mut bytes) = (self.open(name).await?, Vec::new());
        while let Some(part) = next(&mut parts).await? {
            if (bytes.len() + part.len()) as u64 > most {
                return Err(ReleaseError::TooLarge(name.to_owned()));
            }
            bytes.extend_from_slice(&part);
        }
        Ok(bytes)
    }

    async fn open(&self, name: &str) -> Result<Parts, ReleaseError> {
        match timeout(HEARD_WITHIN, self.try_open(name)).await {
            Ok(opened) => opened,
            Err(_) => Err(too_slow()),
        }
    }

    async fn try_open(&self, name: &str) -> Result<Parts, ReleaseError> {
        match self {
            Self::Folder(folder) => {
                let file = File::open(folder.join(name)).await.map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => ReleaseError::Missing(name.to_owned()),
                    _ => unreachable(&error),
                })?;
                Ok(ReaderStream::with_capacity(file, 256 * 1024).map_err(|error| unreachable(&error)).boxed())
            }
            Self::Web(base) => {
                let url = base.join(name).map_err(|error| unreachable(&error))?;
                let answer = client()?.get(url).send().await.map_err(|error| unreachable(&error))?;
                match answer.status() {
                    status if status.is_success() => {}
                    StatusCode::NOT_FOUND => return Err(ReleaseError::Missing(name.to_owned())),
                    status => return Err(ReleaseError::Unreachable(format!("应答状态 {}", status.as_u16()))),
                }
                Ok(answer.bytes_stream().map_err(|error| unreachable(&error)).boxed())
            }
        }
    }
}

type Parts = BoxStream<'static, Result<Bytes, ReleaseError>>;

async fn next(parts: &mut Parts) -> Result<Option<Bytes>, ReleaseError> {
    match timeout(HEARD_WITHIN, parts.try_next()).await {
        Ok(part) => part,
        Err(_) => Err(too_slow()),
    }
}

/// Used once an hour, so connections are not kept.
fn client() -> Result<Client, ReleaseError> {
    let redirects = redirect::Policy::limited(MOST_REDIRECTIONS);
    let builder = Client::builder().connect_timeout(CONNECTED_WITHIN).redirect(redirects).no_proxy();
    builder.build().map_err(|error| unreachable(&error))
}

/// The error of a file that can't be written, in words.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> ReleaseError {
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "磁盘空间不足".to_owned(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "运行服务的账号没有写入权限".to_owned(),
        _ => error.to_string(),
    };
    ReleaseError::Write { path: path.display().to_string(), why }
}

fn too_slow() -> ReleaseError {
    ReleaseError::Unreachable(format!("{} 秒内没有数据", HEARD_WITHIN.as_secs()))
}

fn unreachable(error: &(dyn std::error::Error + 'static)) -> ReleaseError {
    ReleaseError::Unreachable(unreached::reason(error))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("/srv/releases", true)]
    #[case("https://lab.example/yunlab", true)]
    #[case("http://10.0.0.1:8000/", true)]
    #[case("releases", false)]
    #[case("", false)]
    #[case("ftp://lab.example/", false)]
    #[case("file:///srv/releases", false)]
    #[case("https://lab.example/?a=b", false)]
    #[case("https:///", false)]
    fn a_source_is_a_folder_or_an_address(#[case] text: &str, #[case] good: bool) {
        assert_eq!(Source::parse(text).is_some(), good);
    }
}
