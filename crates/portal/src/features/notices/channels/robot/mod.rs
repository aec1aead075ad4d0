//! Messages to a chat group by its robot (企业微信, 钉钉, 飞书), or to a program of the lab's own as signed JSON:
//! a webhook.

pub(crate) mod message;
pub(crate) mod model;
pub(crate) mod report;
pub(crate) mod send;

use db_kit::Word;
use http_kit::ApiResult;
pub(crate) use model::{AlertNotice, Event, GroupNotice, WorksheetNotice};

use self::message::Message;
use crate::Portal;
use crate::features::notices::outbox::{self, Outcome};
use crate::features::notices::store_outbox::{self, Channel};
use crate::features::notices::store_robot;
use crate::reach::Reach;

/// Sends the due messages; returns their number. Stops at the first failure, because the others would mostly fail too.
pub(crate) async fn send_due(portal: &Portal) -> ApiResult<usize> {
    let db = portal.db();
    let target = store_robot::target(db, portal.seal()).await?;
    if !target.enabled {
        return Ok(0);
    }
    let (from, reach) = (outbox::sender(portal).await?, Reach::read(db).await?);
    let mut taken = 0;
    for one in store_outbox::due(db, Channel::Robot, portal.id(), portal.now(), target.format.at_once()).await? {
        if !outbox::begin(portal, &one).await? {
            continue;
        }
        let Some(notice) = GroupNotice::kept(&one.content) else {
            outbox::note(portal, Channel::Robot, &one, Outcome::Failed("通知的内容读不出来")).await?;
            continue;
        };
        let message = Message {
            id: one.id.clone(),
            event: Word::<Event>::parse(&one.event).ok(),
            created: one.created(),
            notice,
        };
        let report = send::send(&target, &from, &message, portal.now(), reach).await;
        let outcome = report.fault().map_or(Outcome::Taken, Outcome::Failed);
        outbox::note(portal, Channel::Robot, &one, outcome).await?;
        if report.fault().is_some() {
            break;
        }
        taken += 1;
    }
    Ok(taken)
}
