//! Forwards each seal's rows, followed by the seal, to a syslog server and to a file. The cursor of each target is
//! stored in the database and advances only after the target took everything: at-least-once delivery.

use std::fmt::Display;

use db_kit::Word;
use kernel::Timestamp;

use super::seal::{Kind, Seal};
use super::{file, line, store, syslog};
use crate::Portal;
use crate::features::logs::{Log, LogRow};
use crate::features::settings;
use crate::reach::Reach;

/// Seals per batch.
const SEALS_OF_A_TURN: i64 = 20;

/// An item to forward.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) time: Timestamp,
    /// `login`, `operate` or `seal`.
    pub(super) kind: String,
    pub(super) failed: bool,
    /// One line of JSON.
    pub(super) text: String,
}

impl Message {
    fn of_row(log: Log, row: &LogRow) -> anyhow::Result<Self> {
        Ok(Self {
            time: Timestamp::from_millis(row.time),
            kind: Word(log).to_string(),
            failed: row.result != "success",
            text: line::of_row(log, row)?,
        })
    }

    fn of_seal(seal: &Seal) -> anyhow::Result<Self> {
        Ok(Self { time: seal.content.time, kind: "seal".to_owned(), failed: false, text: line::of_seal(seal)? })
    }
}

/// A target of forwarding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Syslog,
    File,
}

impl Target {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Syslog => "syslog",
            Self::File => "file",
        }
    }

    async fn send(self, portal: &Portal, messages: &[Message]) -> anyhow::Result<()> {
        match self {
            Self::Syslog => {
                let settings = settings::read(portal.db()).await?;
                syslog::send(&settings.forwarding.syslog, Reach::of(&settings), messages).await
            }
            Self::File => file::append(portal, messages).await,
        }
    }
}

/// Sends a target everything after its cursor. A new target starts at the current end of the chain.
pub(super) async fn forward(portal: &Portal, target: Target) -> anyhow::Result<()> {
    let db = portal.db();
    let Some(known) = store::target(db, target.word()).await? else {
        let number = store::last(db).await?.map_or(0, |seal| seal.content.number);
        return Ok(store::note_target(db, target.word(), number, None, "").await?);
    };
    let mut number = known.number;
    loop {
        let seals = store::after(db, number, SEALS_OF_A_TURN).await?;
        let Some(last) = seals.last() else { break };
        let mut messages = Vec::new();
        for seal in &seals {
            let content = &seal.content;
            if content.kind == Kind::Rows {
                for row in content.log.rows(db, content.first, content.last, i64::MAX).await? {
                    messages.push(Message::of_row(content.log, &row)?);
                }
            }
            messages.push(Message::of_seal(seal)?);
        }
        if let Err(error) = target.send(portal, &messages).await {
            store::note_target(db, target.word(), number, None, &shortened(&format!("{error:#}"))).await?;
            return Err(error);
        }
        number = last.content.number;
        store::note_target(db, target.word(), number, Some(portal.now()), "").await?;
    }
    Ok(())
}

fn shortened(text: &impl Display) -> String {
    text.to_string().chars().take(300).collect()
}

impl Portal {
    /// Forwards new seals to the configured file and, if enabled, to the syslog server.
    ///
    /// # Errors
    /// When a target fails.
    pub async fn forward_logs(&self) -> anyhow::Result<()> {
        if self.audit_file().is_some() {
            forward(self, Target::File).await?;
        }
        if settings::read(self.db()).await?.forwarding.syslog.enabled {
            forward(self, Target::Syslog).await?;
        }
        Ok(())
    }
}
