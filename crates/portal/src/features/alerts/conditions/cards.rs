//! Cards that are out of order, gone from their machine, or without samples from the driver.

use std::time::Duration;

use http_kit::ApiResult;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::gpus::{self, GpuKind, GpuRow};
use crate::features::servers::{Server, ServerState};

/// The probe may be restarting, and a started portal has no samples yet.
const AFTER: Duration = Duration::from_secs(120);

/// Cards of reachable servers. Cards of unreachable servers are unsure; administrators excluded the others themselves.
pub(super) async fn look(portal: &Portal, servers: &[Server]) -> ApiResult<Vec<Condition>> {
    let mut found = Vec::new();
    for card in gpus::all(portal.db()).await?.into_iter().filter(|card| !card.excluded) {
        let Some(server) = servers.iter().find(|server| server.id == card.server && server.enabled) else { continue };
        let reading = match server.state() {
            ServerState::Online => reading(portal, server, &card),
            ServerState::Unreachable | ServerState::Disabled => Some(Reading::Unsure),
        };
        found.extend(reading.map(|reading| Condition { kind: AlertKind::CardFault, object: card.id.clone(), reading }));
    }
    Ok(found)
}

fn reading(portal: &Portal, server: &Server, card: &GpuRow) -> Option<Reading> {
    let name = format!("{} 的显卡 {}", server.name, card.position);
    if !card.fault.is_empty() {
        return Some(Reading::Faulty(out_of_order(server, card, name)));
    }
    let words = if card.missing {
        format!("{name}（{}）从服务器上消失了，用它的实例可能已经出错。请检查硬件、驱动和 dmesg", card.model)
    } else if card.kind == GpuKind::Nvidia && portal.clusters().sample(&card.server, &card.uuid, portal.now()).is_none()
    {
        format!("读不到 {name}（{}）的利用率和温度，驱动可能没有响应。请在服务器上运行 nvidia-smi 查看", card.model)
    } else {
        return None;
    };
    Some(Reading::Faulty(Fault { severity: AlertSeverity::Critical, name, words, link: page_of(server), after: AFTER }))
}

/// That was decided before, not at this look.
fn out_of_order(server: &Server, card: &GpuRow, name: String) -> Fault {
    let words = format!(
        "{name}（{}）故障：{}。它不会分给新的实例，正在用它的实例没有停止。修好后在服务器页面试运行，通过就恢复使用",
        card.model, card.fault
    );
    Fault { severity: AlertSeverity::Critical, name, words, link: page_of(server), after: Duration::ZERO }
}

fn page_of(server: &Server) -> String {
    format!("/servers/server_detail/{}", server.id)
}
