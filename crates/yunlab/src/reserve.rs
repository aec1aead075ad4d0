//! Keeping room for the database on a disk that others fill, as a duty of the process.

use std::time::Duration;

use background::{Duties, Duty, Scope};
use db_kit::Db;
use tokio_util::task::AbortOnDropHandle;

static KEEPS: Duty = Duty {
    name: "database-reserve",
    title: "为数据库预留空间",
    description: "在数据库文件里留出空闲的空间，磁盘写满时仍能登录、结束登录和永久删除文件",
    period: Duration::from_secs(60),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Keeps it until what is returned is dropped; nothing on PostgreSQL, which has room of its own.
pub(crate) fn keep(db: &Db, duties: &Duties) -> Option<AbortOnDropHandle<()>> {
    if db.is_postgres() {
        return None;
    }
    let (db, attendance) = (db.clone(), duties.attend(&KEEPS, ""));
    Some(AbortOnDropHandle::new(tokio::spawn(async move {
        loop {
            attendance.run(async { Ok(db.keep_reserve().await?) }).await;
            attendance.pause().await;
        }
    })))
}
