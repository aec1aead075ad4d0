//! What a kept root has beyond its image, as a layer of an image: a tar archive in which files that were deleted are
//! marked as the OCI image format has it (`.wh.` and `.wh..wh..opq`).

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{lgetxattr, llistxattr};
use tar::{Builder, EntryType, Header};

/// The driver's own folder in the root.
const OURS: &str = ".yunlab";
/// Attributes by which overlays mark what they need.
const OVERLAY: [&str; 2] = ["user.overlay.", "trusted.overlay."];
/// A folder with this mark hides all that its image has there.
const OPAQUE: &str = "user.overlay.opaque";
/// The kernel takes no longer names and values.
const MOST_NAMES: usize = 64 << 10;
const MOST_VALUE: usize = 64 << 10;

/// Writes all that is below `upper`.
///
/// # Errors
/// What can't be read, or that the reader is gone.
pub(crate) fn write(upper: &Path) -> Result<u8, String> {
    let mut builder = Builder::new(io::BufWriter::with_capacity(1 << 20, io::stdout().lock()));
    pack(upper, &mut builder)?;
    let mut output = builder.into_inner().map_err(|error| error.to_string())?;
    output.flush().map_err(|error| error.to_string())?;
    Ok(0)
}

/// Prints the bytes of all files below `upper`.
///
/// # Errors
/// When standard output is closed.
pub(crate) fn size(upper: &Path) -> Result<u8, String> {
    let mut sum = 0_u64;
    walk(upper, &mut |_, meta| {
        sum = sum.saturating_add(if meta.is_file() { meta.len() } else { 0 });
        Ok(())
    })?;
    writeln!(io::stdout(), "{sum}").map_err(|error| error.to_string())?;
    Ok(0)
}

fn pack<W: Write>(upper: &Path, builder: &mut Builder<W>) -> Result<(), String> {
    // Files with several names, by their first one.
    let mut linked: HashMap<(u64, u64), PathBuf> = HashMap::new();
    walk(upper, &mut |path, meta| {
        let name = path.strip_prefix(upper).unwrap_or(path);
        entry(builder, path, name, meta, &mut linked).map_err(|error| format!("{}: {error}", name.display()))
    })
}

/// Calls `act` for all below a folder, each folder before what is in it, in the order of names. What disappears meanwhile
/// is left out.
fn walk(folder: &Path, act: &mut dyn FnMut(&Path, &Metadata) -> Result<(), String>) -> Result<(), String> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if path != folder {
            act(&path, &meta)?;
        }
        if !meta.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut inside: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        inside.retain(|one| *one != folder.join(OURS));
        // The last one is taken first.
        inside.sort_by(|one, other| other.cmp(one));
        waiting.append(&mut inside);
    }
    Ok(())
}

fn entry<W: Write>(
    builder: &mut Builder<W>,
    path: &Path,
    name: &Path,
    meta: &Metadata,
    linked: &mut HashMap<(u64, u64), PathBuf>,
) -> io::Result<()> {
    let kind = meta.file_type();
    if kind.is_char_device() && meta.rdev() == 0 {
        return mark(builder, &deleted(name));
    }
    let mut header = header(meta);
    if kind.is_file() && meta.nlink() > 1 {
        if let Some(first) = linked.get(&(meta.dev(), meta.ino())) {
            header.set_entry_type(EntryType::Link);
            return builder.append_link(&mut header, name, first);
        }
        linked.insert((meta.dev(), meta.ino()), name.to_owned());
    }
    let attributes = attributes(path);
    let pax = attributes.iter().filter(|(name, _)| !OVERLAY.iter().any(|ours| name.starts_with(ours)));
    let pax: Vec<(String, &[u8])> =
        pax.map(|(name, value)| (format!("SCHILY.xattr.{name}"), value.as_slice())).collect();
    builder.append_pax_extensions(pax.iter().map(|(name, value)| (name.as_str(), *value)))?;
    if kind.is_symlink() {
        header.set_entry_type(EntryType::Symlink);
        builder.append_link(&mut header, name, fs::read_link(path)?)
    } else if kind.is_dir() {
        header.set_entry_type(EntryType::Directory);
        builder.append_data(&mut header, name.join(""), io::empty())?;
        let is_opaque = attributes.iter().any(|(name, value)| name == OPAQUE && value == b"y");
        if is_opaque { mark(builder, &name.join(".wh..wh..opq")) } else { Ok(()) }
    } else if kind.is_file() {
        header.set_size(meta.len());
        // A file that changes meanwhile must not move all that follows it.
        let content = File::open(path)?.chain(io::repeat(0)).take(meta.len());
        builder.append_data(&mut header, name, content)
    } else if kind.is_fifo() {
        header.set_entry_type(EntryType::Fifo);
        builder.append_data(&mut header, name, io::empty())
    } else {
        // Sockets live no longer than their programs, and devices can't be made.
        Ok(())
    }
}

fn header(meta: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(meta.mode() & 0o7777);
    header.set_uid(u64::from(meta.uid()));
    header.set_gid(u64::from(meta.gid()));
    header.set_mtime(u64::try_from(meta.mtime()).unwrap_or_default());
    header.set_size(0);
    header.set_entry_type(EntryType::Regular);
    header
}

fn deleted(name: &Path) -> PathBuf {
    let mut mark = std::ffi::OsString::from(".wh.");
    mark.push(name.file_name().unwrap_or_default());
    name.with_file_name(mark)
}

fn mark<W: Write>(builder: &mut Builder<W>, name: &Path) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(0);
    header.set_size(0);
    header.set_entry_type(EntryType::Regular);
    builder.append_data(&mut header, name, io::empty())
}

/// Extended attributes, by their names.
fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut names = vec![0_u8; MOST_NAMES];
    let length = llistxattr(path, &mut names[..]).unwrap_or_default();
    let names = names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let names = names.filter_map(|name| std::str::from_utf8(name).ok());
    let mut all: Vec<(String, Vec<u8>)> = names
        .filter_map(|name| {
            let mut value = vec![0_u8; MOST_VALUE];
            let length = lgetxattr(path, name, &mut value[..]).ok()?;
            value.truncate(length);
            Some((name.to_owned(), value))
        })
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_layer_has_what_was_written_and_the_marks_of_what_was_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let upper = folder.path();
        let long = "x".repeat(150);
        fs::create_dir_all(upper.join("srv").join(&long)).unwrap();
        fs::create_dir_all(upper.join(OURS)).unwrap();
        fs::write(upper.join("srv/file"), "text").unwrap();
        fs::hard_link(upper.join("srv/file"), upper.join("srv/link")).unwrap();
        symlink("../etc/passwd", upper.join("srv/points")).unwrap();
        let mut builder = Builder::new(Vec::new());
        pack(upper, &mut builder).unwrap();
        mark(&mut builder, &deleted(Path::new("bin/vi"))).unwrap();
        let archive = builder.into_inner().unwrap();
        let mut archive = tar::Archive::new(archive.as_slice());
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            let link = entry.link_name().unwrap().map(|link| link.display().to_string());
            (entry.path().unwrap().display().to_string(), entry.header().entry_type(), link.unwrap_or(content))
        });
        let text = str::to_owned;
        assert_eq!(
            entries.collect::<Vec<_>>(),
            [
                (text("srv/"), EntryType::Directory, String::new()),
                (text("srv/file"), EntryType::Regular, text("text")),
                (text("srv/link"), EntryType::Link, text("srv/file")),
                (text("srv/points"), EntryType::Symlink, text("../etc/passwd")),
                (format!("srv/{long}/"), EntryType::Directory, String::new()),
                (text("bin/.wh.vi"), EntryType::Regular, String::new()),
            ]
        );
    }
}
