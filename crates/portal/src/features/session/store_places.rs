//! Known places in the database: addresses and devices that users have signed in from.

use db_kit::{Db, DbResult, Sql, Tx, placeholders};
use kernel::{Timestamp, UserId};

/// How many places are kept per user: the most recently used.
const MOST: i64 = 50;

/// Returns which of these marks are known for the account with this name (in lower case).
pub(super) async fn known(db: &Db, account: &str, marks: &[String]) -> DbResult<Vec<String>> {
    let sql = format!(
        "select p.mark from known_places p join users u on u.id = p.user_id where u.username_key = $1 and p.mark in ({})",
        placeholders(2, marks.len())
    );
    let values = std::iter::once(account.into()).chain(marks.iter().map(|mark| mark.as_str().into())).collect();
    db.column(&sql, values).await
}

/// Records a sign-in from these places.
pub(super) async fn note(tx: &Tx, user: UserId, marks: &[String], at: Timestamp) -> DbResult<()> {
    for mark in marks {
        tx.run(
            "insert into known_places (user_id, mark, last_used) values ($1, $2, $3) \
             on conflict (user_id, mark) do update set last_used = excluded.last_used",
            vec![user.into(), mark.as_str().into(), at.as_millis().into()],
        )
        .await?;
    }
    let sql = "delete from known_places where user_id = $1 and mark not in \
               (select mark from known_places where user_id = $1 order by last_used desc, mark limit $2)";
    tx.run(sql, vec![user.into(), MOST.into()]).await?;
    Ok(())
}

/// Deletes places without a sign-in since then.
pub(super) async fn forget_before(tx: &Tx, before: Timestamp) -> DbResult<u64> {
    tx.run("delete from known_places where last_used < $1", vec![before.as_millis().into()]).await
}
