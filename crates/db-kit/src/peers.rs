//! Processes on one database: their messages to each other, and the election of a leader. Only PostgreSQL is shared; on
//! SQLite a process is alone, so it is always the leader and has no peers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{DbErr, RuntimeErr};
use sqlx::postgres::PgListener;
use sqlx::{Connection, PgConnection, PgPool};

use crate::{Db, DbError, DbResult, Sql};

/// [`Lead::confirm`] must be called at least this often, or the database ends the connection and another process may
/// lead.
const SILENT_FOR: &str = "set idle_session_timeout = '30s'";
/// A leader that cannot confirm within this time assumes it lost leadership, well before another may have it.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(10);

/// Leadership among the processes on a database, held until it is released or dropped, or the connection that holds it
/// breaks.
#[derive(Debug)]
pub struct Lead(Option<PgConnection>);

/// Messages of all processes on the database, including this one.
#[derive(Debug)]
pub struct Listener(PgListener);

impl Db {
    /// Takes the lead in `topic`; `None` while another process has it.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lead(&self, topic: &str) -> DbResult<Option<Lead>> {
        let Some(pool) = self.postgres() else { return Ok(Some(Lead(None))) };
        let mut connection = pool.acquire().await.map_err(failed)?;
        // The two-number form of the lock, so that it never clashes with a topic of `Tx::serialize`, which uses one
        // number.
        let taken = sqlx::query_scalar("select pg_try_advisory_lock(hashtext('lead'), hashtext($1))")
            .bind(topic)
            .fetch_one(&mut *connection)
            .await
            .map_err(failed)?;
        Ok(if taken { Some(Lead::holding(connection.detach()).await?) } else { None })
    }

    /// Waits for the lead in `topic`.
    pub(crate) async fn turn(&self, topic: &str) -> DbResult<Lead> {
        let Some(pool) = self.postgres() else { return Ok(Lead(None)) };
        let mut connection = pool.acquire().await.map_err(failed)?.detach();
        sqlx::query("select pg_advisory_lock(hashtext('lead'), hashtext($1))")
            .bind(topic)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Lead(Some(connection)))
    }

    /// Sends a message of less than 8000 bytes on `channel`.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn say(&self, channel: &str, text: &str) -> DbResult<()> {
        if self.is_postgres() {
            self.run("select pg_notify($1, $2)", vec![channel.into(), text.into()]).await?;
        }
        Ok(())
    }

    /// Listens to `channel` from now on; `None` on SQLite.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn listen(&self, channel: &str) -> DbResult<Option<Listener>> {
        let Some(pool) = self.postgres() else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await.map_err(failed)?;
        listener.listen(channel).await.map_err(failed)?;
        Ok(Some(Listener(listener)))
    }

    fn postgres(&self) -> Option<&PgPool> {
        self.is_postgres().then(|| self.writer().get_postgres_connection_pool())
    }
}

impl Lead {
    async fn holding(mut connection: PgConnection) -> DbResult<Self> {
        sqlx::query(SILENT_FOR).execute(&mut connection).await.map_err(failed)?;
        Ok(Self(Some(connection)))
    }

    /// Confirms that this process still leads.
    ///
    /// # Errors
    /// When leadership is lost.
    pub async fn confirm(&mut self) -> DbResult<()> {
        let Some(connection) = &mut self.0 else { return Ok(()) };
        let asked = tokio::time::timeout(CONFIRMED_WITHIN, connection.ping()).await;
        asked.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())).map_err(failed)
    }

    /// Gives the lead up at once.
    ///
    /// # Errors
    /// When the database does not answer; then it notices by itself.
    pub async fn release(self) -> DbResult<()> {
        let Some(mut connection) = self.0 else { return Ok(()) };
        // The database takes a while to notice a closed connection.
        sqlx::query("select pg_advisory_unlock_all()").execute(&mut connection).await.map_err(failed)?;
        connection.close().await.map_err(failed)
    }
}

impl Listener {
    /// Returns the next message; `None` when some may have been missed, because the connection broke.
    ///
    /// # Errors
    /// When the connection cannot be restored.
    pub async fn next(&mut self) -> DbResult<Option<String>> {
        let said = self.0.try_recv().await.map_err(failed)?;
        Ok(said.map(|said| said.payload().to_owned()))
    }
}

pub(crate) fn failed(error: sqlx::Error) -> DbError {
    DbError::Other(DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error))))
}
