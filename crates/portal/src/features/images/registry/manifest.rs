//! Wire formats of registries: manifests of Docker and OCI, lists of them, and configurations.

use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::error::RegistryError;

pub(super) const LIST: [&str; 2] =
    ["application/vnd.docker.distribution.manifest.list.v2+json", "application/vnd.oci.image.index.v1+json"];
pub(super) const SINGLE: [&str; 2] =
    ["application/vnd.docker.distribution.manifest.v2+json", "application/vnd.oci.image.manifest.v1+json"];
/// Maximum number of layers, steps and platforms of one image: Docker allows 127 layers.
const MOST: usize = 1000;

/// A reference to other content in the registry.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) digest: String,
    #[serde(default)]
    pub(super) size: u64,
    pub(super) platform: Option<RawPlatform>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct RawPlatform {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    os: String,
    #[serde(default)]
    variant: String,
}

/// An index: one manifest per platform.
#[derive(Deserialize)]
pub(super) struct List {
    pub(super) manifests: Vec<Descriptor>,
}

/// The manifest of one platform's image.
#[derive(Deserialize)]
pub(super) struct Manifest {
    pub(super) config: Descriptor,
    pub(super) layers: Vec<Descriptor>,
}

/// The image's configuration.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Configuration {
    architecture: String,
    os: String,
    created: Option<String>,
    config: Option<Run>,
    history: Option<Vec<RawStep>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Run {
    env: Option<Vec<String>>,
    entrypoint: Option<Vec<String>>,
    cmd: Option<Vec<String>>,
    exposed_ports: Option<std::collections::BTreeMap<String, serde_json::Value>>,
    working_dir: Option<String>,
    user: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RawStep {
    created: Option<String>,
    created_by: String,
    comment: String,
    empty_layer: bool,
}

/// A platform that an image was made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Platform {
    /// As in `amd64`.
    pub(crate) architecture: String,
    /// As in `linux`.
    pub(crate) os: String,
    /// As in `v8`; mostly empty.
    pub(crate) variant: String,
    pub(crate) digest: String,
}

/// A layer of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct ImageLayer {
    pub(crate) digest: String,
    /// Bytes as they are transferred; unknown for layers that only an engine has.
    pub(crate) size: Option<u64>,
}

/// A step of an image's making.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryStep {
    pub(crate) created: Option<Timestamp>,
    /// The instruction.
    pub(crate) created_by: String,
    pub(crate) comment: String,
    /// Bytes that it added; unknown in a registry.
    pub(crate) size: Option<u64>,
    /// It only set something.
    pub(crate) empty: bool,
}

/// All that is known of an image: of the lists, the lowest and oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Described {
    /// As in `amd64`.
    pub(crate) architecture: String,
    /// As in `linux`.
    pub(crate) os: String,
    pub(crate) created: Option<Timestamp>,
    /// Bytes of all layers.
    pub(crate) size: u64,
    pub(crate) layers: Vec<ImageLayer>,
    pub(crate) history: Vec<HistoryStep>,
    /// `NAME=value`.
    pub(crate) env: Vec<String>,
    pub(crate) entrypoint: Vec<String>,
    pub(crate) cmd: Vec<String>,
    /// As in `22/tcp`.
    pub(crate) exposed_ports: Vec<String>,
    pub(crate) working_dir: String,
    /// Who its program runs as; empty is root.
    pub(crate) user: String,
}

impl Described {
    /// Approximate size in bytes.
    pub(in super::super) fn weight(&self) -> u32 {
        let steps = self.history.iter().flat_map(|step| [&step.created_by, &step.comment]);
        let words = [&self.env, &self.entrypoint, &self.cmd, &self.exposed_ports].into_iter().flatten();
        weight(steps.chain(words).chain(self.layers.iter().map(|layer| &layer.digest)))
    }
}

/// About how many bytes these texts take.
pub(in super::super) fn weight<'a>(texts: impl Iterator<Item = &'a String>) -> u32 {
    const EACH: usize = 48;
    u32::try_from(texts.map(|text| text.len() + EACH).sum::<usize>()).unwrap_or(u32::MAX)
}

impl List {
    /// Chooses the manifest to show, and lists all platforms; attestations of builders are no platforms.
    pub(super) fn choose(self) -> Result<(Descriptor, Vec<Platform>), RegistryError> {
        let named = |descriptor: &Descriptor| {
            descriptor.platform.as_ref().is_some_and(|platform| !matches!(platform.os.as_str(), "unknown" | ""))
        };
        let images: Vec<Descriptor> = self.manifests.into_iter().filter(named).take(MOST).collect();
        let is = |descriptor: &&Descriptor, architecture: &str| {
            let platform = descriptor.platform.as_ref();
            platform.is_some_and(|platform| platform.os == "linux" && platform.architecture == architecture)
        };
        let chosen = images.iter().find(|image| is(image, "amd64")).or_else(|| images.first());
        let chosen = chosen.ok_or_else(|| RegistryError::strange("清单里没有镜像"))?.clone();
        let platforms = images.into_iter().filter_map(|image| {
            let platform = image.platform?;
            let RawPlatform { architecture, os, variant } = platform;
            Some(Platform { architecture, os, variant, digest: image.digest })
        });
        Ok((chosen, platforms.collect()))
    }
}

/// Combines manifest and configuration.
pub(super) fn described(manifest: Manifest, configuration: Configuration) -> Described {
    let run = configuration.config.unwrap_or_default();
    let step = |step: RawStep| HistoryStep {
        created: step.created.as_deref().and_then(moment),
        created_by: step.created_by,
        comment: step.comment,
        size: None,
        empty: step.empty_layer,
    };
    let layers = manifest.layers.into_iter().take(MOST);
    let layers: Vec<ImageLayer> =
        layers.map(|layer| ImageLayer { digest: layer.digest, size: Some(layer.size) }).collect();
    Described {
        architecture: configuration.architecture,
        os: configuration.os,
        created: configuration.created.as_deref().and_then(moment),
        size: layers.iter().filter_map(|layer| layer.size).fold(0, u64::saturating_add),
        layers,
        history: configuration.history.unwrap_or_default().into_iter().take(MOST).map(step).collect(),
        env: run.env.unwrap_or_default(),
        entrypoint: run.entrypoint.unwrap_or_default(),
        cmd: run.cmd.unwrap_or_default(),
        exposed_ports: run.exposed_ports.unwrap_or_default().into_keys().collect(),
        working_dir: run.working_dir.unwrap_or_default(),
        user: run.user.unwrap_or_default(),
    }
}

/// Parses a time. Reproducible builds use the year 0 or 1970, which counts as none.
fn moment(text: &str) -> Option<Timestamp> {
    text.parse::<Timestamp>().ok().filter(|moment| moment.as_millis() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_shows_linux_on_amd64_and_no_attestations() {
        let list: List = serde_json::from_str(
            r#"{"manifests":[
                {"digest":"sha256:1","platform":{"architecture":"arm64","os":"linux","variant":"v8"}},
                {"digest":"sha256:2","platform":{"architecture":"amd64","os":"linux"}},
                {"digest":"sha256:3","platform":{"architecture":"unknown","os":"unknown"}}]}"#,
        )
        .unwrap();
        let (chosen, platforms) = list.choose().unwrap();
        assert_eq!(chosen.digest, "sha256:2");
        assert_eq!(platforms.iter().map(|one| one.architecture.as_str()).collect::<Vec<_>>(), ["arm64", "amd64"]);
        let empty: List = serde_json::from_str(r#"{"manifests":[]}"#).unwrap();
        assert!(empty.choose().is_err());
    }

    #[test]
    fn a_configuration_may_leave_anything_out() {
        let manifest = r#"{"config":{"digest":"sha256:c"},"layers":[{"digest":"sha256:a","size":5},{"digest":"sha256:b","size":6}]}"#;
        let configuration = r#"{"architecture":"amd64","created":"0001-01-01T00:00:00Z","config":{"Env":null,"Cmd":["sh"],
            "ExposedPorts":{"22/tcp":{}}},"history":null}"#;
        let known = described(serde_json::from_str(manifest).unwrap(), serde_json::from_str(configuration).unwrap());
        assert_eq!((known.size, known.created, known.cmd), (11, None, vec!["sh".to_owned()]));
        assert_eq!(known.exposed_ports, ["22/tcp"]);
    }
}
