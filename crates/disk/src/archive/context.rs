//! A folder as a build context: a tar without the paths that its `.dockerignore` excludes, and without links, so that
//! none leads out.

use std::fs::File;
use std::io::{self, Read};

use bytes::Bytes;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Meta, VirtualPath};
use disk_core::view::View;
use futures_util::{Stream, TryStreamExt};
use kernel::UserId;

use super::format::Format;
use super::ignore::Ignore;
use super::{Source, tar, walk};
use crate::host::Host;
use crate::http::{Member, Pipe, Reader};
use crate::permissions::require;
use crate::trail;

/// Maximum content of a context: an engine copies all of it before the build begins.
const MOST_BYTES: u64 = 4 << 30;
const MOST_FILES: u64 = 200_000;
/// Of a `.dockerignore`.
const MOST_IGNORE_BYTES: u64 = 256 * 1024;
const DOCKERFILE: &str = "Dockerfile";
const IGNORE_FILE: &str = ".dockerignore";

/// Why a folder is no context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextError {
    /// It is not there, or not this person's to read.
    #[error("no such folder")]
    NotFound,
    /// It has no `Dockerfile`.
    #[error("no Dockerfile")]
    NoDockerfile,
    /// More than 4 GiB or 200 000 files.
    #[error("too large")]
    TooLarge,
    /// The disk could not read it.
    #[error("unavailable")]
    Unavailable,
}

/// Packs the folder that this person calls so, with their own rights. The stream ends with an
/// error when a file can't be read or changes meanwhile.
pub(crate) async fn pack(
    host: &Host,
    person: UserId,
    folder: &str,
) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + use<>, ContextError> {
    let path = VirtualPath::from_decoded(folder).map_err(|_| ContextError::NotFound)?;
    let member = Member::in_name_of(host, person).await.map_err(|error| told(&error))?;
    require(member.may.download).map_err(|error| told(&error))?;
    let (jail, view, packed) = (host.files.jail.clone(), member.view.clone(), path.clone());
    let (sources, ignore, content) = blocking(move || {
        let at = view.existing(&packed)?;
        if !jail.find(&at)?.meta.is_folder() {
            return Err(DiskError::NotFound);
        }
        let ignore = read_ignore(&jail, &view, &packed)?;
        let sources = [Source { at, path: String::new() }];
        let mut content = Content::default();
        walk::walk(&jail, &sources, &mut Kept { ignore: &ignore, to: &mut content })?;
        Ok((sources, ignore, content))
    })
    .await
    .map_err(|error| told(&error))?;
    if !content.has_dockerfile {
        return Err(ContextError::NoDockerfile);
    }
    trail::note_build(host, &member, &path).await;
    let jail = host.files.jail.clone();
    let body = Pipe::body(Reader::Person(person), move |pipe| {
        tar::write_kept(&jail, &sources, &ignore, pipe)?;
        Ok(())
    });
    Ok(body.into_data_stream().map_err(io::Error::other))
}

fn told(error: &DiskError) -> ContextError {
    match error {
        DiskError::Unavailable(_) | DiskError::Internal(_) => {
            tracing::warn!(%error, "a build's context could not be read");
            ContextError::Unavailable
        }
        DiskError::TooLarge => ContextError::TooLarge,
        _ => ContextError::NotFound,
    }
}

fn read_ignore(jail: &Jail, view: &View, folder: &VirtualPath) -> DiskResult<Ignore> {
    let found = match view.existing(&folder.join(IGNORE_FILE)).and_then(|at| jail.find(&at)) {
        Ok(found) if !found.meta.is_folder() => found,
        Ok(_) | Err(DiskError::NotFound | DiskError::Forbidden) => return Ok(Ignore::default()),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    jail.read_file(&found)?.take(MOST_IGNORE_BYTES).read_to_end(&mut bytes)?;
    Ok(Ignore::parse(&String::from_utf8_lossy(&bytes)))
}

/// Passes on entries that are not excluded. The engine needs the Dockerfile, even if it is excluded.
pub(super) struct Kept<'a, F> {
    pub(super) ignore: &'a Ignore,
    pub(super) to: &'a mut F,
}

impl<F: Format> Format for Kept<'_, F> {
    fn folder(&mut self, path: &str, meta: &Meta) -> DiskResult<()> {
        if self.ignore.leaves_out(path) { Ok(()) } else { self.to.folder(path, meta) }
    }

    fn file(&mut self, path: &str, meta: &Meta, file: &File) -> DiskResult<()> {
        if path != DOCKERFILE && self.ignore.leaves_out(path) { Ok(()) } else { self.to.file(path, meta, file) }
    }
}

/// How much there is.
#[derive(Debug, Default)]
struct Content {
    bytes: u64,
    files: u64,
    has_dockerfile: bool,
}

impl Format for Content {
    fn folder(&mut self, _path: &str, _meta: &Meta) -> DiskResult<()> {
        self.count(0)
    }

    fn file(&mut self, path: &str, meta: &Meta, _file: &File) -> DiskResult<()> {
        self.has_dockerfile |= path == DOCKERFILE;
        self.count(meta.size)
    }
}

impl Content {
    fn count(&mut self, bytes: u64) -> DiskResult<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.files += 1;
        if self.bytes > MOST_BYTES || self.files > MOST_FILES { Err(DiskError::TooLarge) } else { Ok(()) }
    }
}
