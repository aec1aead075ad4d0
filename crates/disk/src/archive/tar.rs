//! Tar, in GNU's form, plain or into an encoder.

use std::fs::File;
use std::io::{self, Write};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Meta};
use disk_core::progress::Progress;
use tar::{Builder, EntryType, Header};

use super::context::Kept;
use super::format::{BUFFER_BYTES, Counted, Format, copy};
use super::ignore::Ignore;
use super::walk::{Source, walk};

/// Content is filled up to whole blocks.
const BLOCK_BYTES: u64 = 512;

/// Writes a whole tar and returns `out`.
pub(super) fn write<W: Write>(jail: &Jail, sources: &[Source], progress: &Progress, out: W) -> DiskResult<W> {
    let mut tar = Tar::new(out);
    walk(jail, sources, &mut Counted { progress, to: &mut tar })?;
    Ok(tar.builder.into_inner()?)
}

/// The same without ignored entries.
pub(super) fn write_kept<W: Write>(jail: &Jail, sources: &[Source], ignore: &Ignore, out: W) -> DiskResult<W> {
    let mut tar = Tar::new(out);
    walk(jail, sources, &mut Kept { ignore, to: &mut tar })?;
    Ok(tar.builder.into_inner()?)
}

struct Tar<W: Write> {
    builder: Builder<W>,
    buffer: Vec<u8>,
}

impl<W: Write> Tar<W> {
    fn new(out: W) -> Self {
        Self { builder: Builder::new(out), buffer: vec![0; BUFFER_BYTES] }
    }

    /// The header alone: content follows in larger pieces than the library would read.
    fn head(&mut self, path: &str, meta: &Meta, kind: EntryType, size: u64) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(meta.mode & 0o777);
        header.set_mtime(u64::try_from(meta.modified.seconds).unwrap_or_default());
        // Owners of files have no meaning on other machines.
        header.set_uid(0);
        header.set_gid(0);
        self.builder.append_data(&mut header, path, io::empty())
    }
}

impl<W: Write> Format for Tar<W> {
    fn folder(&mut self, path: &str, meta: &Meta) -> DiskResult<()> {
        Ok(self.head(&format!("{path}/"), meta, EntryType::Directory, 0)?)
    }

    fn file(&mut self, path: &str, meta: &Meta, file: &File) -> DiskResult<()> {
        self.head(path, meta, EntryType::Regular, meta.size)?;
        let out = self.builder.get_mut();
        if copy(file, meta.size, &mut self.buffer, out)? < meta.size {
            return Err(DiskError::internal(anyhow::anyhow!("a file became shorter while it was read")));
        }
        let over = meta.size % BLOCK_BYTES;
        if over > 0 {
            let fill = usize::try_from(BLOCK_BYTES - over).unwrap_or_default();
            out.write_all(&[0; 512][..fill])?;
        }
        Ok(())
    }
}
