//! The anchor: a ConfigMap that stands for a workload as long as it exists, whether it runs or not. All else of it, pod,
//! claims and kept root, is owned by its anchor. Its finalizer keeps it, and so the root, when someone deletes it past the
//! portal.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::Timestamp;
use kube::api::{Patch, PatchParams};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::within;
use super::{Cluster, QUICK, names};
use crate::{End, EndCause, Error, Exit, Result, Workload, WorkloadId};

/// An anchor as it was seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Anchor {
    pub(super) id: WorkloadId,
    pub(super) generation: u64,
    pub(super) tenant: String,
    /// The name of all objects of the workload.
    pub(super) base: String,
    pub(super) uid: String,
    pub(super) made: Made,
    /// The cards that a node picked for its pod, where they are only counted.
    pub(super) picked: Option<Picked>,
    /// How its program last ended.
    pub(super) end: Option<End>,
}

/// The cards that a node picked for a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Picked {
    /// The pod's id.
    pub(super) pod: String,
    /// The ids of the cards.
    pub(super) cards: Vec<String>,
}

/// What the workload was made as in its generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    /// The name of its image.
    pub(super) image: String,
    /// Whether its root outlives its pods.
    pub(super) kept: bool,
    /// The user that programs run as without another; empty is root.
    #[serde(default)]
    pub(super) user: String,
    /// Where they start.
    #[serde(default)]
    pub(super) folder: String,
    /// Whether programs gain no rights.
    #[serde(default)]
    pub(super) closed: bool,
    /// The ids of the cards that it was made for, as far as they were named.
    #[serde(default)]
    pub(super) cards: Vec<String>,
    /// The model of its cards, where the cluster only counts them.
    #[serde(default)]
    pub(super) counted_model: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Ended {
    code: i64,
    out_of_memory: bool,
    error: String,
    finished: Option<i64>,
    restart: bool,
}

/// Write what only [`Cluster::note_end`] and [`Cluster::note_picked`] write, so that making the workload again leaves it.
const END_MANAGER: &str = "yunlab-end";
const PICKED_MANAGER: &str = "yunlab-picked";

impl Anchor {
    /// `None` for an object that is no anchor.
    pub(super) fn of(object: &ConfigMap) -> Option<Self> {
        let meta = &object.metadata;
        let labels = meta.labels.as_ref()?;
        let data = object.data.as_ref()?;
        Some(Self {
            id: labels.get(names::INSTANCE)?.parse().ok()?,
            generation: labels.get(names::GENERATION)?.parse().ok()?,
            tenant: labels.get(names::TENANT).cloned().unwrap_or_default(),
            base: meta.name.clone()?,
            uid: meta.uid.clone()?,
            made: serde_json::from_str(data.get("made")?).ok()?,
            picked: data.get("picked").and_then(|text| serde_json::from_str(text).ok()),
            end: data.get("end").and_then(|text| serde_json::from_str(text).ok()).map(from_record),
        })
    }

    /// The cluster's id of what this generation of the workload was made as.
    pub(super) fn object(&self) -> String {
        format!("{}-{}", self.uid, self.generation)
    }

    /// Whether an object is one of the workload's.
    pub(super) fn owns(&self, object: &ObjectMeta) -> bool {
        object.owner_references.iter().flatten().any(|owner| owner.uid == self.uid)
    }

    /// Has an object go when the anchor goes.
    pub(super) fn as_owner(&self) -> Value {
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": self.base, "uid": self.uid}])
    }
}

fn from_record(ended: Ended) -> End {
    let exit = Exit {
        code: ended.code,
        out_of_memory: ended.out_of_memory,
        error: ended.error,
        finished: ended.finished.map(Timestamp::from_millis),
    };
    End { exit, cause: if ended.restart { EndCause::Restart } else { EndCause::Own } }
}

fn to_record(end: &End) -> Ended {
    Ended {
        code: end.exit.code,
        out_of_memory: end.exit.out_of_memory,
        error: end.exit.error.clone(),
        finished: end.exit.finished.map(Timestamp::as_millis),
        restart: end.cause == EndCause::Restart,
    }
}

impl Cluster {
    /// The anchor of a workload, as it is now.
    ///
    /// # Errors
    /// `NotFound`.
    pub(super) async fn anchor(&self, id: &WorkloadId) -> Result<Anchor> {
        let found = self.find_anchor(id).await?;
        found.ok_or_else(|| Error::NotFound(format!("no workload {id}")))
    }

    pub(super) async fn find_anchor(&self, id: &WorkloadId) -> Result<Option<Anchor>> {
        let selected = kube::api::ListParams::default().labels(&names::selector(id));
        let found = within(QUICK, self.config_maps().list(&selected)).await?;
        Ok(found.items.iter().find_map(Anchor::of))
    }

    /// Writes an anchor under this name.
    ///
    /// # Errors
    /// When the API server refuses.
    pub(super) async fn write_anchor(&self, workload: &Workload, base: &str, made: &Made) -> Result<Anchor> {
        let made = serde_json::to_string(made).map_err(|error| Error::Failed(error.to_string()))?;
        let anchor = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": base,
                "labels": {
                    names::INSTANCE: workload.id.as_str(),
                    names::GENERATION: workload.generation.to_string(),
                    names::TENANT: workload.tenant.as_str(),
                },
                "finalizers": [names::FINALIZER],
            },
            "data": {"made": made},
        });
        let written = within(QUICK, self.config_maps().patch(base, &self.ours(), &Patch::Apply(&anchor))).await?;
        self.saw_anchor(&written);
        Anchor::of(&written).ok_or_else(|| Error::Failed("an anchor is not what was written".to_owned()))
    }

    /// Writes down how the workload's program ended, before its pod goes.
    pub(super) async fn note_end(&self, anchor: &Anchor, end: &End) -> Result<()> {
        self.note(anchor, "end", &to_record(end), END_MANAGER).await
    }

    /// Writes down which cards a node picked.
    pub(super) async fn note_picked(&self, anchor: &Anchor, picked: &Picked) -> Result<()> {
        self.note(anchor, "picked", picked, PICKED_MANAGER).await
    }

    async fn note<T: Serialize + Sync>(&self, anchor: &Anchor, key: &str, value: &T, manager: &str) -> Result<()> {
        let text = serde_json::to_string(value).map_err(|error| Error::Failed(error.to_string()))?;
        let note = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": anchor.base, "uid": anchor.uid},
            "data": {key: text},
        });
        let params = PatchParams::apply(manager).force();
        let written = within(QUICK, self.config_maps().patch(&anchor.base, &params, &Patch::Apply(&note))).await?;
        self.saw_anchor(&written);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let made = Made { image: "lab:1".to_owned(), kept: true, ..Made::default() };
        let exit =
            Exit { code: 137, out_of_memory: true, error: String::new(), finished: Some(Timestamp::from_millis(7)) };
        let end = End { exit, cause: EndCause::Restart };
        let object: ConfigMap = serde_json::from_value(json!({
            "metadata": {"name": "i", "uid": "u", "labels": {
                "yunlab.instance": "1", "yunlab.generation": "3", "yunlab.tenant": "7"}},
            "data": {
                "made": serde_json::to_string(&made).unwrap(),
                "end": serde_json::to_string(&to_record(&end)).unwrap(),
            },
        }))
        .unwrap();
        let anchor = Anchor::of(&object).unwrap();
        assert_eq!((anchor.object().as_str(), anchor.made, anchor.end), ("u-3", made, Some(end)));
        assert!(Anchor::of(&ConfigMap::default()).is_none());
    }
}
