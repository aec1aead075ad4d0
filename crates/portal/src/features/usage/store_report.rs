//! Reports out of the ledger.

use std::collections::HashMap;

use db_kit::{Db, DbResult, Filter, FromQueryResult, Sql};
use http_kit::{ApiError, ApiResult, ListQuery};
use kernel::{Actor, PageRequest, UserId};

use super::model::{
    Days, UsageFigures, UsagePeriod, UsagePoint, UsageQuery, UsageReport, UsageRow, UsageSubject, hours, percent,
};
use super::store;
use crate::features::{groups, users};

const SUMS: &str = "cast(coalesce(sum(u.held), 0) as bigint) as held, \
    cast(coalesce(sum(u.measured), 0) as bigint) as measured, cast(coalesce(sum(u.used), 0) as bigint) as used, \
    cast(coalesce(sum(u.cpu), 0) as bigint) as cpu, count(distinct u.instance_id) as instances";

const SORTS: &[(&str, &str)] = &[
    ("period", "period"),
    ("name", "name"),
    ("held", "held"),
    ("used", "used"),
    ("unmeasured", "sum(u.held - u.measured)"),
    // Rows without measurements sort below idle ones.
    ("utilization", "coalesce(sum(u.used) * 1.0 / nullif(sum(u.measured), 0), -1)"),
    ("cpu", "cpu"),
    ("instances", "instances"),
];

#[derive(Debug, FromQueryResult)]
struct Sums {
    held: i64,
    measured: i64,
    used: i64,
    cpu: i64,
    instances: i64,
}

#[derive(Debug, FromQueryResult)]
struct Row {
    id: i64,
    name: String,
    period: i64,
    #[sea_orm(nested)]
    sums: Sums,
}

#[derive(Debug, FromQueryResult)]
struct Point {
    period: i64,
    #[sea_orm(nested)]
    sums: Sums,
}

impl From<Sums> for UsageFigures {
    fn from(sums: Sums) -> Self {
        Self {
            held_hours: hours(sums.held),
            used_hours: hours(sums.used),
            unmeasured_hours: hours(sums.held - sums.measured),
            utilization: percent(sums.used, sums.measured),
            cpu_hours: hours(sums.cpu),
            instances: sums.instances,
        }
    }
}

/// Reads the report, limited to what the actor may see.
pub(super) async fn report(db: &Db, actor: &Actor, query: &UsageQuery, days: Days) -> ApiResult<UsageReport> {
    let list = ListQuery { page: query.page, size: query.size, ..ListQuery::default() };
    let (items, total) = rows(db, actor, query, days, list.rows()?).await?;
    let seen = seen(actor, query, days);
    let clause = seen.clause();
    let sum: Option<Sums> = db.first(&format!("select {SUMS} from usage_days u{clause}"), seen.values()).await?;
    let by = if query.by() == UsagePeriod::Month { UsagePeriod::Month } else { UsagePeriod::Day };
    let sql = format!(
        "select u.day / {0} as period, {SUMS} from usage_days u{clause} group by u.day / {0} order by period",
        by.divisor()
    );
    let points: Vec<Point> = db.all(&sql, seen.values()).await?;
    let point = |point: Point| UsagePoint { period: by.name(point.period, days), figures: point.sums.into() };
    Ok(UsageReport {
        items,
        total,
        sum: sum.ok_or_else(|| ApiError::internal("sums returned no row"))?.into(),
        points: points.into_iter().map(point).collect(),
        until: store::progress(db).await?.map(|done| done.until),
    })
}

/// The rows of a report, and how many there are in all.
pub(super) async fn rows(
    db: &Db,
    actor: &Actor,
    query: &UsageQuery,
    days: Days,
    page: PageRequest,
) -> ApiResult<(Vec<UsageRow>, i64)> {
    let list = ListQuery { sort: query.sort.clone(), ..ListQuery::default() };
    let column = list.column(SORTS)?;
    let direction = query.order.unwrap_or_default().sql();
    let mut filter = seen(actor, query, days);
    let period = format!("u.day / {}", query.by().divisor());
    let (columns, from, subject) = match query.subject() {
        UsageSubject::Person => ("u.user_id as id, max(u.username) as name", "usage_days u", "u.user_id"),
        UsageSubject::Group => {
            // A user in several groups has a row in each: only requested and visible groups count.
            filter.add_some("g.group_id = ?", query.group);
            filter.add_some(&format!("g.group_id in ({})", groups::LED), (!actor.is_admin()).then_some(actor.id));
            let columns = "coalesce(g.group_id, 0) as id, coalesce(max(g.name), '') as name";
            (columns, "usage_days u left join usage_groups g on g.day = u.day and g.user_id = u.user_id", "g.group_id")
        }
    };
    let grouped = format!("from {from}{} group by {subject}, {period}", filter.clause());
    let (limit, values) = filter.limited(page.limit(), page.offset());
    let sql = format!(
        "select {columns}, {period} as period, {SUMS} {grouped} order by {column} {direction}, held desc, id, period{limit}"
    );
    let found: Vec<Row> = db.all(&sql, values).await?;
    let count = format!("select count(*) as n from (select {period} as period {grouped}) as found");
    let total = db.number(&count, filter.values()).await?;
    Ok((named(db, query, days, found).await?, total))
}

/// The days and instances of a report that the actor may see: all for an administrator, otherwise their own and those
/// of users while they were in a group that the actor leads.
fn seen(actor: &Actor, query: &UsageQuery, days: Days) -> Filter {
    let member = |groups: &str| {
        format!(
            "exists (select 1 from usage_groups m where m.day = u.day and m.user_id = u.user_id and m.group_id in ({groups}))"
        )
    };
    let mut filter = Filter::default();
    filter
        .add("u.day >= ?", days.first.number())
        .add("u.day <= ?", days.last.number())
        .add_some("u.user_id = ?", query.person)
        .add_some(&member("?"), query.group)
        .add_some("u.server_id = ?", query.server.as_deref());
    if !actor.is_admin() {
        let led = member(groups::LED);
        match query.subject() {
            UsageSubject::Person => filter.add(&format!("u.user_id = ? or {led}"), actor.id),
            UsageSubject::Group => filter.add(&led, actor.id),
        };
    }
    filter
}

/// With the names that people and groups have now, as far as they are still there.
async fn named(db: &Db, query: &UsageQuery, days: Days, rows: Vec<Row>) -> DbResult<Vec<UsageRow>> {
    let people = query.subject() == UsageSubject::Person;
    let names: HashMap<i64, (String, String)> = if people {
        let mut ids: Vec<UserId> = rows.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let people = users::public_by_ids(db, &ids).await?;
        people.into_iter().map(|person| (person.id, (person.username, person.name))).collect()
    } else {
        groups::names(db).await?.into_iter().map(|(id, name)| (id, (name, String::new()))).collect()
    };
    let row = |row: Row| {
        let (name, full_name) = names.get(&row.id).cloned().unwrap_or((row.name, String::new()));
        let id = (people || row.id != 0).then_some(row.id);
        UsageRow { id, name, full_name, period: query.by().name(row.period, days), figures: row.sums.into() }
    };
    Ok(rows.into_iter().map(row).collect())
}
