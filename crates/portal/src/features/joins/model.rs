//! Joins as they are stored, reported and shown; without I/O.

use std::collections::HashSet;
use std::time::Duration;

use db_kit::Record;
use http_kit::{ListParams, NoFilter};
use kernel::{Timestamp, UserId, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::features::gpus::SeenCard;

/// How long a token can start a join.
pub(super) const TOKEN_LASTS: Duration = Duration::from_secs(3600);
/// For so long after its beginning the script may report: a slow mirror has Docker installed in that time.
pub(super) const RUN_LASTS: Duration = Duration::from_secs(3600);
/// Open tokens of a lab. More are a mistake.
pub(super) const MOST_OPEN: i64 = 50;
/// The most cards of one machine.
const MOST_CARDS: usize = 64;

/// How far a join is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JoinState {
    /// The token has not been used yet.
    Waiting,
    /// A machine has begun.
    Running,
    /// The server is added.
    Done,
    /// A step failed. The script may be run again on the same machine.
    Failed,
    /// An administrator took the token back.
    Withdrawn,
}

/// What the script does, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum JoinStep {
    /// Looks at the machine and shows the certificate request.
    Begin,
    /// Docker is there, or is installed.
    Docker,
    /// The network disk is mounted.
    Disk,
    /// The engine listens with certificates, and live-restore is on.
    Engine,
    /// Cards and NVIDIA's toolkit.
    Cards,
    /// The portal reached the engine and added the server.
    Connect,
    /// The server's check.
    Check,
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StepOutcome {
    Running,
    Passed,
    /// Works, but something is to be done by hand.
    Warning,
    Failed,
    /// Not asked for.
    Skipped,
}

/// The last word on a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct StepReport {
    pub(super) step: JoinStep,
    pub(super) outcome: StepOutcome,
    /// What was found or done, or why not, and what to do about it.
    pub(super) detail: String,
    pub(super) time: Timestamp,
}

/// What the machine says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JoinMachine {
    pub(super) hostname: String,
    pub(super) os: String,
    pub(super) kernel: String,
    pub(super) architecture: String,
}

/// A join as it is stored.
#[derive(Clone, Debug, Record)]
#[record(table = "joins")]
pub(super) struct Join {
    pub(super) id: String,
    #[record(column = "user_id", insert_only)]
    pub(super) user: UserId,
    #[record(insert_only)]
    pub(super) username: String,
    #[record(insert_only)]
    pub(super) created: Timestamp,
    #[record(insert_only)]
    pub(super) expires: Timestamp,
    #[record(insert_only)]
    pub(super) name: String,
    #[record(insert_only)]
    pub(super) host: String,
    #[record(insert_only)]
    pub(super) port: i64,
    #[record(insert_only)]
    pub(super) storage_path: String,
    #[record(insert_only)]
    pub(super) storage_source: String,
    /// An origin, without a slash at its end.
    #[record(insert_only)]
    pub(super) portal: String,
    /// The SHA-256 of the public key of the portal's certificate when the join was made, in base64; empty: none.
    #[record(insert_only)]
    pub(super) pin: String,
    /// The fingerprint of the engines' authority, in base64.
    #[record(insert_only)]
    pub(super) authority: String,
    #[record(word)]
    pub(super) state: JoinState,
    /// The public key with which it was started; empty: not started.
    pub(super) public_key: String,
    pub(super) address: String,
    pub(super) begun: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
    #[record(json)]
    pub(super) machine: Option<JoinMachine>,
    #[record(json)]
    pub(super) steps: Vec<StepReport>,
    #[record(column = "server_id")]
    pub(super) server: Option<String>,
}

/// A join as administrators see it. The token is not in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JoinView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) host: String,
    pub(super) port: i64,
    pub(super) storage_path: String,
    pub(super) storage_source: String,
    pub(super) portal: String,
    pub(super) state: JoinState,
    /// Whether the script may still be run or go on.
    pub(super) open: bool,
    /// Who made it.
    pub(super) username: String,
    pub(super) created: Timestamp,
    /// Until when one may begin.
    pub(super) expires: Timestamp,
    /// Where it was begun from; empty: not begun.
    pub(super) address: String,
    pub(super) begun: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
    pub(super) machine: Option<JoinMachine>,
    pub(super) steps: Vec<StepReport>,
    /// The server's id; null: not added yet.
    pub(super) server: Option<String>,
}

/// A new join; the only answer with the token in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewJoin {
    #[serde(flatten)]
    pub(super) join: JoinView,
    /// The line to paste on the server.
    pub(super) command: String,
    /// The script, to be read before it is run. The token is in it.
    pub(super) script: String,
    /// The script's SHA-256, in hexadecimal digits.
    pub(super) sha256: String,
    /// The SHA-256 of the public key of the portal's certificate, in base64; null: the portal serves no certificate.
    pub(super) pin: Option<String>,
}

/// Which joins.
pub(super) type JoinQuery = ListParams<NoFilter>;

/// With what the script begins.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BeginForm {
    /// The certificate request, in PEM. Nothing but its public key is taken from it.
    pub(super) request: String,
    pub(super) machine: JoinMachine,
}

/// What the script says of a step.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepForm {
    pub(super) step: JoinStep,
    pub(super) outcome: StepOutcome,
    #[serde(default)]
    pub(super) detail: String,
}

/// With what the script ends.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FinishForm {
    /// The cards that `nvidia-smi` found.
    #[schema(max_items = 64)]
    pub(super) cards: Vec<FoundCard>,
}

/// A card that the script found.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FoundCard {
    pub(super) index: i64,
    pub(super) uuid: String,
    pub(super) model: String,
    /// MiB, as `nvidia-smi` counts.
    pub(super) memory: i64,
}

impl JoinMachine {
    /// Reduces the text that the machine sent to short lines.
    pub(super) fn as_lines(&self) -> Self {
        let line = |text: &str| rules::as_line(text.trim(), 100);
        Self {
            hostname: line(&self.hostname),
            os: line(&self.os),
            kernel: line(&self.kernel),
            architecture: line(&self.architecture),
        }
    }
}

impl FinishForm {
    /// The cards as the list of cards has them.
    pub(super) fn cards(&self) -> Result<Vec<SeenCard>, &'static str> {
        if self.cards.len() > MOST_CARDS {
            return Err("一台服务器最多 64 张显卡");
        }
        let different: HashSet<&str> = self.cards.iter().map(|card| card.uuid.as_str()).collect();
        if different.len() != self.cards.len() {
            return Err("显卡的 UUID 重复");
        }
        self.cards.iter().map(FoundCard::seen).collect()
    }
}

impl FoundCard {
    fn seen(&self) -> Result<SeenCard, &'static str> {
        let uuid_fine = (4..=64).contains(&self.uuid.len())
            && self.uuid.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let model = self.model.trim();
        let model_fine = !model.is_empty() && rules::is_line(model, 60);
        if !uuid_fine || !model_fine || !(0..1024).contains(&self.index) || !(0..=1 << 30).contains(&self.memory) {
            return Err("显卡的信息有误");
        }
        Ok(SeenCard {
            uuid: self.uuid.clone(),
            position: self.index,
            model: model.to_owned(),
            memory_total: self.memory << 20,
            // Filled by the first sample.
            pci: String::new(),
        })
    }
}

impl Join {
    /// Whether the script may begin or go on at this time.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        match self.state {
            JoinState::Waiting => now < self.expires,
            JoinState::Running | JoinState::Failed => self.begun.is_some_and(|begun| now < begun.plus(RUN_LASTS)),
            JoinState::Done | JoinState::Withdrawn => false,
        }
    }

    /// Notes the last word on a step, in the order of the steps.
    pub(super) fn note(&mut self, step: JoinStep, outcome: StepOutcome, detail: &str, time: Timestamp) {
        let report = StepReport { step, outcome, detail: rules::as_line(detail.trim(), 1000), time };
        self.steps.retain(|known| known.step != step);
        self.steps.push(report);
        if self.state != JoinState::Done {
            self.state = if outcome == StepOutcome::Failed { JoinState::Failed } else { JoinState::Running };
        }
    }

    pub(super) fn shown(self, now: Timestamp) -> JoinView {
        JoinView {
            open: self.is_open(now),
            id: self.id,
            name: self.name,
            host: self.host,
            port: self.port,
            storage_path: self.storage_path,
            storage_source: self.storage_source,
            portal: self.portal,
            state: self.state,
            username: self.username,
            created: self.created,
            expires: self.expires,
            address: self.address,
            begun: self.begun,
            finished: self.finished,
            machine: self.machine,
            steps: self.steps,
            server: self.server,
        }
    }
}
