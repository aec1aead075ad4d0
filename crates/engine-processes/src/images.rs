//! Images in a folder, and a registry that is a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use engine::{Error, ImageRef, ImageSource, Result};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;

use crate::record::{Config, get};

/// Bytes that are read at once from a registry.
const PIECE: usize = 64 << 10;

pub(crate) struct Images {
    folder: PathBuf,
    registry: PathBuf,
}

/// An image that is there.
pub(crate) struct Found {
    /// `sha256:` and 64 digits, of the tar.
    pub(crate) digest: String,
    pub(crate) rootfs: PathBuf,
    pub(crate) config: Config,
}

impl Images {
    pub(crate) fn new(cluster: &Path, registry: &Path) -> Self {
        Self { folder: cluster.join("images"), registry: registry.to_owned() }
    }

    pub(crate) fn find(&self, name: &ImageRef) -> Result<Option<Found>> {
        let digest = match name.digest() {
            Some(digest) => digest.to_owned(),
            None => match fs::read_to_string(self.folder.join("names").join(key(name))) {
                Ok(digest) => digest,
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(fault) => return Err(Error::Failed(fault.to_string())),
            },
        };
        let folder = self.folder.join(digest.trim_start_matches("sha256:"));
        let config = get(&folder.join("image.json")).map_err(|fault| Error::Failed(fault.to_string()))?;
        Ok(config.map(|config| Found { digest, rootfs: folder.join("rootfs"), config }))
    }

    /// The tar of an image in its registry.
    pub(crate) fn distant(&self, source: &ImageSource) -> Result<PathBuf> {
        let name = key(&source.name);
        if let Ok(wanted) = fs::read_to_string(self.registry.join(format!("{name}.auth"))) {
            let given = source.auth.as_ref().map(|auth| format!("{}:{}", auth.username, auth.password.expose()));
            if given.as_deref() != Some(wanted.trim()) {
                return Err(Error::Unauthorized(source.name.to_string()));
            }
        }
        let tar = self.registry.join(format!("{name}.tar"));
        if tar.is_file() { Ok(tar) } else { Err(Error::ImageMissing(source.name.to_string())) }
    }

    /// Unpacks an image. `None` when the receiver is gone. Blocks.
    pub(crate) fn fetch(&self, name: &ImageRef, tar: &Path, progress: mpsc::Sender<(u64, u64)>) -> Result<Option<()>> {
        let given_up = progress.clone();
        let new = self.folder.join(format!(".new-{}", uuid::Uuid::new_v4().simple()));
        let result = self.unpack(name, tar, &new, progress);
        let _ = fs::remove_dir_all(&new);
        match result {
            Ok(()) => Ok(Some(())),
            Err(_) if given_up.is_closed() => Ok(None),
            Err(fault) => Err(Error::Failed(fault.to_string())),
        }
    }

    fn unpack(&self, name: &ImageRef, tar: &Path, new: &Path, progress: mpsc::Sender<(u64, u64)>) -> io::Result<()> {
        let file = File::open(tar)?;
        let total = file.metadata()?.len();
        let mut coming = Coming { file, sum: Sha256::new(), current: 0, total, progress };
        let names = self.folder.join("names");
        fs::create_dir_all(&names)?;
        fs::create_dir_all(new)?;
        let mut archive = tar::Archive::new(&mut coming);
        archive.set_preserve_permissions(true);
        archive.set_preserve_ownerships(true);
        archive.unpack(new)?;
        io::copy(&mut coming, &mut io::sink())?;
        let digits: String = coming.sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        match fs::rename(new, self.folder.join(&digits)) {
            Err(fault) if !self.folder.join(&digits).is_dir() => return Err(fault),
            _ => {}
        }
        let written = names.join(format!(".{}", uuid::Uuid::new_v4().simple()));
        fs::write(&written, format!("sha256:{digits}"))?;
        fs::rename(&written, names.join(key(name)))
    }
}

/// `repository:tag` as the name of a file.
fn key(name: &ImageRef) -> String {
    let tag = name.digest().or(name.tag()).unwrap_or("latest");
    format!("{}:{tag}", name.repository()).replace('/', "+")
}

/// Counts the bytes, and ends with an error when the receiver is gone.
struct Coming {
    file: File,
    sum: Sha256,
    current: u64,
    total: u64,
    progress: mpsc::Sender<(u64, u64)>,
}

impl Read for Coming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(PIECE);
        let read = self.file.read(&mut buffer[..room])?;
        self.sum.update(&buffer[..read]);
        self.current += read as u64;
        self.progress.blocking_send((self.current, self.total)).map_err(io::Error::other)?;
        Ok(read)
    }
}
