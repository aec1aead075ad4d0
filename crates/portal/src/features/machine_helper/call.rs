//! Calls of the machine helper, with their log entries.

use std::net::IpAddr;

use engine::MachineHelperError;
use engine::machine_helper::{Answer, Request};
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::words;
use crate::Portal;
use crate::features::logs::{self, Operation};
use crate::features::servers::Server;

const ACTION: &str = "server.machine_helper";

/// The caller of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Caller<'a> {
    /// An administrator's own request, from this address.
    Administrator { actor: &'a Actor, address: IpAddr },
    /// A duty of the portal's own, by its name in Chinese.
    Duty(&'static str),
}

/// Runs one request on a server's machine.
///
/// # Errors
/// 409 when the configuration or the server's settings forbid it (`machine_helper_forbidden`), the engine refuses the
/// helper or the machine refuses the request; 503 when the server does not answer.
pub(crate) async fn call(portal: &Portal, server: &Server, caller: Caller<'_>, request: &Request) -> ApiResult<Answer> {
    let answer = ask(portal, server, request).await;
    record(portal, server, caller, request, answer.as_ref().err()).await?;
    answer
}

/// Why the machine helper may not be used there, if it may not.
pub(crate) fn forbidden(portal: &Portal, server: &Server) -> Option<&'static str> {
    if !portal.may_use_machine_helper() {
        return Some("配置文件禁止使用主机助手（machine_helper = false）");
    }
    (!server.machine_helper).then_some("服务器的设置不允许使用主机助手")
}

async fn ask(portal: &Portal, server: &Server, request: &Request) -> ApiResult<Answer> {
    if let Some(why) = forbidden(portal, server) {
        return Err(ApiError::conflict("machine_helper_forbidden", why));
    }
    let runtime = portal.clusters().runtime(portal, server)?;
    let Some(helper) = runtime.machine_helper() else {
        return Err(ApiError::conflict("machine_helper_unavailable", "服务器的容器引擎不支持主机助手"));
    };
    helper.ask_machine(request).await.map_err(|error| {
        if let MachineHelperError::Refused { words, .. } = &error
            && !words.is_empty()
        {
            tracing::warn!(server.id, machine_helper.verb = request.verb(), words, "a machine's tool failed");
        }
        words::refused(error)
    })
}

async fn record(
    portal: &Portal,
    server: &Server,
    caller: Caller<'_>,
    request: &Request,
    error: Option<&ApiError>,
) -> ApiResult<()> {
    let said = words::of(request);
    let detail = error.map_or_else(|| said.clone(), |error| format!("{said}：{}", error.message()));
    let (now, target, failed) = (portal.now(), server.name.clone(), error.is_some());
    match caller {
        Caller::Administrator { actor, address } => {
            let operation = Operation { actor, address: address.to_string(), action: ACTION, target, detail };
            let tx = portal.db().begin().await?;
            logs::record_outcome(&tx, now, operation, failed).await?;
            tx.commit().await?;
        }
        Caller::Duty(duty) => {
            let looks = portal.recent_looks();
            let Some(unlogged) = looks.entry_due(&server.id, duty, request, failed, now) else { return Ok(()) };
            let detail =
                if unlogged == 0 { detail } else { format!("{detail}；此前另有 {unlogged} 次未单独记录") };
            let tx = portal.db().begin().await?;
            logs::record_duty(&tx, now, logs::DutyCall { duty, action: ACTION, target: &target, detail, failed })
                .await?;
            tx.commit().await?;
        }
    }
    Ok(())
}
