//! Repeated refused sign-in attempts, counted over all addresses and accounts.

use std::time::Duration;

use http_kit::ApiResult;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::logs::{self, RefusedLogins};

const WINDOW: Duration = Duration::from_secs(600);
/// A class that types its passwords for the first time stays below.
const WARNING: i64 = 60;
const CRITICAL: i64 = 600;
/// Below this, it is over.
const FINE: i64 = 20;

pub(super) async fn look(portal: &Portal) -> ApiResult<Option<Condition>> {
    let refused = logs::refused_logins(portal, portal.now().minus(WINDOW)).await?;
    Ok(reading(&refused).map(|reading| Condition {
        kind: AlertKind::LoginAttack,
        object: "sign-in".to_owned(),
        reading,
    }))
}

fn reading(refused: &RefusedLogins) -> Option<Reading> {
    if refused.total < FINE {
        return None;
    }
    if refused.total < WARNING {
        return Some(Reading::Unsure);
    }
    Some(Reading::Faulty(Fault {
        severity: if refused.total >= CRITICAL { AlertSeverity::Critical } else { AlertSeverity::Warning },
        name: "登录页".to_owned(),
        words: format!(
            "10 分钟内有 {} 次登录被拒绝。来自 {} 的最多（{} 次），试得最多的账号是 {}（{} 次）",
            refused.total, refused.address.0, refused.address.1, refused.username.0, refused.username.1
        ),
        link: "/logs/login_log".to_owned(),
        after: Duration::ZERO,
    }))
}
