//! The script's requests. They are public; the token is checked before anything else.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::header;
use http_kit::{ApiError, ApiResult, Json, Problem, Routes, routes};
use kernel::{ErrorKind, Timestamp};

use super::authority::{Authority, RequestKey};
use super::form::endpoint;
use super::model::{BeginForm, FinishForm, Join, JoinState, JoinStep, StepForm, StepOutcome};
use super::script::Script;
use super::store;
use super::token::{self, JoinToken, UsedToken, maker};
use crate::Portal;
use crate::features::fleet;
use crate::features::gpus;
use crate::features::logs::Acting;
use crate::features::servers::{self, Check, CheckOutcome, JoinedServer};

/// The script's bodies are short.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// How long the new engine may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);

pub(super) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(script))
        .routes(routes!(begin))
        .routes(routes!(report))
        .routes(routes!(finish))
        .routes(routes!(check))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
}

/// 添加服务器的脚本
///
/// The script that sets the server up, for the holder of a join's token, as a bearer token.
#[utoipa::path(get, path = "/api/joins/script", operation_id = "joins_script", tag = "servers",
    responses((status = 200, body = String, content_type = "text/x-shellscript"), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn script(token: JoinToken) -> Response {
    let script = Script::new(&token.join, token.secret.expose());
    ([(header::CONTENT_TYPE, "text/x-shellscript; charset=utf-8")], script.text).into_response()
}

/// 开始添加：登记机器，签发证书
///
/// Binds the token to the machine's key and answers the engine's certificate and the authority's, both PEM. The same
/// machine may begin again; another one is refused.
#[utoipa::path(post, path = "/api/joins/begin", operation_id = "joins_begin", tag = "servers",
    request_body = BeginForm,
    responses((status = 200, body = String, content_type = "application/x-pem-file"), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 429, body = Problem)))]
async fn begin(State(portal): State<Portal>, token: JoinToken, Json(form): Json<BeginForm>) -> ApiResult<Response> {
    let key = RequestKey::read(&form.request)
        .ok_or_else(|| ApiError::field("request", "证书请求无法识别，应为脚本生成的 ECDSA P-256 请求"))?;
    let (tx, mut join) = reopened(&portal, &token).await?;
    let (now, fingerprint) = (portal.now(), key.fingerprint());
    if !join.public_key.is_empty() && join.public_key != fingerprint {
        let message = "口令已在另一台机器上使用，每台服务器要生成自己的命令";
        return Err(ApiError::conflict("join_taken", message));
    }
    let authority = Authority::open_or_create(&portal, &tx, now).await?;
    let certificate = authority.sign_engine(&key, &join.host, now)?;
    if join.begun.is_none() {
        (join.begun, join.public_key, join.address) = (Some(now), fingerprint, token.address.to_string());
    }
    let machine = form.machine.as_lines();
    let detail = format!("{}，{}，{}", machine.hostname, machine.os, machine.architecture);
    join.machine = Some(machine);
    join.steps.clear();
    join.note(JoinStep::Begin, StepOutcome::Passed, &detail, now);
    store::update(&tx, &join).await?;
    record_certificate(&tx, &token, &join, now).await?;
    tx.commit().await?;
    let body = format!("{}{}", ended(&certificate), ended(authority.certificate()));
    Ok(([(header::CONTENT_TYPE, "application/x-pem-file")], body).into_response())
}

/// Records for which key an engine's certificate was signed.
async fn record_certificate(tx: &Tx, token: &JoinToken, join: &Join, at: Timestamp) -> ApiResult<()> {
    let by = Acting { actor: maker(join), address: token.address, at };
    let detail = format!("{}:{}，公钥 {}", join.host, join.port, join.public_key);
    by.record(tx, "server.join_begin", &join.name, detail).await
}

/// 报告一步的结果
///
/// Keeps how a step of the script went.
#[utoipa::path(post, path = "/api/joins/report", operation_id = "joins_report", tag = "servers",
    request_body = StepForm,
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn report(
    State(portal): State<Portal>,
    token: JoinToken,
    Json(form): Json<StepForm>,
) -> ApiResult<http::StatusCode> {
    let (tx, mut join) = reopened(&portal, &token).await?;
    refuse_not_begun(&join)?;
    join.note(form.step, form.outcome, &form.detail, portal.now());
    store::update(&tx, &join).await?;
    tx.commit().await?;
    Ok(http::StatusCode::NO_CONTENT)
}

/// 完成添加：平台连接容器引擎，登记服务器和显卡
///
/// Has the portal reach the engine, and adds the server with its cards. The token is used up by that.
#[utoipa::path(post, path = "/api/joins/finish", operation_id = "joins_finish", tag = "servers",
    request_body = FinishForm,
    responses((status = 200, body = String, content_type = "text/plain"), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 429, body = Problem)))]
async fn finish(State(portal): State<Portal>, token: JoinToken, Json(form): Json<FinishForm>) -> ApiResult<String> {
    refuse_not_begun(&token.join)?;
    let cards = form.cards().map_err(|why| ApiError::field("cards", why))?;
    let mut server = joined(&token.join);
    server.tls = Some(client_identity(&portal).await?);
    let identity = match servers::reach_joined(&portal, &server, PATIENCE).await {
        Ok(identity) => identity,
        Err(error) => return Err(keep_failure(&portal, &token, error).await?),
    };
    let (tx, mut join) = reopened(&portal, &token).await?;
    tx.serialize("servers").await?;
    let now = portal.now();
    let added = servers::add_joined(&portal, &tx, server, identity).await;
    let added = match added {
        Ok(added) => added,
        Err(error) => {
            drop(tx);
            return Err(keep_failure(&portal, &token, error).await?);
        }
    };
    gpus::note_cards(&tx, &added, &cards, &[], now).await?;
    let detail = format!("服务器 {} 已添加，显卡 {} 张", join.name, cards.len());
    join.note(JoinStep::Connect, StepOutcome::Passed, &detail, now);
    (join.state, join.finished, join.server) = (JoinState::Done, Some(now), Some(added));
    store::update(&tx, &join).await?;
    let by = Acting { actor: maker(&join), address: token.address, at: now };
    by.record(&tx, "server.create", &join.name, "用一行命令添加").await?;
    tx.commit().await?;
    portal.servers_changed();
    Ok(format!("{detail}\n"))
}

/// 检测刚添加的服务器
///
/// Runs the check of the server that this token added, and answers it line by line. The one call of a used token,
/// within an hour.
#[utoipa::path(post, path = "/api/joins/check", operation_id = "joins_check", tag = "servers",
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 429, body = Problem)))]
async fn check(State(portal): State<Portal>, token: UsedToken) -> ApiResult<String> {
    let join = token.join;
    let by = Acting { actor: maker(&join), address: token.address, at: portal.now() };
    let checks = fleet::checked(&portal, &by, &token.server).await?;
    let worst = checks.iter().map(|check| check.outcome).fold(StepOutcome::Passed, worse);
    let count = |outcome| checks.iter().filter(|check| check.outcome == outcome).count();
    let detail = format!(
        "{} 项通过，{} 项注意，{} 项失败",
        count(CheckOutcome::Passed),
        count(CheckOutcome::Warning),
        count(CheckOutcome::Failed)
    );
    let tx = portal.db().begin().await?;
    tx.serialize("joins").await?;
    let mut join = store::by_id(&tx, &join.id).await?;
    join.note(JoinStep::Check, worst, &detail, portal.now());
    store::update(&tx, &join).await?;
    tx.commit().await?;
    Ok(checks.iter().map(line).collect::<String>() + &detail + "\n")
}

/// A check that failed is no failed join: the server is there.
fn worse(so_far: StepOutcome, outcome: CheckOutcome) -> StepOutcome {
    if outcome == CheckOutcome::Passed { so_far } else { StepOutcome::Warning }
}

fn line(check: &Check) -> String {
    let word = match check.outcome {
        CheckOutcome::Passed => "通过",
        CheckOutcome::Warning => "注意",
        CheckOutcome::Failed => "失败",
    };
    let advice = if check.advice.is_empty() { String::new() } else { format!("\n        {}", check.advice) };
    format!("  [{word}] {}：{}{advice}\n", check.title, check.detail)
}

/// The server of a join.
pub(super) fn joined(join: &Join) -> JoinedServer {
    JoinedServer {
        name: join.name.clone(),
        endpoint: endpoint(&join.host, join.port),
        public_host: join.host.clone(),
        storage_path: join.storage_path.clone(),
        tls: None,
    }
}

/// The present state of a join, in a serialized transaction.
async fn reopened(portal: &Portal, token: &JoinToken) -> ApiResult<(Tx, Join)> {
    let tx = portal.db().begin().await?;
    tx.serialize("joins").await?;
    let join = store::by_id(&tx, &token.join.id).await?;
    token::refuse_closed(portal, &tx, &join).await?;
    Ok((tx, join))
}

fn refuse_not_begun(join: &Join) -> ApiResult<()> {
    if join.begun.is_some() {
        return Ok(());
    }
    Err(ApiError::conflict("join_not_begun", "还没有开始：请从头运行脚本"))
}

async fn authority(portal: &Portal) -> ApiResult<Authority> {
    let tx = portal.db().begin().await?;
    let authority = Authority::open_or_create(portal, &tx, portal.now()).await?;
    tx.commit().await?;
    Ok(authority)
}

/// The authority, the portal's certificate and its key.
async fn client_identity(portal: &Portal) -> ApiResult<(String, String, String)> {
    let authority = authority(portal).await?;
    let client = authority.client(portal.now())?;
    Ok((authority.certificate().to_owned(), client.certificate, client.key))
}

/// Keeps why the server could not be added, and gives the error back. Failures of the portal's own are no finding.
async fn keep_failure(portal: &Portal, token: &JoinToken, error: ApiError) -> ApiResult<ApiError> {
    if matches!(error.kind(), ErrorKind::Internal | ErrorKind::Full) {
        return Ok(error);
    }
    let (tx, mut join) = reopened(portal, token).await?;
    join.note(JoinStep::Connect, StepOutcome::Failed, error.message(), portal.now());
    store::update(&tx, &join).await?;
    tx.commit().await?;
    Ok(error)
}

fn ended(pem: &str) -> String {
    if pem.ends_with('\n') { pem.to_owned() } else { format!("{pem}\n") }
}
