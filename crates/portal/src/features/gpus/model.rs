//! Cards: their row, and their representation in the API.

use db_kit::Record;
use engine::DeviceNode;
use http_kit::{ApiError, ApiResult, ListFilter, ListParams};
use kernel::{Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::model_outages::OpenOutage;
use crate::check::Check;

/// How a card is found and handed to a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GpuKind {
    /// Found by `nvidia-smi`, handed over by UUID.
    Nvidia,
    /// Declared by its device nodes, which are passed to the container.
    Device,
}

/// Whether a card can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GpuState {
    Free,
    /// Leased to an instance, or in use by a container that is not ours.
    Allocated,
    /// Out of order, leased or not.
    Faulty,
    /// The engine's machine no longer shows it.
    Missing,
    /// Kept out of use by an administrator.
    Excluded,
}

/// A card's row.
#[derive(Clone, Debug, Record)]
#[record(table = "gpus")]
pub(crate) struct GpuRow {
    pub(crate) id: String,
    #[record(column = "server_id")]
    pub(crate) server: String,
    pub(crate) uuid: String,
    /// Its number on the machine; shown, and never used to name it.
    pub(crate) position: i64,
    #[record(word)]
    pub(crate) kind: GpuKind,
    pub(crate) model: String,
    /// Bytes; 0 if unknown.
    pub(crate) memory_total: i64,
    #[record(json)]
    pub(crate) device_nodes: Vec<String>,
    pub(crate) excluded: bool,
    /// Its fault; empty: none.
    pub(crate) fault: String,
    pub(crate) missing: bool,
    /// The foreign container that uses it.
    pub(crate) external: String,
    /// Where it sits on its machine, as the kernel's log names it; empty if unknown.
    pub(crate) pci: String,
}

impl GpuRow {
    /// Whether a card with these nodes would be the same card: the first node is the card itself, so it must not appear
    /// in the other's list. The other nodes may be shared, such as a driver's own node.
    pub(super) fn is_also(&self, nodes: &[String]) -> bool {
        let has = |all: &[String], one: Option<&String>| one.is_some_and(|one| all.contains(one));
        has(nodes, self.device_nodes.first()) || has(&self.device_nodes, nodes.first())
    }
}

impl GpuRow {
    pub(crate) fn state(&self, leased: bool) -> GpuState {
        if !self.fault.is_empty() {
            GpuState::Faulty
        } else if leased || !self.external.is_empty() {
            GpuState::Allocated
        } else if self.missing {
            GpuState::Missing
        } else if self.excluded {
            GpuState::Excluded
        } else {
            GpuState::Free
        }
    }
}

/// A card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gpu {
    pub(crate) id: String,
    /// The server's id.
    pub(crate) server: String,
    pub(crate) uuid: String,
    /// Its number on the machine; shown, and never used to name it.
    pub(crate) index: i64,
    pub(crate) kind: GpuKind,
    pub(crate) model: String,
    /// Bytes; 0 if unknown.
    pub(crate) memory_total: i64,
    pub(crate) state: GpuState,
    /// Whether the asking person's allocations cover it.
    pub(crate) allowed: bool,
    /// Whether an administrator keeps it out of use, whatever else it is.
    pub(crate) excluded: bool,
    /// Its fault; empty: none.
    pub(crate) fault: String,
    /// Why it is out of order, and since when; null: it is not, or was before such was written down.
    pub(crate) outage: Option<OpenOutage>,
    /// Who holds it.
    pub(crate) lease: Option<GpuHolder>,
    /// The foreign container that has it; empty: none.
    pub(crate) external: String,
    /// Absent without a fresh one.
    pub(crate) sample: Option<GpuSample>,
    /// What computes on it now.
    pub(crate) processes: Vec<GpuUser>,
    /// For administrators only.
    pub(crate) device_nodes: Option<Vec<String>>,
}

/// Who holds a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct GpuHolder {
    /// The instance's name.
    pub(crate) instance: String,
    pub(crate) username: String,
    /// Held by the asking person.
    pub(crate) mine: bool,
    pub(crate) since: Timestamp,
}

/// A process that computes on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct GpuUser {
    /// On the server.
    pub(crate) pid: u32,
    pub(crate) name: String,
    /// Bytes of the card's memory; absent where the driver does not tell.
    pub(crate) memory: Option<i64>,
    /// The instance that it runs in; empty: in none of ours.
    pub(crate) instance: String,
    /// The owner's username; empty: not a user of ours.
    pub(crate) username: String,
}

/// How busy a card was. What it does not tell is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Record, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GpuSample {
    pub(crate) time: Timestamp,
    /// Percent.
    pub(crate) utilization: Option<i64>,
    /// Bytes.
    pub(crate) memory_used: Option<i64>,
    /// °C.
    pub(crate) temperature: Option<i64>,
    /// Watts.
    pub(crate) power: Option<i64>,
}

/// Filters of the card list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct GpuFilter {
    /// Of this server.
    pub(crate) server: Option<String>,
    #[param(inline)]
    pub(crate) state: Option<GpuState>,
}

impl ListFilter for GpuFilter {}

/// The query of the list.
pub(crate) type GpuQuery = ListParams<GpuFilter>;

/// A card that is declared by its device nodes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct DeviceGpuForm {
    /// The server's id.
    pub(super) server: String,
    pub(super) model: String,
    /// Bytes; 0 if unknown.
    #[serde(default)]
    pub(super) memory_total: i64,
    /// Such as `/dev/davinci0`.
    #[schema(min_items = 1, max_items = 32)]
    pub(super) device_nodes: Vec<String>,
}

/// What administrators change of a card; left-out fields stay.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GpuChange {
    /// Keeps it out of use.
    pub(super) excluded: Option<bool>,
    /// Its fault; empty: none.
    pub(super) fault: Option<String>,
}

impl DeviceGpuForm {
    /// Returns the next card of a server with these device nodes.
    ///
    /// # Errors
    /// 422 when one of them is this card already.
    pub(super) fn card(self, known: &[GpuRow]) -> ApiResult<GpuRow> {
        if known.iter().any(|card| card.is_also(&self.device_nodes)) {
            return Err(ApiError::field("deviceNodes", "其中有设备节点已登记为另一张显卡"));
        }
        let id = uuid::Uuid::now_v7().to_string();
        Ok(GpuRow {
            uuid: format!("dev-{id}"),
            id,
            server: self.server,
            position: known.iter().map(|card| card.position + 1).max().unwrap_or_default(),
            kind: GpuKind::Device,
            model: self.model.trim().to_owned(),
            memory_total: self.memory_total,
            device_nodes: self.device_nodes,
            excluded: false,
            fault: String::new(),
            missing: false,
            external: String::new(),
            pci: String::new(),
        })
    }

    pub(super) fn check(&self) -> Check {
        let mut check = Check::default();
        let nodes = &self.device_nodes;
        check
            .that(!self.model.trim().is_empty() && rules::is_line(&self.model, 60), "model", "型号为 1 到 60 个字")
            .within(self.memory_total, 0, 1 << 50, "memoryTotal")
            .that((1..=32).contains(&nodes.len()), "deviceNodes", "请填写 1 到 32 个设备节点")
            .that(
                nodes.iter().all(|node| node.parse::<DeviceNode>().is_ok() || DeviceNode::is_no_card(node)),
                "deviceNodes",
                "设备节点应为 /dev/ 下的路径，例如 /dev/davinci0",
            );
        for node in nodes.iter().filter(|node| DeviceNode::is_no_card(node)) {
            check.that(false, "deviceNodes", &format!("{node} 是系统自己的设备（如磁盘、终端），不是显卡"));
        }
        check
    }
}

/// The lab's cards over time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabHistory {
    /// Seconds that each point stands for.
    pub(super) span: i64,
    /// Oldest first. What is missing was not measured.
    pub(super) items: Vec<LabPoint>,
}

/// Averages over a point's time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LabPoint {
    pub(super) time: Timestamp,
    /// Cards that were in use or could have been.
    pub(super) cards: f64,
    /// Those in use, also by containers that are not ours.
    pub(super) used: f64,
    /// Percent, over the cards that tell it; absent when none does.
    pub(super) utilization: Option<f64>,
}
