//! The volume with our program for instances, named by the digest of its content. A container that is never started holds
//! it, so that no cleaning of the engine takes it away from instances that are still to be made.

use std::collections::HashMap;
use std::sync::OnceLock;

use bollard::models::{
    ContainerCreateBody, ContainerSummary, HostConfig, Mount as RawMount, MountType, MountVolumeOptions,
};
use bollard::query_parameters::{
    ContainerArchiveInfoOptions, CreateContainerOptions, DownloadFromContainerOptions, ListContainersOptions,
    RemoveContainerOptions, RemoveVolumeOptions, UploadToContainerOptions,
};
use bytes::Bytes;
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};

use super::error::{from_bollard, silent, within};
use super::{DockerEngine, QUICK, WORK, probe};
use crate::{Error, Result, ToolsError, ToolsVolume};

/// Label of the containers that hold such volumes.
const LABEL: &str = "yunlab.tools-volume";
/// The names of volumes and of their containers begin with this.
const PREFIX: &str = "yunlab-tools-";
/// Names of the program's parts, for shells.
const PARTS: [&str; 2] = ["scp", "sftp-server"];

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tools-program"));

/// The volume's content.
struct Built {
    archive: Bytes,
    name: String,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let archive = archive().expect("an archive in memory can be written");
        let digest: String = Sha256::digest(&archive).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Built { archive: archive.into(), name: format!("{PREFIX}{digest}") }
    })
}

/// Reproducible bytes: the program, and its parts as links to it.
fn archive() -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = |kind: tar::EntryType, mode: u32, size: usize| {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size as u64);
        header
    };
    archive.append_data(&mut header(tar::EntryType::Directory, 0o755, 0), "./", &[][..])?;
    archive.append_data(&mut header(tar::EntryType::Regular, 0o555, BYTES.len()), "tools", BYTES)?;
    archive.append_data(&mut header(tar::EntryType::Directory, 0o755, 0), format!("{}/", tools::APPLETS), &[][..])?;
    for part in PARTS {
        let path = format!("{}/{part}", tools::APPLETS);
        archive.append_link(&mut header(tar::EntryType::Symlink, 0o777, 0), path, "../tools")?;
    }
    archive.into_inner()
}

impl DockerEngine {
    pub(super) async fn prepare_tools(&self) -> Result<ToolsVolume, ToolsError> {
        let built = built();
        let volume = built.name.parse().map_err(Error::Invalid)?;
        let _turn = self.tooling.lock().await;
        if self.has_tools(&built.name).await? {
            return Ok(volume);
        }
        let found = within(QUICK, self.docker.info()).await?.architecture.unwrap_or_default();
        if found != std::env::consts::ARCH {
            return Err(ToolsError::OtherArchitecture(found));
        }
        self.make_holder(&built.name).await?;
        // The volume may have been there without its container.
        if !(self.has_tools(&built.name).await? && self.has_whole_tools(&built.name).await?) {
            let options =
                UploadToContainerOptions { path: tools::FOLDER.to_owned(), ..UploadToContainerOptions::default() };
            let body = bollard::body_full(built.archive.clone());
            within(WORK, self.docker.upload_to_container(&built.name, Some(options), body)).await?;
            if !self.has_whole_tools(&built.name).await? {
                return Err(Error::Failed(format!("volume {} is not what was sent", built.name)).into());
            }
        }
        self.forget_older_tools(&built.name).await;
        Ok(volume)
    }

    /// Whether the volume and its container are there, by the size of the program in it.
    async fn has_tools(&self, name: &str) -> Result<bool> {
        let options = ContainerArchiveInfoOptions { path: tools::PROGRAM.to_owned() };
        match within(QUICK, self.docker.get_container_archive_info(name, Some(options))).await {
            Ok(found) => Ok(usize::try_from(found.size).ok() == Some(BYTES.len())),
            Err(Error::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether every byte of the program is there.
    async fn has_whole_tools(&self, name: &str) -> Result<bool> {
        let options = DownloadFromContainerOptions { path: tools::PROGRAM.to_owned() };
        let download = self.docker.download_from_container(name, Some(options));
        let whole = download.try_fold(Vec::new(), async |mut whole: Vec<u8>, piece| {
            whole.extend_from_slice(&piece);
            // A header, and the end of the archive.
            if whole.len() > BYTES.len() + (64 << 10) {
                return Err(bollard::errors::Error::from(std::io::Error::other("a longer file than was sent")));
            }
            Ok(whole)
        });
        let whole = match tokio::time::timeout(WORK, whole).await {
            Ok(whole) => whole.map_err(from_bollard)?,
            Err(_) => return Err(silent(WORK)),
        };
        let mut archive = tar::Archive::new(&whole[..]);
        let Ok(entries) = archive.entries() else { return Ok(false) };
        let mut files = entries.filter_map(std::result::Result::ok);
        let Some(mut file) = files.next() else { return Ok(false) };
        let mut bytes = Vec::new();
        Ok(std::io::Read::read_to_end(&mut file, &mut bytes).is_ok() && bytes == BYTES)
    }

    /// The container that holds the volume, which the engine makes with it.
    async fn make_holder(&self, name: &str) -> Result<()> {
        let options =
            || Some(CreateContainerOptions { name: Some(name.to_owned()), ..CreateContainerOptions::default() });
        let created = match within(WORK, self.docker.create_container(options(), holder(name))).await {
            Err(Error::ImageMissing(_)) => {
                self.import_nothing().await?;
                within(WORK, self.docker.create_container(options(), holder(name))).await
            }
            created => created,
        };
        match created {
            // Left by an earlier try, or made by another portal just now.
            Ok(_) | Err(Error::NameTaken(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes the volumes of earlier versions that no instance has any more. One that stays only costs a megabyte.
    async fn forget_older_tools(&self, name: &str) {
        let filters = HashMap::from([("label".to_owned(), vec![LABEL.to_owned()])]);
        let options = ListContainersOptions { all: true, filters: Some(filters), ..ListContainersOptions::default() };
        let Ok(found) = within(QUICK, self.docker.list_containers(Some(options))).await else { return };
        for older in found.iter().filter(|one| holds_tools(one)).filter_map(own_name).filter(|&older| older != name) {
            let filters = HashMap::from([("volume".to_owned(), vec![older.to_owned()])]);
            let options =
                ListContainersOptions { all: true, filters: Some(filters), ..ListContainersOptions::default() };
            let users = within(QUICK, self.docker.list_containers(Some(options))).await;
            if users.is_ok_and(|users| users.len() > 1) {
                continue;
            }
            let options = RemoveContainerOptions { force: true, ..RemoveContainerOptions::default() };
            let _ = within(QUICK, self.docker.remove_container(older, Some(options))).await;
            let _ = within(QUICK, self.docker.remove_volume(older, None::<RemoveVolumeOptions>)).await;
        }
    }
}

fn holder(name: &str) -> ContainerCreateBody {
    ContainerCreateBody {
        image: Some(probe::EMPTY_IMAGE.to_owned()),
        cmd: Some(vec![tools::PROGRAM.to_owned(), "version".to_owned()]),
        labels: Some([(LABEL.to_owned(), String::new())].into()),
        host_config: Some(HostConfig {
            mounts: Some(vec![mount(name, false)]),
            network_mode: Some("none".to_owned()),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// The volume where programs expect it.
pub(super) fn mount(volume: &str, read_only: bool) -> RawMount {
    RawMount {
        typ: Some(MountType::VOLUME),
        source: Some(volume.to_owned()),
        target: Some(tools::FOLDER.to_owned()),
        read_only: Some(read_only),
        // Nothing of the image's own goes into it.
        volume_options: Some(MountVolumeOptions { no_copy: Some(true), ..MountVolumeOptions::default() }),
        ..RawMount::default()
    }
}

fn own_name(container: &ContainerSummary) -> Option<&str> {
    let mut names = container.names.iter().flatten().map(|name| name.trim_start_matches('/'));
    names.find(|name| name.starts_with(PREFIX))
}

/// Whether a container holds such a volume. The label alone proves nothing: an instance has the labels of its image.
pub(super) fn holds_tools(container: &ContainerSummary) -> bool {
    let labelled = container.labels.as_ref().is_some_and(|labels| labels.contains_key(LABEL));
    labelled && own_name(container).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_is_the_program_and_links_to_it() {
        assert_eq!(archive().expect("an archive"), archive().expect("an archive"));
        let whole = archive().expect("an archive");
        let mut archive = tar::Archive::new(&whole[..]);
        let entries = archive.entries().expect("entries").map(|entry| {
            let entry = entry.expect("an entry");
            let link = entry.link_name().expect("a name").map(|link| link.display().to_string());
            (entry.path().expect("a path").display().to_string(), entry.size(), link.unwrap_or_default())
        });
        let size = BYTES.len() as u64;
        let expected = [
            ("./", 0, ""),
            ("tools", size, ""),
            ("bin/", 0, ""),
            ("bin/scp", 0, "../tools"),
            ("bin/sftp-server", 0, "../tools"),
        ];
        let expected = expected.map(|(path, size, link)| (path.to_owned(), size, link.to_owned()));
        assert_eq!(entries.collect::<Vec<_>>(), expected);
    }
}
