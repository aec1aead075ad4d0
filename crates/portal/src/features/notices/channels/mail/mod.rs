//! Mail to single users, by the SMTP server of the settings.

pub(crate) mod message;
pub(crate) mod model;
pub(crate) mod report;
mod session;

use std::collections::HashMap;

use db_kit::Word;
use http_kit::ApiResult;
use kernel::UserId;
pub(crate) use model::MailContent;
use report::MailReport;
use session::{Fault, Session};

use self::message::{MailText, Recipient};
use self::model::MailServer;
use super::Sender;
use crate::Portal;
use crate::features::notices::outbox::{self, Outcome};
use crate::features::notices::store_outbox::{self, Channel};
use crate::features::notices::{UserNoticeKind, store_mail};
use crate::features::users::{self, Contact};
use crate::reach::Reach;

/// The mails of one look, every three seconds.
const AT_ONCE: i64 = 20;

/// Sends the due mails; returns their number. A fault of the server ends the look, because the other mails would fail
/// too; a fault of one mail does not.
pub(crate) async fn send_due(portal: &Portal) -> ApiResult<usize> {
    let db = portal.db();
    let settings = store_mail::settings(db, portal.seal()).await?;
    if !settings.enabled {
        return Ok(0);
    }
    let due = store_outbox::due(db, Channel::Mail, portal.id(), portal.now(), AT_ONCE).await?;
    let contents: Vec<Option<MailContent>> = due.iter().map(|row| MailContent::kept(&row.content)).collect();
    let people: Vec<UserId> = contents.iter().flatten().map(|content| content.user).collect();
    let contacts = users::contacts(db, &people).await?;
    let contacts: HashMap<UserId, Contact> = contacts.into_iter().map(|contact| (contact.id, contact)).collect();
    let from = outbox::sender(portal).await?;
    let mut session = Session::new(&settings.server, Reach::read(db).await?);
    let (mut taken, mut broken) = (0, false);
    for (row, content) in due.iter().zip(contents) {
        if !outbox::begin(portal, row).await? {
            continue;
        }
        let Some(content) = content else {
            outbox::note(portal, Channel::Mail, row, Outcome::Refused("邮件的内容读不出来")).await?;
            continue;
        };
        // Uses the present address; users who are deleted, disabled or without an address get nothing.
        let Some(contact) = contacts.get(&content.user).filter(|contact| !contact.email.is_empty()) else {
            outbox::note(portal, Channel::Mail, row, Outcome::Pointless).await?;
            continue;
        };
        let text = MailText::of(&content, Word::<UserNoticeKind>::parse(&row.event).ok(), &from);
        let to = Recipient { name: &contact.name, address: &contact.email };
        let sent = match message::build(&settings.server, &row.id, row.created(), to, &text) {
            Ok(mail) => session.send(&mail, &mut Vec::new()).await,
            Err(fault) => Err(Fault::of_message(&fault)),
        };
        let outcome = match &sent {
            Ok(()) => Outcome::Taken,
            Err(fault) if fault.is_final() => Outcome::Refused(fault.words()),
            Err(fault) => Outcome::Failed(fault.words()),
        };
        outbox::note(portal, Channel::Mail, row, outcome).await?;
        match sent {
            Ok(()) => taken += 1,
            Err(fault) if fault.is_of_server() => {
                broken = true;
                break;
            }
            Err(_) => {}
        }
    }
    if !broken {
        session.close().await;
    }
    Ok(taken)
}

/// Sends a mail with settings that need not be saved yet; how that went, step by step.
pub(crate) async fn try_out(
    server: &MailServer,
    from: &Sender,
    portal: &Portal,
    by: &str,
    to: &str,
) -> ApiResult<MailReport> {
    let text = MailText::test(by, from);
    let id = uuid::Uuid::now_v7().to_string();
    let mut steps = Vec::new();
    let mut session = Session::new(server, Reach::read(portal.db()).await?);
    let end = match message::build(server, &id, portal.now(), Recipient { name: "", address: to }, &text) {
        Ok(mail) => session.send(&mail, &mut steps).await,
        Err(fault) => Err(Fault::of_message(&fault)),
    };
    if end.is_ok() {
        session.close().await;
    }
    Ok(MailReport::new(steps, end.map_err(Fault::into_step)))
}
