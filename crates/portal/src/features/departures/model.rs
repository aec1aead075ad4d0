//! Departures on the wire and as they are kept, and the rules that need no database.

use std::net::{IpAddr, Ipv4Addr};

use db_kit::Record;
use http_kit::{ListFilter, ListParams};
use kernel::{Actor, Role, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::features::instances::InstanceState;
use crate::visibility::Visibility;

/// A kind of thing that a user has, in the order in which they are dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HoldingKind {
    Instance,
    Dataset,
    /// An image that they saved or built.
    Image,
    /// A group that they lead.
    Group,
    /// Their home on the network disk, and their share links.
    Files,
    /// The account itself, at the end.
    Account,
}

/// The action on one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DepartureAction {
    /// It becomes the receiver's. Of a group: they lead it.
    HandOver,
    /// Of an instance: its root becomes an image of the receiver's, and it is released.
    Save,
    /// It is deleted. Of an instance: it is released.
    Delete,
    /// It stays: the home for administrators, a group without this leader.
    Keep,
}

/// The action on the things of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DepartureChoice {
    pub(super) action: DepartureAction,
    /// Who gets it; null for an action without a receiver.
    pub(super) receiver: Option<UserId>,
}

/// One thing with an action of its own, different from that of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DepartureException {
    pub(super) kind: HoldingKind,
    /// The thing's id.
    pub(super) object: String,
    pub(super) action: DepartureAction,
    pub(super) receiver: Option<UserId>,
}

/// The actions on everything that a user has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeparturePlan {
    pub(super) instances: DepartureChoice,
    pub(super) datasets: DepartureChoice,
    pub(super) images: DepartureChoice,
    pub(super) groups: DepartureChoice,
    pub(super) files: DepartureChoice,
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub(super) exceptions: Vec<DepartureException>,
}

impl DeparturePlan {
    /// The choice for the items of a kind, unless an exception applies.
    pub(super) fn of_kind(&self, kind: HoldingKind) -> DepartureChoice {
        match kind {
            HoldingKind::Instance => self.instances,
            HoldingKind::Dataset => self.datasets,
            HoldingKind::Image => self.images,
            HoldingKind::Group => self.groups,
            HoldingKind::Files => self.files,
            HoldingKind::Account => DepartureChoice { action: DepartureAction::Delete, receiver: None },
        }
    }

    /// The choice for one item.
    pub(super) fn of(&self, kind: HoldingKind, object: &str) -> DepartureChoice {
        let exception = self.exceptions.iter().find(|one| one.kind == kind && one.object == object);
        exception
            .map_or_else(|| self.of_kind(kind), |one| DepartureChoice { action: one.action, receiver: one.receiver })
    }

    /// All users who receive something.
    pub(super) fn receivers(&self) -> Vec<UserId> {
        let kinds = [self.instances, self.datasets, self.images, self.groups, self.files];
        let exceptions = self.exceptions.iter().filter_map(|one| one.receiver);
        let mut receivers: Vec<UserId> =
            kinds.into_iter().filter_map(|choice| choice.receiver).chain(exceptions).collect();
        receivers.sort_unstable();
        receivers.dedup();
        receivers
    }
}

/// When the departure starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DepartureTime {
    Now,
    /// When the account ends.
    AtEnd,
}

/// A departure to start or plan.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DepartureForm {
    pub(super) user: UserId,
    pub(super) plan: DeparturePlan,
    pub(super) when: DepartureTime,
    /// As it came with the holdings: 409 `holdings_changed` when they are others by now.
    pub(super) stamp: String,
}

/// Tries again what failed, with another plan if one is given.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DepartureRetry {
    pub(super) plan: Option<DeparturePlan>,
}

/// How far a departure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DepartureState {
    /// It begins when the account ends.
    Planned,
    Running,
    /// Something could not be done, and nothing else can be done before that.
    Failed,
    Done,
}

impl DepartureState {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Planned => "等待到期",
            Self::Running => "办理中",
            Self::Failed => "有失败项",
            Self::Done => "已办完",
        }
    }
}

/// How far one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DepartureItemState {
    Waiting,
    Done,
    Failed,
}

/// A person by number and by the names that they had.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
pub(crate) struct DeparturePerson {
    pub(super) id: UserId,
    pub(super) username: String,
    pub(super) name: String,
}

/// One thing and the outcome of its action.
#[derive(Clone, Debug, PartialEq, Eq, Record, Serialize, ToSchema)]
#[record(table = "departure_items", key = "departure_id, number")]
pub(crate) struct DepartureItem {
    pub(super) number: i64,
    #[record(word)]
    pub(super) kind: HoldingKind,
    /// Its id.
    pub(super) object: String,
    /// What people call it.
    pub(super) name: String,
    #[record(word)]
    pub(super) action: DepartureAction,
    #[serde(skip)]
    pub(super) receiver_id: Option<UserId>,
    /// The receiver's username; empty: none.
    pub(super) receiver: String,
    #[record(word)]
    pub(super) state: DepartureItemState,
    /// What happened, or what it waits for.
    pub(super) words: String,
    /// The progress of a step that another component carries out.
    #[serde(skip)]
    pub(super) begun: String,
    pub(super) changed: Timestamp,
}

/// A departure.
#[derive(Clone, Debug, Record, Serialize, ToSchema)]
#[record(table = "departures")]
pub(crate) struct Departure {
    pub(super) id: String,
    /// Who leaves. The account may be gone.
    #[record(columns("user_id", "username", "name"))]
    pub(super) user: DeparturePerson,
    #[record(word)]
    pub(super) state: DepartureState,
    #[record(json)]
    pub(super) plan: DeparturePlan,
    /// The administrator who wants it.
    #[record(column = "by_name")]
    pub(super) by: String,
    #[serde(skip)]
    pub(super) by_id: UserId,
    #[serde(skip)]
    pub(super) address: String,
    pub(super) created: Timestamp,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    /// How many things there are; 0 while it is only planned.
    #[record(computed)]
    pub(super) total: i64,
    /// How many of these are done.
    #[record(computed)]
    pub(super) done: i64,
    /// How many failed.
    #[record(computed)]
    pub(super) failed: i64,
}

impl Departure {
    /// The administrator as an actor, for the steps in their name.
    pub(super) fn actor(&self, now: Timestamp) -> Actor {
        Actor {
            id: self.by_id,
            username: self.by.clone(),
            role: Role::Admin,
            session: String::new(),
            expires: now,
            token: None,
            folder: None,
        }
    }

    /// The address of the administrator's request.
    pub(super) fn came_from(&self) -> IpAddr {
        // It was written from an address.
        self.address.parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }
}

/// A departure with everything that it is about.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DepartureDetail {
    #[serde(flatten)]
    pub(super) departure: Departure,
    pub(super) items: Vec<DepartureItem>,
}

/// Filters of the list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct DepartureFilter {
    #[param(inline)]
    pub(super) state: Option<DepartureState>,
}

impl ListFilter for DepartureFilter {
    const WORDS: &'static str = "In the username or the name.";
    const MOST_WORDS: Option<usize> = Some(200);
}

/// The query of the list.
pub(super) type DepartureQuery = ListParams<DepartureFilter>;

/// An instance of the user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DepartureInstance {
    pub(super) id: String,
    pub(super) name: String,
    /// The server's name.
    pub(super) server: String,
    /// Its server does not answer: it is released when it does.
    pub(super) unreachable: bool,
    pub(super) state: InstanceState,
    pub(super) gpus: usize,
}

/// A dataset of theirs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DepartureDataset {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) title: String,
    /// Bytes; null: it was not counted yet.
    pub(super) size: Option<i64>,
    pub(super) visibility: Visibility,
}

/// An image of theirs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DepartureImage {
    pub(super) id: String,
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
    pub(super) visibility: Visibility,
}

/// A group that they lead.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct DepartureGroup {
    pub(super) id: String,
    pub(super) name: String,
}

/// Everything that a user has. The size of a home and its share links come from the disk itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DepartureHoldings {
    pub(super) user: DeparturePerson,
    pub(super) active: bool,
    /// When the account ends; null: never.
    pub(super) ends_at: Option<Timestamp>,
    pub(super) instances: Vec<DepartureInstance>,
    pub(super) datasets: Vec<DepartureDataset>,
    pub(super) images: Vec<DepartureImage>,
    pub(super) groups: Vec<DepartureGroup>,
    /// Work orders that are open: they are closed with the account.
    pub(super) worksheets: i64,
    /// The departure that is planned, under way or stuck; null: there is none.
    pub(super) departure: Option<Departure>,
    /// What was shown, to be handed back with the plan.
    pub(super) stamp: String,
}

/// Whether an item can be handled: instances first, because they may use the others, and the account last.
pub(super) fn is_due(item: &DepartureItem, all: &[DepartureItem]) -> bool {
    let done = |one: &DepartureItem| one.state == DepartureItemState::Done;
    let mut others = all.iter().filter(|one| one.number != item.number);
    match item.kind {
        HoldingKind::Instance => true,
        HoldingKind::Account => others.all(done),
        _ => others.filter(|one| one.kind == HoldingKind::Instance).all(done),
    }
}

/// The state of the departure, by its items; `None` while it goes on.
pub(super) fn outcome(items: &[DepartureItem]) -> Option<DepartureState> {
    if items.iter().all(|item| item.state == DepartureItemState::Done) {
        return Some(DepartureState::Done);
    }
    let goes_on = |item: &DepartureItem| item.state == DepartureItemState::Waiting && is_due(item, items);
    (!items.iter().any(goes_on)).then_some(DepartureState::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use DepartureItemState::{Done, Failed, Waiting};

    fn items(states: &[(HoldingKind, DepartureItemState)]) -> Vec<DepartureItem> {
        let item = |(number, (kind, state)): (usize, &(HoldingKind, DepartureItemState))| DepartureItem {
            number: i64::try_from(number).unwrap_or_default(),
            kind: *kind,
            object: String::new(),
            name: String::new(),
            action: DepartureAction::Delete,
            receiver_id: None,
            receiver: String::new(),
            state: *state,
            words: String::new(),
            begun: String::new(),
            changed: Timestamp::from_millis(0),
        };
        states.iter().enumerate().map(item).collect()
    }

    #[test]
    fn the_account_goes_last_and_files_after_instances() {
        use HoldingKind::{Account, Files, Instance};
        let all = items(&[(Instance, Waiting), (Files, Waiting), (Account, Waiting)]);
        assert_eq!(all.iter().map(|item| is_due(item, &all)).collect::<Vec<_>>(), [true, false, false]);
        let all = items(&[(Instance, Done), (Files, Waiting), (Account, Waiting)]);
        assert_eq!(all.iter().map(|item| is_due(item, &all)).collect::<Vec<_>>(), [true, true, false]);
        let all = items(&[(Instance, Done), (Files, Done), (Account, Waiting)]);
        assert!(is_due(&all[2], &all));
    }

    #[test]
    fn it_is_stuck_only_when_nothing_goes_on() {
        use HoldingKind::{Account, Files, Image, Instance};
        let waits = [(Instance, Failed), (Files, Waiting), (Account, Waiting)];
        assert_eq!(outcome(&items(&waits)), Some(DepartureState::Failed), "files wait for the instance");
        let goes_on = [(Instance, Done), (Image, Failed), (Files, Waiting), (Account, Waiting)];
        assert_eq!(outcome(&items(&goes_on)), None);
        assert_eq!(outcome(&items(&[(Files, Done), (Account, Done)])), Some(DepartureState::Done));
    }
}
