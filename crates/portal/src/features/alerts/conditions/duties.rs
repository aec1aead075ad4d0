//! Background duties that fail again and again.

use std::time::Duration;

use http_kit::ApiResult;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::duties::{self, DutyHealth, FailedDuty};
use crate::features::servers::Server;

/// A frequent duty may fail for a moment.
const SHORTEST: Duration = Duration::from_secs(60);
/// A daily duty has failed once by then.
const LONGEST: Duration = Duration::from_secs(3600);

pub(super) async fn look(portal: &Portal, servers: &[Server]) -> ApiResult<Vec<Condition>> {
    let conditions = duties::failed(portal).await?.into_iter().map(|failed| {
        let reading = match &failed.health {
            // Only an earlier process ran it.
            DutyHealth::Unknown => Reading::Unsure,
            DutyHealth::Failing(error) => Reading::Faulty(fault(&failed, error, servers)),
        };
        Condition { kind: AlertKind::DutyFailing, object: object(&failed), reading }
    });
    Ok(conditions.collect())
}

/// A leader's duty is the same object on every portal.
fn object(failed: &FailedDuty) -> String {
    let place = if failed.leader_only { "" } else { failed.portal.as_str() };
    format!("{}/{}/{place}", failed.name, failed.subject)
}

fn fault(failed: &FailedDuty, error: &str, servers: &[Server]) -> Fault {
    let server = servers.iter().find(|server| server.id == failed.subject).map(|server| server.name.as_str());
    let mut name = failed.title.to_owned();
    if let Some(server) = server {
        name = format!("{name}，服务器 {server}");
    } else if !failed.leader_only {
        name = format!("{name}，主机 {}", failed.host);
    }
    Fault {
        severity: AlertSeverity::Warning,
        words: format!("后台任务“{}”连续失败，最近一次的错误：{error}", failed.title),
        name,
        link: "/settings/duties".to_owned(),
        after: (failed.period * 2).clamp(SHORTEST, LONGEST),
    }
}
