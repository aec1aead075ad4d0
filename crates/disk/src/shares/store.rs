//! Shares in the database.

use std::collections::{HashMap, HashSet};

use db_kit::{Db, DbError, DbResult, Filter, FromQueryResult, Sql, Tx, Value};
use disk_core::jail::Moment;
use kernel::{Timestamp, UserId};

use super::model::{Collection, Identity, Share};

const COLUMNS: &str = "hash, owner_id, owner_name, path, place, device, inode, born, next_entry, expires, password, \
    created, downloads, max_bytes, max_files, received_bytes, received_files, views, last_visit";

#[derive(Debug, FromQueryResult)]
struct Row {
    hash: String,
    owner_id: i64,
    owner_name: String,
    path: String,
    place: String,
    device: String,
    inode: String,
    born: String,
    next_entry: Option<String>,
    expires: i64,
    password: Option<String>,
    created: i64,
    downloads: i64,
    max_bytes: i64,
    max_files: i64,
    received_bytes: i64,
    received_files: i64,
    views: i64,
    last_visit: i64,
}

impl Row {
    fn read(self) -> DbResult<Share> {
        let unreadable = || DbError::unreadable(format!("the shared entry of {}", self.place));
        let next = match &self.next_entry {
            Some(text) => Some(read_next(text).ok_or_else(unreadable)?),
            None => None,
        };
        let identity = read_identity(&self.device, &self.inode, &self.born).ok_or_else(unreadable)?;
        let number = |number: i64| u64::try_from(number).map_err(DbError::unreadable);
        let collection = Collection {
            max_bytes: number(self.max_bytes)?,
            max_files: number(self.max_files)?,
            bytes: number(self.received_bytes)?,
            files: number(self.received_files)?,
        };
        Ok(Share {
            identity,
            next,
            hash: self.hash,
            owner_id: self.owner_id,
            owner_name: self.owner_name,
            path: self.path,
            place: self.place,
            expires: (self.expires != 0).then(|| Timestamp::from_millis(self.expires)),
            password: self.password,
            created: Timestamp::from_millis(self.created),
            downloads: number(self.downloads)?,
            collection: (collection.max_files > 0).then_some(collection),
            views: number(self.views)?,
            last_visit: (number(self.last_visit)? != 0).then(|| Timestamp::from_millis(self.last_visit)),
        })
    }
}

fn read_identity(device: &str, inode: &str, born: &str) -> Option<Identity> {
    let born = if born.is_empty() {
        None
    } else {
        let (seconds, nanos) = born.split_once('.')?;
        Some(Moment { seconds: seconds.parse().ok()?, nanos: nanos.parse().ok()? })
    };
    Some(Identity { device: device.parse().ok()?, inode: inode.parse().ok()?, born })
}

fn read_next(text: &str) -> Option<Identity> {
    let mut parts = text.splitn(3, ' ');
    read_identity(parts.next()?, parts.next()?, parts.next()?)
}

fn texts(identity: &Identity) -> [String; 3] {
    let born = identity.born.map_or_else(String::new, |at| format!("{}.{}", at.seconds, at.nanos));
    [identity.device.to_string(), identity.inode.to_string(), born]
}

fn identity(identity: &Identity) -> [Value; 3] {
    texts(identity).map(Value::from)
}

/// The value of the column `next_entry`.
fn next(identity: &Identity) -> Value {
    texts(identity).join(" ").into()
}

/// Filter of shares.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) hash: Option<&'a str>,
    pub(super) owner: Option<UserId>,
    pub(super) place: Option<&'a str>,
}

/// Shares that have not expired, permanent ones first, then by expiry (SPEC §4).
pub(super) async fn live(db: &impl Sql, wanted: Wanted<'_>, now: Timestamp) -> DbResult<Vec<Share>> {
    let mut filter = Filter::default();
    filter.add("(expires = 0 or expires > ?)", now.as_millis());
    if let Some(hash) = wanted.hash {
        filter.add("hash = ?", hash);
    }
    if let Some(owner) = wanted.owner {
        filter.add("owner_id = ?", owner);
    }
    if let Some(place) = wanted.place {
        filter.add("place = ?", place);
    }
    let sql = format!("select {COLUMNS} from disk_shares{} order by expires, created, hash", filter.clause());
    let rows: Vec<Row> = db.all(&sql, filter.values()).await?;
    rows.into_iter().map(Row::read).collect()
}

pub(super) async fn count_of(tx: &Tx, owner: UserId) -> DbResult<i64> {
    tx.number("select count(*) as n from disk_shares where owner_id = $1", vec![owner.into()]).await
}

pub(super) async fn insert(tx: &Tx, share: &Share) -> DbResult<()> {
    let [device, inode, born] = identity(&share.identity);
    let [max_bytes, max_files] = limits(share.collection.as_ref());
    let values: Vec<Value> = vec![
        share.hash.clone().into(),
        share.owner_id.into(),
        share.owner_name.clone().into(),
        share.path.clone().into(),
        share.place.clone().into(),
        device,
        inode,
        born,
        share.expires.map_or(0, Timestamp::as_millis).into(),
        share.password.clone().into(),
        share.created.as_millis().into(),
        max_bytes,
        max_files,
    ];
    let sql = format!(
        "insert into disk_shares ({COLUMNS}) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, null, $9, $10, $11, 0, $12, $13, 0, 0, 0, 0)"
    );
    tx.run(&sql, values).await.map(drop)
}

/// The bytes and files that visitors may send.
fn limits(collection: Option<&Collection>) -> [Value; 2] {
    let (bytes, files) = collection.map_or((0, 0), |limits| (limits.max_bytes, limits.max_files));
    [bytes, files].map(|number| i64::try_from(number).unwrap_or(i64::MAX).into())
}

/// Gives a link that takes files other limits.
pub(super) async fn set_limits(tx: &Tx, hash: &str, collection: &Collection) -> DbResult<()> {
    let values: Vec<Value> = limits(Some(collection)).into_iter().chain([hash.into()]).collect();
    tx.run("update disk_shares set max_bytes = $1, max_files = $2 where hash = $3", values).await.map(drop)
}

/// Counts a file that is about to get its place, unless the link's limits have no room for it or the link has ended.
/// Returns whether it was counted.
pub(super) async fn take(db: &Db, hash: &str, bytes: i64, now: Timestamp) -> DbResult<bool> {
    let sql = "update disk_shares set received_files = received_files + 1, received_bytes = received_bytes + $1 \
        where hash = $2 and received_files < max_files and received_bytes + $1 <= max_bytes \
        and (expires = 0 or expires > $3)";
    let tx = db.begin().await?;
    let counted = tx.run(sql, vec![bytes.into(), hash.into(), now.as_millis().into()]).await?;
    tx.commit().await?;
    Ok(counted > 0)
}

/// Takes back what [`take`] has counted: the file did not get its place.
pub(super) async fn give_back(db: &Db, hash: &str, bytes: i64) -> DbResult<()> {
    let sql = "update disk_shares set received_files = received_files - 1, received_bytes = received_bytes - $1 \
        where hash = $2 and received_files > 0";
    let tx = db.begin().await?;
    tx.run(sql, vec![bytes.into(), hash.into()]).await?;
    tx.commit().await
}

pub(super) async fn set_password(tx: &Tx, hash: &str, password: &str) -> DbResult<()> {
    tx.run("update disk_shares set password = $1 where hash = $2", vec![password.into(), hash.into()]).await.map(drop)
}

pub(super) async fn delete(tx: &Tx, hash: &str) -> DbResult<()> {
    tx.run("delete from disk_shares where hash = $1", vec![hash.into()]).await.map(drop)
}

pub(super) async fn sweep(tx: &Tx, now: Timestamp) -> DbResult<()> {
    let sql = "delete from disk_shares where expires <> 0 and expires <= $1";
    tx.run(sql, vec![now.as_millis().into()]).await.map(drop)
}

/// Every link that there is, by its hash.
pub(super) async fn hashes(db: &impl Sql) -> DbResult<HashSet<String>> {
    #[derive(Debug, FromQueryResult)]
    struct Hash {
        hash: String,
    }
    let rows: Vec<Hash> = db.all("select hash from disk_shares", vec![]).await?;
    Ok(rows.into_iter().map(|row| row.hash).collect())
}

/// Ends the shares of this place and of those below it. Writes nothing without such shares.
pub(super) async fn end(db: &Db, place: &str) -> DbResult<u64> {
    let at = "place = $1 or substr(place, 1, length($2)) = $2";
    let values: Vec<Value> = vec![place.into(), format!("{place}/").into()];
    if db.number(&format!("select count(*) as n from disk_shares where {at}"), values.clone()).await? == 0 {
        return Ok(0);
    }
    let tx = db.begin().await?;
    let ended = tx.run(&format!("delete from disk_shares where {at}"), values).await?;
    tx.commit().await?;
    Ok(ended)
}

/// Ends all shares of this person; returns their number.
pub(super) async fn end_of(db: &Db, owner: UserId) -> DbResult<u64> {
    let tx = db.begin().await?;
    let ended = tx.run("delete from disk_shares where owner_id = $1", vec![owner.into()]).await?;
    tx.commit().await?;
    Ok(ended)
}

/// Condition for the shares of a place that are bound to this entry, as the present or the next one.
fn bound_to(place: &str, entry: &Identity) -> (&'static str, Vec<Value>) {
    let at = "place = $1 and ((device = $2 and inode = $3 and born = $4) or next_entry = $5)";
    let mut values: Vec<Value> = vec![place.into()];
    values.extend(identity(entry));
    values.push(next(entry));
    (at, values)
}

async fn has_any(db: &Db, at: &str, values: &[Value]) -> DbResult<bool> {
    Ok(db.number(&format!("select count(*) as n from disk_shares where {at}"), values.to_vec()).await? > 0)
}

/// Binds the shares of one entry also to the one that is about to replace it.
pub(super) async fn bind_next(db: &Db, place: &str, entry: &Identity, coming: &Identity) -> DbResult<()> {
    let (at, mut values) = bound_to(place, entry);
    if !has_any(db, at, &values).await? {
        return Ok(());
    }
    values.push(next(coming));
    let tx = db.begin().await?;
    let set = "device = $2, inode = $3, born = $4, next_entry = $6";
    tx.run(&format!("update disk_shares set {set} where {at}"), values).await?;
    tx.commit().await
}

/// Binds the shares of one entry to the one that replaced it, and to no other.
pub(super) async fn rebind(db: &Db, place: &str, from: &Identity, to: &Identity) -> DbResult<()> {
    let (at, mut values) = bound_to(place, from);
    if !has_any(db, at, &values).await? {
        return Ok(());
    }
    values.extend(identity(to));
    let tx = db.begin().await?;
    let set = "device = $6, inode = $7, born = $8, next_entry = null";
    tx.run(&format!("update disk_shares set {set} where {at}"), values).await?;
    tx.commit().await
}

/// What visitors of a link did since it was last written down.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visited {
    pub(super) views: i64,
    pub(super) downloads: i64,
    /// The last visit, in milliseconds since 1970.
    pub(super) last: i64,
}

/// Adds to how often links were opened and fetched from.
pub(super) async fn add_visits(db: &Db, visits: HashMap<String, Visited>) -> DbResult<()> {
    let tx = db.begin().await?;
    for (hash, Visited { views, downloads, last }) in visits {
        let sql = "update disk_shares set views = views + $1, downloads = downloads + $2, \
            last_visit = case when last_visit < $3 then $3 else last_visit end where hash = $4";
        tx.run(sql, vec![views.into(), downloads.into(), last.into(), hash.into()]).await?;
    }
    tx.commit().await
}
