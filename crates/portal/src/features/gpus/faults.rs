//! Marks cards as faulty, by a finding or by an administrator, and lifts the mark. The card's `fault` and its outage
//! change in one transaction, under the lock of reservations, so a card is not leased while it is being found faulty.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use db_kit::Tx;
use engine::{KernelXids, RowRemap};
use http_kit::ApiResult;
use kernel::{Actor, Timestamp};

use super::diagnosis::{self, Finding};
use super::model::GpuRow;
use super::model_outages::OutageReason;
use super::store;
use super::store_outages::{self, End, Mark, NewXids};
use crate::Portal;
use crate::events::{AfterCommit, CardInQuestion, Event};
use crate::features::allocations;
use crate::features::logs::{self, Acting, DutyCall};
use crate::features::servers::{self, Server};

/// Name of the portal's own findings in the operate log.
const TITLE: &str = "显卡健康检查";
/// On a machine's first look, older reports are ignored: its cards have worked since.
const NEWS: Duration = Duration::from_secs(3600);

/// Marks cards of a server as faulty, except those that already are. For each card id the first finding counts.
pub(crate) async fn note(portal: &Portal, server: &str, found: Vec<(String, Finding)>) -> ApiResult<()> {
    if !are_news(&store::of_server(portal.db(), server).await?, &found) {
        return Ok(());
    }
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let after = put_out_of_order(portal, &tx, server, found, now).await?;
    tx.commit().await?;
    after.carry_out(portal);
    Ok(())
}

/// Nearly always there is no finding, or only known ones.
fn are_news(known: &[GpuRow], found: &[(String, Finding)]) -> bool {
    found.iter().any(|(id, _)| known.iter().any(|card| card.id == *id && card.fault.is_empty()))
}

async fn put_out_of_order(
    portal: &Portal,
    tx: &Tx,
    server: &str,
    found: Vec<(String, Finding)>,
    now: Timestamp,
) -> ApiResult<AfterCommit> {
    allocations::hold_reservations(tx).await?;
    let server = servers::by_id(tx, server).await?;
    let known = store::of_server(tx, &server.id).await?;
    let (mut after, mut done) = (AfterCommit::default(), HashSet::new());
    for (id, finding) in found {
        let Some(card) = known.iter().find(|card| card.id == id && card.fault.is_empty()) else { continue };
        if !done.insert(id) || !store_outages::begin(tx, &card.id, &finding, "", now).await? {
            continue;
        }
        store::set_fault(tx, &card.id, &finding.detail).await?;
        tracing::warn!(
            server.id = server.id, gpu.uuid = card.uuid, reason = ?finding.reason, detail = finding.detail,
            "a card is out of order"
        );
        let detail = format!("{} 号卡故障：{}", card.position, finding.detail);
        let call = DutyCall { duty: TITLE, action: "gpu.fault", target: &server.name, detail, failed: false };
        logs::record_duty(tx, now, call).await?;
        let card = in_question(&server, card, None, now);
        after = after.and(portal.announce(tx, Event::CardFaulty { card, reason: finding.detail }).await?);
    }
    Ok(after)
}

/// Stores new entries of the kernel's log, and marks cards as faulty by them and by rows of their memory that wait to
/// be remapped. One transaction, so an entry that counts as read was acted on.
pub(crate) async fn note_health(
    portal: &Portal,
    server: &str,
    remaps: &[RowRemap],
    log: Option<&KernelXids>,
) -> ApiResult<()> {
    let now = portal.now();
    let known = store::of_server(portal.db(), server).await?;
    let of_uuid = |uuid: &str| known.iter().find(|card| card.uuid == uuid);
    let of_rows =
        remaps.iter().filter_map(|remap| Some((of_uuid(&remap.uuid)?.id.clone(), diagnosis::of_remap(remap)?)));
    let mut found: Vec<(String, Finding)> = of_rows.collect();
    let before = store_outages::mark(portal.db(), server).await?;
    let news = log.and_then(|log| News::of(log, before.as_ref(), &known, now));
    if news.is_none() && !are_news(&known, &found) {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    if let Some(news) = &news {
        for xids in &news.xids {
            store_outages::add_xids(&tx, &news.mark.boot, xids).await?;
        }
        store_outages::set_mark(&tx, server, &news.mark).await?;
        found.extend(news.found.iter().cloned());
    }
    let after = put_out_of_order(portal, &tx, server, found, now).await?;
    tx.commit().await?;
    after.carry_out(portal);
    Ok(())
}

/// Entries of a kernel log that were not read yet.
#[derive(Debug)]
struct News {
    mark: Mark,
    xids: Vec<NewXids>,
    found: Vec<(String, Finding)>,
}

impl News {
    /// `None` when there is nothing new, or while no card's PCI address is known: entries read then would count as read
    /// and belong to no card. Another boot has another log, all of which is new.
    fn of(log: &KernelXids, before: Option<&Mark>, known: &[GpuRow], now: Timestamp) -> Option<Self> {
        if known.iter().all(|card| card.pci.is_empty()) {
            return None;
        }
        let lines = log.lines.as_deref()?;
        let read_to = before.filter(|mark| mark.boot == log.boot).map(|mark| mark.read_to);
        let newest = lines.iter().map(|line| line.time).max().unwrap_or_default();
        let mark = Mark { boot: log.boot.clone(), read_to: newest.max(read_to.unwrap_or_default()) };
        if before == Some(&mark) {
            return None;
        }
        let mut xids: HashMap<(&str, u32), NewXids> = HashMap::new();
        let mut found = Vec::new();
        for line in lines.iter().filter(|line| read_to.is_none_or(|read_to| line.time > read_to)) {
            let Some(card) = known.iter().find(|card| !card.pci.is_empty() && card.pci == line.pci) else { continue };
            let (code, at) = (i64::from(line.code), now.minus(log.uptime.saturating_sub(line.time)));
            let new = xids.entry((&card.id, line.code)).or_insert_with(|| NewXids {
                card: card.id.clone(),
                code,
                times: 0,
                words: String::new(),
                first: at,
                last: at,
            });
            (new.times, new.last) = (new.times + 1, at);
            new.words.clone_from(&line.words);
            if before.is_some() || at.plus(NEWS) > now {
                found.extend(diagnosis::of_xid(code, &line.words).map(|finding| (card.id.clone(), finding)));
            }
        }
        Some(Self { mark, xids: xids.into_values().collect(), found })
    }
}

fn in_question(server: &Server, card: &GpuRow, by: Option<&Actor>, at: Timestamp) -> CardInQuestion {
    CardInQuestion {
        id: card.id.clone(),
        position: card.position,
        model: card.model.clone(),
        server: server.id.clone(),
        server_name: server.name.clone(),
        by: by.map(|actor| actor.id),
        at,
    }
}

/// Marks a card as faulty, or changes the description of its fault, for an administrator.
pub(super) async fn mark_by_hand(
    portal: &Portal,
    tx: &Tx,
    (server, card): (&Server, &GpuRow),
    words: &str,
    by: &Acting,
) -> ApiResult<AfterCommit> {
    store::set_fault(tx, &card.id, words).await?;
    let finding = Finding::new(OutageReason::Manual, words);
    if store_outages::begin(tx, &card.id, &finding, &by.actor.username, by.at).await? {
        let card = in_question(server, card, Some(&by.actor), by.at);
        portal.announce(tx, Event::CardFaulty { card, reason: words.to_owned() }).await
    } else {
        store_outages::reword(tx, &card.id, words).await?;
        Ok(AfterCommit::default())
    }
}

/// The card is in order again; nothing when it was.
pub(super) async fn put_back(
    portal: &Portal,
    tx: &Tx,
    (server, card): (&Server, &GpuRow),
    end: &End<'_>,
    now: Timestamp,
) -> ApiResult<AfterCommit> {
    if card.fault.is_empty() {
        return Ok(AfterCommit::default());
    }
    store::set_fault(tx, &card.id, "").await?;
    store_outages::end(tx, &card.id, end, now).await?;
    let card = in_question(server, card, Some(end.by), now);
    portal.announce(tx, Event::CardRepaired { card }).await
}
