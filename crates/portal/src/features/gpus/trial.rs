//! A test run of a card that was out of order: it is read several times on its machine, everything that it knows each
//! time, and nothing may be wrong with it any more.

use engine::{DeviceNode, Engine, Error, XidLine, pci_place};

use super::diagnosis::{self, CardLook};
use super::model::{GpuKind, GpuRow};

const READINGS: usize = 3;

/// What was found: `Ok` when the card passed, `Err` when it did not.
pub(super) type Outcome = Result<String, String>;

/// Runs it.
///
/// # Errors
/// Those of the engine, when nothing is known of the card.
pub(super) async fn run(engine: &dyn Engine, card: &GpuRow) -> engine::Result<Outcome> {
    let outcome = match card.kind {
        GpuKind::Nvidia => nvidia(engine, card).await,
        GpuKind::Device => nodes(engine, card).await,
    };
    // They are kept in the log, and a driver may say anything.
    Ok(outcome?.map_err(|words| diagnosis::line(&words)))
}

async fn nvidia(engine: &dyn Engine, card: &GpuRow) -> engine::Result<Outcome> {
    let before = xids(engine, card).await?;
    let mut place = card.pci.clone();
    let mut temperature = None;
    for number in 1..=READINGS {
        let reading = match engine::read_gpu(engine, &card.uuid).await {
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
    let remaps = engine::row_remaps(engine).await?;
    let remap = remaps.iter().find(|remap| remap.uuid == card.uuid);
    if let Some(finding) = remap.and_then(diagnosis::of_remap) {
        return Ok(Err(finding.detail));
    }
    // One that was put elsewhere is known by its new place from the next measurement on.
    let after = xids(engine, &GpuRow { pci: place, ..card.clone() }).await?;
    if let Some(finding) = new_fault(&before, &after) {
        return Ok(Err(format!("试运行期间内核日志报告 {finding}")));
    }
    let warmth = temperature.map(|degrees| format!("，{degrees} °C")).unwrap_or_default();
    Ok(Ok(format!("连续读取 {READINGS} 次都正常{warmth}")))
}

/// What the log has of the card; nothing where the log can't be read.
async fn xids(engine: &dyn Engine, card: &GpuRow) -> engine::Result<Vec<XidLine>> {
    let log = match engine::kernel_xids(engine).await {
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

/// Of a card that is declared by its nodes nothing else can be asked.
async fn nodes(engine: &dyn Engine, card: &GpuRow) -> engine::Result<Outcome> {
    let nodes: Vec<DeviceNode> = card.device_nodes.iter().filter_map(|node| node.parse().ok()).collect();
    let missing = engine::missing_device_nodes(engine, &nodes).await?;
    if missing.is_empty() {
        return Ok(Ok("设备节点都在".to_owned()));
    }
    let names: Vec<&str> = missing.iter().map(|node| node.as_str()).collect();
    Ok(Err(format!("缺少设备节点 {}", names.join("、"))))
}
