//! What `yunlab admin doctor` asks of a portal's database and of the engines that it knows, from a process of its own.

use std::time::Duration;

use engine::Runtime;
use futures_util::{StreamExt, stream};
use http_kit::ApiResult;
use kernel::{Clock, SystemClock};

use crate::Portal;
use crate::features::clusters;
use crate::features::servers::{self, CheckOutcome, Server};

/// An engine that takes longer counts as silent.
const PATIENCE: Duration = Duration::from_secs(5);
/// Engines that are asked at one time.
const AT_ONCE: usize = 8;

/// The state of the lab.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// Whether the wall clock contradicts what the portal last believed.
    pub clock_held: bool,
    /// How far this machine's clock is ahead of the database server's, in milliseconds; `None` without such a server.
    pub ahead_of_database: Option<i64>,
    /// The servers that are switched on, by name.
    pub servers: Vec<ServerInspection>,
}

/// The state of a server.
#[derive(Clone, Debug)]
pub struct ServerInspection {
    /// Its name.
    pub name: String,
    /// How far this machine's clock is ahead of the server's, in milliseconds, or why its engine does not answer.
    pub ahead: Result<i64, String>,
    /// Titles of the checks that failed when the server was last checked; `None` if it never was.
    pub failed_checks: Option<Vec<String>>,
}

impl Portal {
    /// Asks the database and all engines. The clock is the one that the portal was opened with.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn inspect(&self) -> anyhow::Result<Inspection> {
        let ahead_of_database = self.db().time().await?.map(|time| SystemClock.now().as_millis() - time.as_millis());
        let mut servers = servers::all(self.db()).await?;
        servers.retain(|server| server.enabled);
        let asked: Vec<_> = servers.iter().map(|server| inspect(self, server)).collect();
        let found: Vec<ApiResult<ServerInspection>> = stream::iter(asked).buffered(AT_ONCE).collect().await;
        let servers = found.into_iter().collect::<ApiResult<_>>()?;
        Ok(Inspection { clock_held: self.clock().hold().is_some(), ahead_of_database, servers })
    }
}

async fn inspect(portal: &Portal, server: &Server) -> ApiResult<ServerInspection> {
    let ahead = match portal.clusters().unkept(portal, server)? {
        Ok(runtime) => ahead(runtime.as_ref()).await,
        Err(error) => Err(clusters::explain(&error).in_detail()),
    };
    let failed = server.checks.iter().filter(|check| check.outcome == CheckOutcome::Failed);
    let failed_checks = (!server.checks.is_empty()).then(|| failed.map(|check| check.title.clone()).collect());
    Ok(ServerInspection { name: server.name.clone(), ahead, failed_checks })
}

/// How far this clock is ahead of a server's, in milliseconds.
async fn ahead(runtime: &dyn Runtime) -> Result<i64, String> {
    let node = runtime.node_shell().ok_or("这台服务器不告诉时间")?;
    match tokio::time::timeout(PATIENCE, node.time()).await {
        Ok(Ok(time)) => Ok(SystemClock.now().as_millis() - time.as_millis()),
        Ok(Err(error)) => Err(clusters::explain(&error).in_detail()),
        Err(_) => Err(format!("{} 秒内没有应答", PATIENCE.as_secs())),
    }
}
