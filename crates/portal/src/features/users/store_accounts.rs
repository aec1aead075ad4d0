//! Users as signing in and the disk need them.

use db_kit::{Db, DbResult, FromQueryResult, Record, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

use super::model::Source;

/// A user as sign-in needs them.
#[derive(Debug, Record)]
#[record(table = "users")]
pub(crate) struct LoginUser {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) role: i64,
    pub(crate) active: bool,
    #[record(word)]
    source: Source,
    pub(crate) password_hash: Option<String>,
    /// An administrator set the password.
    pub(crate) must_change_password: bool,
}

impl LoginUser {
    /// Whether the directory has the password.
    pub(crate) fn is_from_directory(&self) -> bool {
        self.source != Source::Local
    }
}

/// A user as the disk needs them.
#[derive(Debug, FromQueryResult)]
pub(crate) struct DiskFacts {
    pub(crate) username: String,
    pub(crate) role: i64,
    pub(crate) active: bool,
    pub(crate) disk_quota: i64,
}

pub(crate) async fn disk_facts(db: &impl Sql, user: UserId) -> DbResult<Option<DiskFacts>> {
    db.first("select username, role, active, disk_quota from users where id = $1", vec![user.into()]).await
}

/// A user's number, name and role.
#[derive(Debug, FromQueryResult)]
pub(crate) struct NameAndRole {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) role: i64,
}

pub(crate) async fn names_and_roles(db: &Db) -> DbResult<Vec<NameAndRole>> {
    db.all("select id, username, role from users order by id", vec![]).await
}

/// Name of an active administrator; `None` for any other user.
pub(crate) async fn administrator_name(db: &impl Sql, id: UserId) -> DbResult<Option<String>> {
    let sql = "select id, username, role from users where id = $1 and active = $2";
    let found: Option<NameAndRole> = db.first(sql, vec![id.into(), true.into()]).await?;
    let is_admin = |user: &NameAndRole| user.role == i64::from(kernel::Role::Admin);
    Ok(found.filter(is_admin).map(|user| user.username))
}

/// A person who may receive notices.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct Contact {
    pub(crate) id: UserId,
    pub(crate) name: String,
    /// Empty: mail does not reach them.
    pub(crate) email: String,
}

/// Those of these people who exist and are not disabled.
pub(crate) async fn contacts(db: &impl Sql, ids: &[UserId]) -> DbResult<Vec<Contact>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let sql = format!(
        "select id, name, email from users where active = $1 and id in ({}) order by id",
        placeholders(2, ids.len())
    );
    let mut values = vec![true.into()];
    values.extend(ids.iter().map(|id| (*id).into()));
    db.all(&sql, values).await
}

/// All administrators who are not disabled.
pub(crate) async fn administrators(db: &impl Sql) -> DbResult<Vec<UserId>> {
    let sql = "select id from users where role = $1 and active = $2 order by id";
    db.column(sql, vec![i64::from(kernel::Role::Admin).into(), true.into()]).await
}

/// Returns the creation time of the oldest account; `None` without accounts.
pub(crate) async fn first_created(db: &impl Sql) -> DbResult<Option<Timestamp>> {
    let first = db.number("select min(created) as n from users", vec![]).await?;
    Ok((first > 0).then(|| Timestamp::from_millis(first)))
}

/// Whether one of these people is an administrator.
pub(crate) async fn has_administrator(db: &impl Sql, ids: &[UserId]) -> DbResult<bool> {
    let sql = format!("select count(*) as n from users where role = $1 and id in ({})", placeholders(2, ids.len()));
    let role = i64::from(kernel::Role::Admin);
    let values = std::iter::once(role.into()).chain(ids.iter().map(|id| (*id).into())).collect();
    Ok(db.number(&sql, values).await? > 0)
}

/// A person with a disk quota.
#[derive(Debug, FromQueryResult)]
pub(crate) struct WithDiskQuota {
    pub(crate) id: UserId,
    pub(crate) username: String,
    pub(crate) disk_quota: i64,
}

pub(crate) async fn with_disk_quota(db: &Db) -> DbResult<Vec<WithDiskQuota>> {
    db.all("select id, username, disk_quota from users where disk_quota > 0 order by id", vec![]).await
}

pub(crate) async fn login_user(db: &impl Sql, username: &str) -> DbResult<Option<LoginUser>> {
    let sql = format!("{} where username_key = $1", LoginUser::select());
    db.first(&sql, vec![username.to_lowercase().into()]).await
}

/// Whether an imported account has not signed in yet.
pub(crate) async fn has_imported_passwords(db: &impl Sql) -> DbResult<bool> {
    let sql = "select count(*) as n from users where password_hash like '$2%'";
    Ok(db.number(sql, vec![]).await? > 0)
}

/// Keeps another hash of the same password, unless it was changed meanwhile.
pub(crate) async fn replace_password_hash(db: &Db, user: UserId, from: &str, to: &str) -> DbResult<()> {
    let tx = db.begin().await?;
    let sql = "update users set password_hash = $3 where id = $1 and password_hash = $2";
    tx.run(sql, vec![user.into(), from.into(), to.into()]).await?;
    tx.commit().await
}

pub(crate) async fn lock_password(tx: &Tx, user: UserId, locked: bool) -> DbResult<()> {
    tx.run("update users set password_locked = $2 where id = $1", vec![user.into(), locked.into()]).await?;
    Ok(())
}

pub(super) async fn is_password_locked(db: &Db, user: UserId) -> DbResult<bool> {
    let sql = "select count(*) as n from users where id = $1 and password_locked";
    Ok(db.number(sql, vec![user.into()]).await? > 0)
}

/// Whether an administrator or the program chose the password and its owner has not chosen another. False while the
/// owner may not change it.
pub(crate) async fn has_foreign_password(db: &impl Sql, user: UserId) -> DbResult<bool> {
    let sql = "select count(*) as n from users where id = $1 and password_made_up = $2 and not password_locked";
    Ok(db.number(sql, vec![user.into(), true.into()]).await? > 0)
}

pub(crate) async fn note_login(tx: &Tx, user: UserId, at: Timestamp) -> DbResult<()> {
    tx.run("update users set last_login = $2 where id = $1", vec![user.into(), at.as_millis().into()]).await?;
    Ok(())
}

/// Sets the password that its owner chose. Returns false, and changes nothing, if another was set since `from` was
/// read.
pub(crate) async fn replace_password(tx: &Tx, user: UserId, from: Option<&str>, to: &str) -> DbResult<bool> {
    let sql = "update users set password_hash = $3, must_change_password = $4, password_made_up = $4 \
        where id = $1 and password_hash = $2";
    Ok(tx.run(sql, vec![user.into(), from.into(), to.into(), false.into()]).await? > 0)
}
