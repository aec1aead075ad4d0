//! The portal's own container on a machine. It has no program of its own: the machine's program folders are mounted
//! read-only, so that `nvidia-smi` is the driver's own and no image is pulled. It sees processes, device nodes and,
//! through a process of the engine's, the machine's files, and cannot change any of them.

use bollard::models::{
    ContainerCreateBody, HostConfig, HostConfigCgroupnsModeEnum, Mount, MountBindOptions, MountType,
};
use bollard::query_parameters::{CreateContainerOptions, CreateImageOptions, RemoveContainerOptions};
use bytes::Bytes;
use futures_util::TryStreamExt;

use super::error::{from_bollard, within};
use super::{DockerEngine, QUICK, WORK};
use crate::{ContainerRef, Error, Result};

/// Label of such a container; its value is the version of its configuration.
pub(super) const PROBE: &str = "yunlab.probe";
/// Incremented when the configuration changes, so that older probes are replaced.
const MADE: &str = "2";
pub(super) const NAME: &str = "yunlab-probe";
pub(super) const REPOSITORY: &str = "yunlab/probe";
/// An image with nothing in it.
pub(super) const EMPTY_IMAGE: &str = "yunlab/probe:2";

impl DockerEngine {
    /// The portal's own container on the machine, running.
    ///
    /// # Errors
    /// `NameTaken` when another container has its name, and those of the engine.
    pub async fn probe(&self) -> Result<ContainerRef> {
        let name: ContainerRef = NAME.parse()?;
        let _turn = self.probing.lock().await;
        match self.raw(&name).await {
            Ok(found) => {
                let made = found.config.and_then(|config| config.labels).and_then(|mut labels| labels.remove(PROBE));
                let running = found.state.and_then(|state| state.running).unwrap_or_default();
                match made.as_deref() {
                    Some(MADE) if running => return Ok(name),
                    Some(MADE) => {}
                    Some(_) => {
                        let options = RemoveContainerOptions { force: true, ..RemoveContainerOptions::default() };
                        within(WORK, self.docker.remove_container(NAME, Some(options))).await?;
                        self.make_probe().await?;
                    }
                    None => return Err(Error::NameTaken(format!("{NAME} is somebody else's container"))),
                }
            }
            Err(Error::NotFound(_)) => self.make_probe().await?,
            Err(error) => return Err(error),
        }
        self.start_container(&name).await?;
        Ok(name)
    }

    async fn make_probe(&self) -> Result<()> {
        let architecture = within(QUICK, self.docker.info()).await?.architecture.unwrap_or_default();
        let made = match self.create_probe(&architecture).await {
            Err(Error::ImageMissing(_)) => {
                self.import_nothing().await?;
                self.create_probe(&architecture).await
            }
            made => made,
        };
        match made {
            // Created concurrently by another request.
            Err(Error::NameTaken(_)) => Ok(()),
            made => made,
        }
    }

    async fn create_probe(&self, architecture: &str) -> Result<()> {
        let options = CreateContainerOptions { name: Some(NAME.to_owned()), ..CreateContainerOptions::default() };
        within(WORK, self.docker.create_container(Some(options), body(architecture))).await.map(drop)
    }

    /// An image with nothing in it: an archive's end.
    pub(super) async fn import_nothing(&self) -> Result<()> {
        let options = CreateImageOptions {
            from_src: Some("-".to_owned()),
            repo: Some(REPOSITORY.to_owned()),
            tag: Some(MADE.to_owned()),
            ..CreateImageOptions::default()
        };
        let empty = bollard::body_full(Bytes::from_static(&[0; 1024]));
        let steps = self.docker.create_image(Some(options), Some(empty), None);
        steps.try_for_each(async |_| Ok(())).await.map_err(from_bollard)
    }
}

fn body(architecture: &str) -> ContainerCreateBody {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let loader: &[&str] = if architecture == "x86_64" { &["/lib64"] } else { &[] };
    let folders = ["/bin", "/dev", "/lib", "/sbin", "/usr"].iter().chain(loader);
    ContainerCreateBody {
        image: Some(EMPTY_IMAGE.to_owned()),
        cmd: Some(words(&["/bin/sleep", "infinity"])),
        env: Some(words(&["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"])),
        labels: Some([(PROBE.to_owned(), MADE.to_owned())].into()),
        host_config: Some(HostConfig {
            mounts: Some(folders.map(|folder| readable(folder)).collect()),
            pid_mode: Some("host".to_owned()),
            cgroupns_mode: Some(HostConfigCgroupnsModeEnum::HOST),
            network_mode: Some("none".to_owned()),
            cap_drop: Some(words(&["ALL"])),
            // For files through /proc/<pid>/root, for folders with restricted access, and for the kernel's log.
            cap_add: Some(words(&["DAC_READ_SEARCH", "SYSLOG", "SYS_PTRACE"])),
            // AppArmor's profile for containers forbids access through /proc.
            security_opt: Some(words(&["apparmor=unconfined", "no-new-privileges"])),
            // NVIDIA's nodes; no other node of /dev can be opened.
            device_cgroup_rules: Some(words(&["c 195:* rw"])),
            memory: Some(512 << 20),
            pids_limit: Some(128),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// Not recursive: a mount below could otherwise not be unmounted on the machine.
fn readable(folder: &str) -> Mount {
    Mount {
        typ: Some(MountType::BIND),
        source: Some(folder.to_owned()),
        target: Some(folder.to_owned()),
        read_only: Some(true),
        bind_options: Some(MountBindOptions { non_recursive: Some(true), ..MountBindOptions::default() }),
        ..Mount::default()
    }
}
