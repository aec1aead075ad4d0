//! The helper's image: one static program, which this crate embeds, and nothing else. Its tag is the digest of its
//! content; an image with the name is used only if its content is ours.

use std::collections::HashMap;
use std::sync::OnceLock;

use bollard::models::{ImageConfig, ImageInspect};
use bollard::query_parameters::{CreateImageOptions, ListImagesOptions, RemoveImageOptions};
use bytes::Bytes;
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};

use crate::docker::error::{from_bollard, within};
use crate::docker::{DockerEngine, QUICK, WORK};
use crate::{Error, MachineHelperError, Result};

/// The image's name.
pub(in crate::docker) const REPOSITORY: &str = "yunlab/machine-helper";
/// The program's path in it.
pub(super) const PROGRAM: &str = "/machine-helper";

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/machine-helper-program"));

/// The image as it is loaded into engines.
struct Built {
    archive: Bytes,
    /// The digest by which engines know the one layer, `sha256:…`.
    layer: String,
    tag: String,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let archive = archive().expect("an archive in memory can be written");
        let digest: String = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
        Built { archive: archive.into(), tag: digest[..12].to_owned(), layer: format!("sha256:{digest}") }
    })
}

/// Reproducible bytes, so that the digest identifies the content.
fn archive() -> std::io::Result<Vec<u8>> {
    let mut header = tar::Header::new_ustar();
    header.set_mode(0o555);
    header.set_size(BYTES.len() as u64);
    let mut archive = tar::Builder::new(Vec::new());
    archive.append_data(&mut header, PROGRAM.trim_start_matches('/'), BYTES)?;
    archive.into_inner()
}

impl DockerEngine {
    /// The id of our image on the engine, which is brought there when it is missing.
    pub(super) async fn helper_image(&self) -> Result<String, MachineHelperError> {
        let built = built();
        let name = format!("{REPOSITORY}:{}", built.tag);
        match within(QUICK, self.docker.inspect_image(&name)).await {
            Ok(found) if is_ours(&found, &built.layer) => return id_of(found).map_err(Into::into),
            // Another image has our name: ours replaces it.
            Ok(_) | Err(Error::ImageMissing(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(error.into()),
        }
        self.refuse_other_architecture().await?;
        self.import_helper(built).await?;
        let found = within(QUICK, self.docker.inspect_image(&name)).await?;
        if !is_ours(&found, &built.layer) {
            return Err(Error::Failed(format!("{name} is not what was imported")).into());
        }
        self.forget_older_helpers(&name).await;
        Ok(id_of(found)?)
    }

    async fn refuse_other_architecture(&self) -> Result<(), MachineHelperError> {
        let found = within(QUICK, self.docker.info()).await?.architecture.unwrap_or_default();
        if found == std::env::consts::ARCH { Ok(()) } else { Err(MachineHelperError::OtherArchitecture(found)) }
    }

    async fn import_helper(&self, built: &Built) -> Result<()> {
        let options = CreateImageOptions {
            from_src: Some("-".to_owned()),
            repo: Some(REPOSITORY.to_owned()),
            tag: Some(built.tag.clone()),
            ..CreateImageOptions::default()
        };
        let body = bollard::body_full(built.archive.clone());
        let steps = self.docker.create_image(Some(options), Some(body), None).try_for_each(async |_| Ok(()));
        match tokio::time::timeout(WORK, steps).await {
            Ok(done) => done.map_err(from_bollard),
            Err(_) => Err(crate::docker::error::silent(WORK)),
        }
    }

    /// An image that stays only costs a megabyte, so a failure is not reported.
    async fn forget_older_helpers(&self, name: &str) {
        let filters = HashMap::from([("reference".to_owned(), vec![REPOSITORY.to_owned()])]);
        let options = ListImagesOptions { filters: Some(filters), ..ListImagesOptions::default() };
        let Ok(images) = within(QUICK, self.docker.list_images(Some(options))).await else { return };
        for tag in images.iter().flat_map(|image| &image.repo_tags).filter(|&tag| tag != name) {
            let _ = within(QUICK, self.docker.remove_image(tag, None::<RemoveImageOptions>, None)).await;
        }
    }
}

fn id_of(image: ImageInspect) -> Result<String> {
    image.id.ok_or_else(|| Error::Failed("an image without an id".to_owned()))
}

/// Our one layer, and no setting that would change how the program runs.
fn is_ours(image: &ImageInspect, layer: &str) -> bool {
    let layers = image.root_fs.as_ref().and_then(|root| root.layers.as_deref()).unwrap_or_default();
    layers == [layer] && image.config.as_ref().is_none_or(says_nothing)
}

fn says_nothing(config: &ImageConfig) -> bool {
    let empty = |list: &Option<Vec<String>>| list.as_ref().is_none_or(Vec::is_empty);
    empty(&config.env)
        && empty(&config.entrypoint)
        && empty(&config.on_build)
        && config.volumes.as_ref().is_none_or(|volumes| volumes.is_empty())
        && config.healthcheck.is_none()
        && config.user.as_deref().is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use bollard::models::ImageInspectRootFs;

    use super::*;

    fn image(layers: &[&str], config: Option<ImageConfig>) -> ImageInspect {
        let layers = Some(layers.iter().map(|&layer| layer.to_owned()).collect());
        let root = ImageInspectRootFs { layers, ..ImageInspectRootFs::default() };
        ImageInspect { root_fs: Some(root), config, ..ImageInspect::default() }
    }

    #[test]
    fn only_our_content_is_ours() {
        let ours = built().layer.as_str();
        assert!(is_ours(&image(&[ours], None), ours));
        assert!(is_ours(&image(&[ours], Some(ImageConfig::default())), ours));
        assert!(!is_ours(&image(&[ours, ours], None), ours));
        assert!(!is_ours(&image(&[], None), ours));
        assert!(!is_ours(&image(&["sha256:00"], None), ours));
        let preset = ImageConfig { env: Some(vec!["GLIBC_TUNABLES=x".to_owned()]), ..ImageConfig::default() };
        assert!(!is_ours(&image(&[ours], Some(preset)), ours));
    }

    /// Whether one of the program headers of a 64-bit, little-endian ELF file is an interpreter's.
    fn asks_for_a_loader(elf: &[u8]) -> bool {
        const INTERPRETER: [u8; 4] = [3, 0, 0, 0];
        let start = usize::try_from(u64::from_le_bytes(elf[32..40].try_into().expect("8 bytes"))).expect("an offset");
        let number = |at: usize| usize::from(u16::from_le_bytes([elf[at], elf[at + 1]]));
        let (size, count) = (number(54), number(56));
        elf[start..].chunks(size).take(count).any(|header| header.starts_with(&INTERPRETER))
    }

    #[test]
    fn the_program_is_small_and_needs_no_other() {
        assert!(BYTES.len() < 1_500_000, "{} bytes", BYTES.len());
        assert!(BYTES.starts_with(b"\x7fELF"));
        assert!(!asks_for_a_loader(BYTES), "its image has none");
        assert_eq!(archive().expect("an archive"), archive().expect("an archive"));
    }
}
