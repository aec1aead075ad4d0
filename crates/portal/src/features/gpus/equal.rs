//! Equal cards: one form for several cards that differ only by a number, such as `/dev/davinci0` to `/dev/davinci3`.

use std::collections::BTreeSet;

use http_kit::FieldProblem;
use serde::Deserialize;
use utoipa::ToSchema;

use super::model::DeviceGpuForm;

/// Placeholder for a card's number in its device nodes.
const NUMBER: &str = "{n}";
const MOST: usize = 64;
const HIGHEST: i64 = 1023;

/// Several cards of one model.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct EqualGpusForm {
    /// The server's id.
    pub(super) server: String,
    pub(super) model: String,
    /// Bytes of each; 0 if unknown.
    #[serde(default)]
    pub(super) memory_total: i64,
    /// The numbers of the cards, such as 0 to 3.
    #[schema(min_items = 1, max_items = 64)]
    pub(super) numbers: Vec<i64>,
    /// Of each card; `{n}` is its number. The first is the card itself and has one; the others may be shared.
    #[schema(min_items = 1, max_items = 32)]
    pub(super) device_nodes: Vec<String>,
}

impl EqualGpusForm {
    /// Expands the form to one form per card, in the order of the numbers, or returns the faults.
    pub(super) fn cards(&self) -> Result<Vec<DeviceGpuForm>, Vec<FieldProblem>> {
        let fault =
            |name: &str, message: &str| vec![FieldProblem { name: name.to_owned(), message: message.to_owned() }];
        let numbers: BTreeSet<i64> = self.numbers.iter().copied().collect();
        if numbers.is_empty() || numbers.len() > MOST || numbers.len() != self.numbers.len() {
            return Err(fault("numbers", "请填写 1 到 64 个不重复的编号，例如 0-3"));
        }
        if numbers.iter().any(|number| !(0..=HIGHEST).contains(number)) {
            return Err(fault("numbers", "编号应为 0 到 1023 之间的整数"));
        }
        if !self.device_nodes.first().is_some_and(|node| node.contains(NUMBER)) {
            return Err(fault("deviceNodes", "第一个设备节点要用 {n} 代表编号，例如 /dev/davinci{n}"));
        }
        let cards: Vec<DeviceGpuForm> = numbers.into_iter().map(|number| self.card(number)).collect();
        // All have the same faults, apart from the number.
        let faults = cards.first().map(|card| card.check().faults()).unwrap_or_default();
        if faults.is_empty() { Ok(cards) } else { Err(faults) }
    }

    fn card(&self, number: i64) -> DeviceGpuForm {
        let nodes = self.device_nodes.iter().map(|node| node.trim().replace(NUMBER, &number.to_string()));
        DeviceGpuForm {
            server: self.server.clone(),
            model: self.model.clone(),
            memory_total: self.memory_total,
            device_nodes: nodes.collect(),
        }
    }
}
