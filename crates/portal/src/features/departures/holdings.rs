//! Everything that a user has, collected from the features that own it.

use std::hash::{DefaultHasher, Hash, Hasher};

use db_kit::Sql;
use http_kit::ApiResult;
use kernel::UserId;

use super::model::{
    DepartureDataset, DepartureGroup, DepartureHoldings, DepartureImage, DepartureInstance, DeparturePerson,
    DeparturePlan, HoldingKind,
};
use super::store;
use super::store_items::NewItem;
use crate::features::{datasets, groups, images, instances, users, worksheets};

/// All of it; 404 when there is no such account.
pub(super) async fn of(db: &impl Sql, user: UserId) -> ApiResult<DepartureHoldings> {
    let account = users::account(db, user).await?;
    let instances = instances::open_of(db, user).await?.into_iter().map(|one| DepartureInstance {
        id: one.id,
        name: one.name,
        server: one.server,
        unreachable: one.unreachable,
        state: one.state,
        gpus: one.gpus,
    });
    let datasets = datasets::held_by(db, user).await?.into_iter().map(|one| DepartureDataset {
        id: one.id,
        name: one.name,
        title: one.title,
        size: one.size,
        visibility: one.visibility,
    });
    let images = images::owned_by(db, user).await?.into_iter().map(|one| DepartureImage {
        id: one.id,
        name: one.name,
        size: one.size,
        visibility: one.visibility,
    });
    let groups = groups::led_by(db, user).await?;
    let groups = groups.into_iter().map(|one| DepartureGroup { id: one.id.to_string(), name: one.name });
    let mut holdings = DepartureHoldings {
        user: DeparturePerson { id: account.id, username: account.username, name: account.name },
        active: account.active,
        ends_at: account.ends_at,
        instances: instances.collect(),
        datasets: datasets.collect(),
        images: images.collect(),
        groups: groups.collect(),
        worksheets: worksheets::count_open(db, Some(user)).await?,
        departure: store::open_of(db, user).await?,
        stamp: String::new(),
    };
    holdings.stamp = stamp(&holdings);
    Ok(holdings)
}

/// A hash of the ids, which changes when the user has other things than before. States and sizes don't matter.
fn stamp(holdings: &DepartureHoldings) -> String {
    let mut ids: Vec<(HoldingKind, &str)> = things(holdings).map(|(kind, id, _)| (kind, id)).collect();
    ids.sort_unstable();
    let mut hasher = DefaultHasher::new();
    for (kind, id) in ids {
        (format!("{kind:?}"), id).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Kind, id and name of each.
fn things(holdings: &DepartureHoldings) -> impl Iterator<Item = (HoldingKind, &str, &str)> {
    let instances = holdings.instances.iter().map(|one| (HoldingKind::Instance, one.id.as_str(), one.name.as_str()));
    let datasets = holdings.datasets.iter().map(|one| (HoldingKind::Dataset, one.id.as_str(), one.name.as_str()));
    let images = holdings.images.iter().map(|one| (HoldingKind::Image, one.id.as_str(), one.name.as_str()));
    let groups = holdings.groups.iter().map(|one| (HoldingKind::Group, one.id.as_str(), one.name.as_str()));
    instances.chain(datasets).chain(images).chain(groups)
}

/// The items of a plan, in the order in which they are handled.
pub(super) fn items(holdings: &DepartureHoldings, plan: &DeparturePlan) -> Vec<NewItem> {
    let username = &holdings.user.username;
    let last = [(HoldingKind::Files, "", username.as_str()), (HoldingKind::Account, "", username.as_str())];
    let item = |(kind, object, name): (HoldingKind, &str, &str)| NewItem {
        kind,
        object: object.to_owned(),
        name: name.to_owned(),
        choice: plan.of(kind, object),
    };
    things(holdings).chain(last).map(item).collect()
}
