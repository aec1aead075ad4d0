//! Servers whose engine does not answer; pure.

use std::time::Duration;

use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::clusters;
use crate::features::servers::{Server, ServerState};

/// A restart of an engine is no alert.
const AFTER: Duration = Duration::from_secs(60);

/// A server that never answered is no alert: the administrator who adds it sees that.
pub(super) fn look(servers: &[Server]) -> Vec<Condition> {
    let lost = |server: &&Server| server.state() == ServerState::Unreachable && server.last_seen.is_some();
    servers.iter().filter(lost).map(condition).collect()
}

fn condition(server: &Server) -> Condition {
    let words = if server.cluster.misdirected.is_empty() {
        format!(
            "服务器 {} 的容器引擎没有应答，上面的实例可能仍在运行，但看不到也管不了。{}",
            server.name,
            clusters::SILENCE_ADVICE
        )
    } else {
        server.cluster.misdirected.clone()
    };
    let fault = Fault {
        severity: AlertSeverity::Critical,
        name: server.name.clone(),
        words,
        link: format!("/servers/server_detail/{}", server.id),
        after: AFTER,
    };
    Condition { kind: AlertKind::ServerLost, object: server.id.clone(), reading: Reading::Faulty(fault) }
}
