//! The looks of the watch, and its action on findings.

use std::time::Duration;

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::FindingState;
use super::signs::{self, Evidence, Signs};
use super::store;
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::instances::{self, Instance};
use crate::features::notices::{self, Event, GroupNotice, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::settings::{self, WatchAction};
use crate::features::{gpus, servers};

/// How often the programs on a server are looked at.
pub(super) const EVERY: Duration = Duration::from_secs(20);
/// A program must be seen in two looks in a row before its instance is suspended: a user who only reads about miners
/// runs no program for that long.
const STILL_THERE: Duration = Duration::from_secs(70);

/// Looks at all running instances of one server, if it is connected.
pub(super) async fn look(portal: &Portal, server: &str) -> ApiResult<()> {
    let Some(runtime) = portal.clusters().known_runtime(server) else { return Ok(()) };
    let settings = settings::read(portal.db()).await?.watch;
    let server = servers::by_id(portal.db(), server).await?;
    if !settings.enabled || !server.enabled || !server.reachable {
        return Ok(());
    }
    let Some(processes) = runtime.processes() else { return Ok(()) };
    let signs = Signs::new(&settings);
    for one in instances::running_on(portal.db(), &server.id).await? {
        if one.is_frozen() || settings.allows(&one.username, &one.image) {
            continue;
        }
        match processes.programs(&instances::workload_id(&one)?).await {
            Ok(found) => note(portal, &one, &server.name, &signs.found_in(&found), settings.action).await?,
            // It stopped meanwhile, or the server does not answer, which is reported elsewhere.
            Err(error) => tracing::debug!(instance.id = one.id, %error, "programs were not looked at"),
        }
    }
    Ok(())
}

/// Looks at the cards of all running instances over the last hours.
pub(crate) async fn look_at_cards(portal: &Portal) -> ApiResult<()> {
    let db = portal.db();
    let settings = settings::read(db).await?.watch;
    if !settings.enabled {
        return Ok(());
    }
    let from = portal.now().minus(Duration::from_secs(60 * signs::PATTERN_MINUTES.unsigned_abs()));
    let long = |one: &Instance| one.started.is_some_and(|started| started <= from) && !one.gpus.is_empty();
    let running: Vec<Instance> = instances::running(db).await?.into_iter().filter(long).collect();
    if running.is_empty() {
        return Ok(());
    }
    let (cards, servers) = (gpus::all(db).await?, servers::all(db).await?);
    for one in running {
        if one.is_frozen() || settings.allows(&one.username, &one.image) {
            continue;
        }
        let Some(server) = servers.iter().find(|server| server.id == one.server) else { continue };
        for card in cards.iter().filter(|card| one.gpus.contains(&card.id)) {
            let processes = portal.clusters().processes(&one.server, &card.uuid);
            let programs: Vec<&str> = processes.iter().map(|process| process.name.as_str()).collect();
            let used = gpus::use_since(db, &card.id, from).await?;
            if let Some(evidence) = signs::pattern(&used, &programs) {
                note(portal, &one, &server.name, &[evidence], WatchAction::Record).await?;
                break;
            }
        }
    }
    Ok(())
}

/// Stores the evidence, suspends the instance if the settings want that, and notifies administrators.
async fn note(portal: &Portal, one: &Instance, server: &str, found: &[Evidence], action: WatchAction) -> ApiResult<()> {
    if found.is_empty() {
        return Ok(());
    }
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (mut news, mut suspended) = (Vec::new(), false);
    for evidence in found {
        let before = store::note(&tx, one, server, evidence, now).await?;
        if before.is_none() {
            news.push(format!("{}（{}）", evidence.kind.called(), evidence.rule));
        }
        let stays = before
            .is_some_and(|before| before.state != FindingState::Dismissed && before.last_seen.plus(STILL_THERE) >= now);
        if action == WatchAction::Pause && evidence.kind.is_sure() && stays && !suspended {
            let why = format!("发现疑似{}（{}）", evidence.kind.called(), evidence.rule);
            suspended = instances::suspend(&tx, one, &why, now).await?;
            if suspended {
                store::note_pause(&tx, &one.id, evidence, now).await?;
            }
        }
    }
    let mut told = Told::default();
    if !news.is_empty() {
        let found = format!("疑似{}{}", news.join("、"), if suspended { "，实例已暂停" } else { "" });
        told = tell_finding(&tx, one, server, found, now).await?;
    }
    if suspended {
        told = told.and(tell_suspension(&tx, one, server, now).await?);
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    if suspended {
        tracing::warn!(instance.id = one.id, instance.name = one.name, "suspended: it looks like mining");
        portal.wake_server(&one.server);
    }
    if !news.is_empty() || suspended {
        portal.tell_pages(Audience::Administrators, Message::Findings);
    }
    Ok(())
}

/// Notifies the group chat and the administrators of new findings.
async fn tell_finding(tx: &Tx, one: &Instance, server: &str, found: String, now: Timestamp) -> ApiResult<Told> {
    let new = NewNotice {
        kind: UserNoticeKind::Finding,
        object: NoticeObject::Instance,
        object_id: one.id.clone(),
        title: format!("异常行为：实例 {}", one.name),
        words: format!("发现{found}。用户：{}，服务器：{server}", one.username),
        link: "/servers/finding_list".to_owned(),
    };
    let notice = GroupNotice::Finding {
        instance: one.name.clone(),
        username: one.username.clone(),
        server: server.to_owned(),
        found,
    };
    notices::to_group(tx, now, &[Event::Finding], &notice).await?;
    let people = Recipients::default().and_administrators(tx).await?;
    notices::tell(tx, now, &people, &new).await
}

/// Notifies the owner and the administrators of a suspended instance.
async fn tell_suspension(tx: &Tx, one: &Instance, server: &str, now: Timestamp) -> ApiResult<Told> {
    let new = NewNotice {
        kind: UserNoticeKind::InstanceSuspended,
        object: NoticeObject::Instance,
        object_id: one.id.clone(),
        title: format!("实例 {} 已暂停", one.name),
        words: format!("服务器 {server} 上的这个实例疑似在挖矿，里面的程序已暂停，文件都在。有疑问请联系管理员"),
        link: format!("/servers/instance_detail/{}", one.id),
    };
    let people = Recipients::people([one.user]).and_administrators(tx).await?;
    notices::tell(tx, now, &people, &new).await
}
