//! Work orders as their reader sees them.

use std::collections::HashMap;

use db_kit::Sql;
use http_kit::ApiResult;
use kernel::{Actor, UserId};

use super::attachment::{Attachment, WorksheetAttachment};
use super::model::{
    Named, Worksheet, WorksheetDetail, WorksheetEntry, WorksheetHoldings, WorksheetInstance, WorksheetPerson,
    WorksheetView,
};
use super::store_thread;
use crate::features::{gpus, instances, users};

/// People's real names, looked up once for a whole answer.
struct Names(HashMap<UserId, String>);

impl Names {
    async fn of(db: &impl Sql, people: impl Iterator<Item = UserId>) -> ApiResult<Self> {
        let mut ids: Vec<UserId> = people.collect();
        ids.sort_unstable();
        ids.dedup();
        let known = users::public_by_ids(db, &ids).await?;
        Ok(Self(known.into_iter().map(|user| (user.id, user.name)).collect()))
    }

    fn person(&self, named: &Named) -> WorksheetPerson {
        let name = self.0.get(&named.id).cloned().unwrap_or_default();
        WorksheetPerson { id: named.id, username: named.username.clone(), name }
    }
}

/// The orders of a list, with one query for all names.
pub(super) async fn shown(db: &impl Sql, reader: &Actor, found: Vec<Worksheet>) -> ApiResult<Vec<WorksheetView>> {
    let names = Names::of(db, found.iter().flat_map(people_of)).await?;
    Ok(found.into_iter().map(|one| one_shown(&names, reader, one)).collect())
}

/// An order with its thread.
pub(super) async fn detail(db: &impl Sql, reader: &Actor, one: Worksheet) -> ApiResult<WorksheetDetail> {
    let thread = store_thread::of(db, &one.id).await?;
    let people = people_of(&one).chain(thread.iter().map(|entry| entry.author.id));
    let names = Names::of(db, people).await?;
    let thread = thread.into_iter().map(|entry| WorksheetEntry {
        id: entry.id,
        time: entry.time,
        attachments: attachments_shown(&entry.attachments, &entry.author, reader),
        author: names.person(&entry.author),
        kind: entry.kind,
        content: entry.content,
        from: entry.from,
        to: entry.to,
    });
    let thread = thread.collect();
    let holdings = holdings(db, one.requester.id).await?;
    Ok(WorksheetDetail { worksheet: one_shown(&names, reader, one), thread, holdings })
}

async fn holdings(db: &impl Sql, requester: UserId) -> ApiResult<Option<WorksheetHoldings>> {
    if users::existing(db, &[requester]).await?.is_empty() {
        return Ok(None);
    }
    let held = instances::held(db, &[requester], None).await?;
    Ok(Some(WorksheetHoldings {
        quotas: users::quotas_of(db, requester).await?,
        instances: held.instances,
        gpus: gpus::count_held(db, &[requester], None).await?,
        cpu: held.cpu,
        memory: held.memory,
    }))
}

fn people_of(one: &Worksheet) -> impl Iterator<Item = UserId> + use<> {
    [Some(one.requester.id), one.handler.as_ref().map(|handler| handler.id)].into_iter().flatten()
}

fn one_shown(names: &Names, reader: &Actor, one: Worksheet) -> WorksheetView {
    WorksheetView {
        attachments: attachments_shown(&one.attachments, &one.requester, reader),
        unread: one.seen < one.news,
        id: one.id,
        number: one.number,
        kind: one.kind,
        title: one.title,
        content: one.content,
        state: one.state,
        priority: one.priority,
        requester: names.person(&one.requester),
        handler: one.handler.as_ref().map(|handler| names.person(handler)),
        instance: (!one.instance_id.is_empty())
            .then_some(WorksheetInstance { id: one.instance_id, name: one.instance }),
        quotas: one.figures.quotas,
        cards: one.figures.cards,
        decision: one.decision,
        news: one.news,
        created: one.created,
        updated: one.updated,
    }
}

fn attachments_shown(attachments: &[Attachment], author: &Named, reader: &Actor) -> Vec<WorksheetAttachment> {
    attachments.iter().map(|attachment| attachment.for_reader(&author.username, reader)).collect()
}
