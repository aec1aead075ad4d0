//! The pod helper in a cluster: an object that holds the program, and which every pod of a workload mounts. It needs no
//! registry, and no right beyond the driver's own namespace.

use std::sync::OnceLock;
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{ListParams, PostParams};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::anchor::Made;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::names::{self, FOLDER};
use crate::{Error, Result};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/pod-helper-program"));

/// The program's path in pods.
pub(super) const PROGRAM: &str = "/.yunlab/bin/pod-helper";
/// Its value of the label of parts.
const PART: &str = "tools";
/// Milliseconds for which a helper stays, so that portals of two versions may use one cluster for a while.
const KEPT_FOR: i64 = 24 * 3600 * 1000;
/// A megabyte is sent.
const SENDING: Duration = Duration::from_secs(60);

/// The object's name, by its content.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let digest: String = Sha256::digest(BYTES).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("yunlab-tools-{digest}")
    })
}

/// The volume of a pod.
pub(super) fn volume() -> Value {
    json!({"name": "tools", "configMap": {"name": name(), "defaultMode": 0o555}})
}

/// Where the pod has it.
pub(super) fn mount() -> Value {
    json!({"name": "tools", "mountPath": format!("{FOLDER}/bin"), "readOnly": true})
}

/// Options of the helper for whom programs run as, and where.
pub(super) fn identity(made: &Made) -> Vec<String> {
    let mut all = Vec::new();
    if !made.user.is_empty() {
        all.extend(["--user".to_owned(), made.user.clone()]);
    }
    if !made.folder.is_empty() {
        all.extend(["--folder".to_owned(), made.folder.clone()]);
    }
    all
}

impl Cluster {
    /// Brings the helper to the cluster if it is missing.
    pub(super) async fn ensure_tools(&self) -> Result<()> {
        let objects = self.config_maps();
        if absent(within(super::QUICK, objects.get_metadata(name())).await)?.is_some() {
            return Ok(());
        }
        let mut object = ConfigMap {
            binary_data: Some([("pod-helper".to_owned(), ByteString(BYTES.to_vec()))].into()),
            // So that kubelets need not look whether it changed.
            immutable: Some(true),
            ..ConfigMap::default()
        };
        object.metadata.name = Some(name().to_owned());
        object.metadata.labels = Some([(names::PART.to_owned(), PART.to_owned())].into());
        match within(SENDING, objects.create(&PostParams::default(), &object)).await {
            // Another portal was faster.
            Ok(_) | Err(Error::Conflict(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes helpers of other versions that no pod has mounted, except those that a portal may be about to use.
    pub(super) async fn sweep_tools(&self) -> Result<()> {
        let objects = self.config_maps();
        let ours = ListParams::default().labels(&format!("{}={PART}", names::PART));
        let found = within(super::QUICK, objects.list_metadata(&ours)).await?;
        let now = self.site.now().as_millis();
        let is_old = |meta: &ObjectMeta| {
            let made = meta.creation_timestamp.as_ref().map(|time| time.0.as_millisecond());
            made.is_some_and(|made| now - made > KEPT_FOR)
        };
        let others = found.items.into_iter().map(|one| one.metadata).filter(is_old);
        let others: Vec<String> = others.filter_map(|meta| meta.name).filter(|one| one != name()).collect();
        if others.is_empty() {
            return Ok(());
        }
        let pods = within(super::QUICK, self.pods().list(&ListParams::default().labels(names::INSTANCE))).await?;
        let mounted = |object: &String| {
            let volumes =
                pods.items.iter().flat_map(|pod| pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten()));
            volumes.filter_map(|volume| volume.config_map.as_ref()).any(|map| map.name == *object)
        };
        for object in others.iter().filter(|object| !mounted(object)) {
            absent(within(super::QUICK, objects.delete(object, &Default::default())).await)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_helper_fits_into_an_object_and_needs_no_other_program() {
        // The API server takes 1 MiB of data.
        assert!(BYTES.len() < 1 << 20, "{} bytes", BYTES.len());
        assert!(BYTES.starts_with(b"\x7fELF"));
        assert!(PROGRAM.starts_with(FOLDER));
    }
}
