//! Checks of a server, each with advice on what to do when it fails: what its driver finds on the engine and its machine,
//! the network disk there (`storage`), and the machine helper (`helper`).

mod diagnosis;
mod helper;
mod quota;
mod storage;

use engine::{Error, Finding, Runtime, Verdict};
use http_kit::{ApiError, ApiResult};

use super::reconcile::ask;
use crate::Portal;
use crate::features::clusters;
use crate::features::machine_helper::Caller;
use crate::features::servers::{self, Check, CheckOutcome, Server};

/// Queries a server's engine and its machine, and evaluates the answers.
///
/// # Errors
/// When its engine belongs to another server, or the database fails.
pub(crate) async fn run(portal: &Portal, caller: Caller<'_>, server: &Server) -> ApiResult<Vec<Check>> {
    let worker = portal.clusters().of(&server.id);
    let (runtime, capabilities, seen) = match ask(portal, &worker, server, true).await? {
        Ok(answer) => answer,
        Err(error) => return Ok(vec![unreached(&error)]),
    };
    if let Some(why) = servers::claim(portal, server, &capabilities).await? {
        worker.let_go();
        return Err(ApiError::conflict("engine_taken", why));
    }
    let mut checks: Vec<Check> = match diagnosis::findings(portal, caller, server, runtime.as_ref(), &seen).await? {
        Ok(findings) => findings.iter().map(check_of).collect(),
        Err(error) => return Ok(vec![unreached(&error)]),
    };
    checks.extend(helper::look(portal, caller, server, &capabilities).await);
    Ok(checks)
}

/// Whether instances on a server would see the network disk.
pub(super) async fn sees_disk(portal: &Portal, runtime: &dyn Runtime, server: &Server) -> engine::Result<bool> {
    storage::is_seen(portal.disk_root(), runtime, &server.storage_path).await
}

fn unreached(error: &Error) -> Check {
    let fault = clusters::explain(error);
    let advice = if fault.advice.is_empty() { clusters::UNREACHED_ADVICE } else { fault.advice };
    failed("engine", "连接容器引擎", fault.in_detail(), advice)
}

fn check_of(finding: &Finding) -> Check {
    let outcome = match finding.verdict {
        Verdict::Passed => CheckOutcome::Passed,
        Verdict::Warning => CheckOutcome::Warning,
        Verdict::Failed => CheckOutcome::Failed,
    };
    let words = clusters::words_of(finding);
    check(finding.subject, words.title, outcome, words.detail, words.advice)
}

fn passed(name: &str, title: &str, detail: String) -> Check {
    check(name, title, CheckOutcome::Passed, detail, "")
}

fn warning(name: &str, title: &str, detail: String, advice: &str) -> Check {
    check(name, title, CheckOutcome::Warning, detail, advice)
}

fn failed(name: &str, title: &str, detail: String, advice: &str) -> Check {
    check(name, title, CheckOutcome::Failed, detail, advice)
}

fn check(name: &str, title: &str, outcome: CheckOutcome, detail: String, advice: &str) -> Check {
    Check { name: name.to_owned(), title: title.to_owned(), outcome, detail, advice: advice.to_owned() }
}
