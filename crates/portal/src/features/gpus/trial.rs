//! A test run of a card that was faulty: everything is read from it several times on its machine, and every reading
//! must be free of faults.

use engine::{DeviceNode, Error, NodeShell, XidLine, pci_place, probe};

use super::diagnosis::{self, CardLook};
use super::model::{GpuKind, GpuRow};

const READINGS: usize = 3;

/// `Ok` when the card passed, `Err` with the reason when it failed.
pub(super) type Outcome = Result<String, String>;

/// Runs the test.
///
/// # Errors
/// The engine's errors, when nothing could be read from the card.
pub(super) async fn run(node: &dyn NodeShell, card: &GpuRow) -> engine::Result<Outcome> {
    let outcome = match card.kind {
        GpuKind::Nvidia => nvidia(node, card).await,
        GpuKind::Device => nodes(node, card).await,
    };
    // The text is kept in the operate log, and a driver may return anything.
    Ok(outcome?.map_err(|words| diagnosis::line(&words)))
}

async fn nvidia(node: &dyn NodeShell, card: &GpuRow) -> engine::Result<Outcome> {
    let before = xids(node, card).await?;
    let mut place = card.pci.clone();
    let mut temperature = None;
    for number in 1..=READINGS {
        let reading = match probe::read_gpu(node, &card.uuid).await {
            Ok(reading) => reading,
            Err(Error::Failed(words)) => return Ok(Err(format!("第 {number} 次读取失败：{words}"))),
            Err(error) => return Err(error),
        };
        match diagnosis::look_at(&reading) {
            CardLook::Fine => {}
            CardLook::Faulty(finding) => return Ok(Err(finding.detail)),
            CardLook::Unreadable(why) => return Ok(Err(format!("第 {number} 次读取失败：{why}"))),
        }
        temperature = reading.temperature;
        place = pci_place(&reading.pci).unwrap_or(place);
    }
    let remaps = probe::row_remaps(node).await?;
    let remap = remaps.iter().find(|remap| remap.uuid == card.uuid);
    if let Some(finding) = remap.and_then(diagnosis::of_remap) {
        return Ok(Err(finding.detail));
    }
    // A card in another slot is known by its new address from the next measurement on.
    let after = xids(node, &GpuRow { pci: place, ..card.clone() }).await?;
    if let Some(finding) = new_fault(&before, &after) {
        return Ok(Err(format!("试运行期间内核日志报告 {finding}")));
    }
    let warmth = temperature.map(|degrees| format!("，{degrees} °C")).unwrap_or_default();
    Ok(Ok(format!("连续读取 {READINGS} 次都正常{warmth}")))
}

/// The card's Xids in the kernel log; empty when the log cannot be read.
async fn xids(node: &dyn NodeShell, card: &GpuRow) -> engine::Result<Vec<XidLine>> {
    let log = match probe::kernel_xids(node).await {
        Ok(log) => log.lines.unwrap_or_default(),
        Err(Error::Failed(_)) => Vec::new(),
        Err(error) => return Err(error),
    };
    Ok(log.into_iter().filter(|line| !card.pci.is_empty() && line.pci == card.pci).collect())
}

fn new_fault(before: &[XidLine], after: &[XidLine]) -> Option<String> {
    let mut new = after.iter().filter(|line| !before.contains(line));
    new.find_map(|line| diagnosis::of_xid(i64::from(line.code), &line.words)).map(|finding| finding.detail)
}

/// A card that is declared by its nodes has nothing else to read.
async fn nodes(node: &dyn NodeShell, card: &GpuRow) -> engine::Result<Outcome> {
    let nodes: Vec<DeviceNode> = card.device_nodes.iter().filter_map(|node| node.parse().ok()).collect();
    let missing = probe::missing_device_nodes(node, &nodes).await?;
    if missing.is_empty() {
        return Ok(Ok("设备节点都在".to_owned()));
    }
    let names: Vec<&str> = missing.iter().map(|node| node.as_str()).collect();
    Ok(Err(format!("缺少设备节点 {}", names.join("、"))))
}
