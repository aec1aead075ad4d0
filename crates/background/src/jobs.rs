//! The job table: work that is written down in the transaction that requests it and done later, once, by one process.
//!
//! A row has the kind of work, its owner, the number of tries and when it is due. The details are in the feature's own
//! table, under the same id. The process that does the work holds a lease, which it renews; an expired lease is swept:
//! the work was interrupted, and is either due again or failed.

use std::time::Duration;

use db_kit::{DbResult, FromQueryResult, Sql};
use kernel::{Timestamp, UserId};

/// A lease that was not renewed for this long is swept. Runners renew once a minute.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(150);

/// A job table, by its name. The portal and a separate storage host have one each, of the same shape.
#[derive(Clone, Copy, Debug)]
pub struct Jobs {
    table: &'static str,
}

/// Work to be written down.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// Its id, which the feature's own row has too.
    pub id: &'a str,
    /// The kind of work, such as `image-build`.
    pub kind: &'a str,
    /// The person whom it is done for.
    pub owner: Option<UserId>,
    /// The process that holds its lease from the beginning; empty: it waits for any.
    pub runner: &'a str,
    /// When it is to be done, at the earliest.
    pub due: Timestamp,
}

/// A try of a job, by how often the job failed before.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The job's id.
    pub job: &'a str,
    /// How often it failed.
    pub tries: i64,
}

/// Which jobs were broken off.
#[derive(Clone, Copy, Debug)]
pub enum Broken<'a> {
    /// All running ones: no other process uses the database.
    All,
    /// Those of an earlier process with the same name.
    RunBy(&'a str),
    /// Those whose lease was last renewed before this time.
    NotRenewedSince(Timestamp),
}

/// How many jobs of a kind are in a state.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct JobCount {
    /// The kind.
    pub kind: String,
    /// The state.
    pub state: String,
    /// How many.
    pub count: i64,
}

/// The states of a job that has not ended.
const OPEN: &str = "state in ('queued', 'running')";

impl Jobs {
    /// The job table of this name.
    #[must_use]
    pub const fn of(table: &'static str) -> Self {
        Self { table }
    }

    /// Writes down work that is to be done.
    ///
    /// # Errors
    /// When the database fails, as in all of these.
    pub async fn add(&self, db: &impl Sql, job: NewJob<'_>, now: Timestamp) -> DbResult<()> {
        self.add_all(db, &[job], now).await
    }

    /// Writes down several, a few thousand at most.
    ///
    /// # Errors
    /// As above.
    pub async fn add_all(&self, db: &impl Sql, jobs: &[NewJob<'_>], now: Timestamp) -> DbResult<()> {
        const EACH: usize = 5;
        let row = |n: usize| {
            let first = 2 + n * EACH;
            let [id, kind, owner, runner, due] = [0, 1, 2, 3, 4].map(|at| first + at);
            format!("(${id}, ${kind}, 'queued', ${owner}, ${runner}, $1, ${due}, 0, '', $1)")
        };
        let sql = format!(
            "insert into {} (id, kind, state, owner, runner, renewed, due, tries, error, created) values {}",
            self.table,
            (0..jobs.len()).map(row).collect::<Vec<_>>().join(", ")
        );
        let mut values = vec![now.as_millis().into()];
        for job in jobs {
            values.extend([
                job.id.into(),
                job.kind.into(),
                job.owner.into(),
                job.runner.into(),
                job.due.as_millis().into(),
            ]);
        }
        db.run(&sql, values).await.map(drop)
    }

    /// Takes the lease of a waiting job; `false` when another process has it.
    ///
    /// # Errors
    /// As above.
    pub async fn begin(&self, db: &impl Sql, id: &str, runner: &str, now: Timestamp) -> DbResult<bool> {
        let sql = format!(
            "update {} set state = 'running', runner = $2, renewed = $3, started = $3 \
            where id = $1 and (state = 'queued' and runner in ('', $2) or state = 'running' and runner = $2)",
            self.table
        );
        Ok(db.run(&sql, vec![id.into(), runner.into(), now.as_millis().into()]).await? > 0)
    }

    /// Takes the lease of a job for `runner`, and inserts the job if it is missing: for work that is found repeatedly
    /// until it is reported done. Renews the lease where `runner` has it; `false` when another process has it.
    ///
    /// # Errors
    /// As above.
    pub async fn claim(&self, db: &impl Sql, job: NewJob<'_>, now: Timestamp) -> DbResult<bool> {
        let sql = format!(
            "insert into {table} (id, kind, state, owner, runner, renewed, due, tries, error, created, started) \
            values ($1, $2, 'running', $3, $4, $5, $6, 0, '', $5, $5) \
            on conflict (id) do update set state = 'running', runner = excluded.runner, renewed = excluded.renewed \
            where {table}.runner in ('', excluded.runner)",
            table = self.table
        );
        let values = vec![
            job.id.into(),
            job.kind.into(),
            job.owner.into(),
            job.runner.into(),
            now.as_millis().into(),
            job.due.as_millis().into(),
        ];
        Ok(db.run(&sql, values).await? > 0)
    }

    /// Renews the leases of everything that a process runs.
    ///
    /// # Errors
    /// As above.
    pub async fn renew(&self, db: &impl Sql, runner: &str, now: Timestamp) -> DbResult<u64> {
        let sql = format!("update {} set renewed = $2 where runner = $1 and {OPEN}", self.table);
        db.run(&sql, vec![runner.into(), now.as_millis().into()]).await
    }

    /// Writes down how a job ended: `done`, `failed` with a reason for people, or `cancelled`. A job that was swept as
    /// broken off while its process was only slow ends as it really did.
    ///
    /// # Errors
    /// As above.
    pub async fn end(&self, db: &impl Sql, id: &str, state: &str, error: &str, now: Timestamp) -> DbResult<bool> {
        let sql = format!(
            "update {} set state = $2, error = $3, ended = $4 where id = $1 and state not in ('done', 'cancelled')",
            self.table
        );
        Ok(db.run(&sql, vec![id.into(), state.into(), error.into(), now.as_millis().into()]).await? > 0)
    }

    /// Reports a failed try: the job is due again at `next`, or failed for good without one. Only the first report of
    /// the same try counts.
    ///
    /// # Errors
    /// As above.
    pub async fn retry(
        &self,
        db: &impl Sql,
        attempt: Attempt<'_>,
        error: &str,
        next: Option<Timestamp>,
        now: Timestamp,
    ) -> DbResult<bool> {
        let sql = format!(
            "update {} set state = $3, runner = '', tries = tries + 1, error = $4, due = coalesce($5, due), \
            ended = $6 where id = $1 and tries = $2",
            self.table
        );
        let state = if next.is_some() { "queued" } else { "failed" };
        let ended = next.is_none().then_some(now.as_millis());
        let values = vec![
            attempt.job.into(),
            attempt.tries.into(),
            state.into(),
            error.into(),
            next.map(Timestamp::as_millis).into(),
            ended.into(),
        ];
        Ok(db.run(&sql, values).await? > 0)
    }

    /// Makes failed jobs of a kind due again, as if they had never been tried; how many.
    ///
    /// # Errors
    /// As above.
    pub async fn revive(&self, db: &impl Sql, kind: &str, now: Timestamp) -> DbResult<u64> {
        let sql = format!(
            "update {} set state = 'queued', tries = 0, due = $2, ended = null where kind = $1 and state = 'failed'",
            self.table
        );
        db.run(&sql, vec![kind.into(), now.as_millis().into()]).await
    }

    /// Removes a job. The feature's own row is deleted with it by its foreign key.
    ///
    /// # Errors
    /// As above.
    pub async fn remove(&self, db: &impl Sql, id: &str) -> DbResult<u64> {
        db.run(&format!("delete from {} where id = $1", self.table), vec![id.into()]).await
    }

    /// Removes the jobs of a kind that have not ended; how many.
    ///
    /// # Errors
    /// As above.
    pub async fn remove_open(&self, db: &impl Sql, kind: &str) -> DbResult<u64> {
        db.run(&format!("delete from {} where kind = $1 and {OPEN}", self.table), vec![kind.into()]).await
    }

    /// Removes jobs of a kind that failed for good, all or those created before `before`; returns their number.
    ///
    /// # Errors
    /// As above.
    pub async fn remove_failed(&self, db: &impl Sql, kind: &str, before: Option<Timestamp>) -> DbResult<u64> {
        let before = before.map_or(i64::MAX, Timestamp::as_millis);
        let sql = format!("delete from {} where kind = $1 and state = 'failed' and created < $2", self.table);
        db.run(&sql, vec![kind.into(), before.into()]).await
    }

    /// How many jobs of a kind have not ended.
    ///
    /// # Errors
    /// As above.
    pub async fn count_open(&self, db: &impl Sql, kind: &str) -> DbResult<i64> {
        db.number(&format!("select count(*) as n from {} where kind = $1 and {OPEN}", self.table), vec![kind.into()])
            .await
    }

    /// How many jobs of a kind are in a state.
    ///
    /// # Errors
    /// As above.
    pub async fn count(&self, db: &impl Sql, kind: &str, state: &str) -> DbResult<i64> {
        let sql = format!("select count(*) as n from {} where kind = $1 and state = $2", self.table);
        db.number(&sql, vec![kind.into(), state.into()]).await
    }

    /// How many jobs of each kind are in each state.
    ///
    /// # Errors
    /// As above.
    pub async fn counts(&self, db: &impl Sql) -> DbResult<Vec<JobCount>> {
        let sql = format!("select kind, state, count(*) as count from {} group by kind, state", self.table);
        db.all(&sql, vec![]).await
    }

    /// Fails jobs of a kind that were broken off, with this reason for people; how many.
    ///
    /// # Errors
    /// As above.
    pub async fn fail_broken(
        &self,
        db: &impl Sql,
        kind: &str,
        broken: Broken<'_>,
        reason: &str,
        now: Timestamp,
    ) -> DbResult<u64> {
        let (condition, mut values) = broken.condition(4);
        let sql = format!(
            "update {} set state = 'failed', error = $1, ended = $2 \
            where kind = $3 and {OPEN} and created <= $2{condition}",
            self.table
        );
        values.splice(0..0, [reason.into(), now.as_millis().into(), kind.into()]);
        db.run(&sql, values).await
    }

    /// Makes jobs of a kind due again that were broken off while they ran; how many.
    ///
    /// # Errors
    /// As above.
    pub async fn requeue_broken(&self, db: &impl Sql, kind: &str, broken: Broken<'_>) -> DbResult<u64> {
        let (condition, mut values) = broken.condition(2);
        let sql = format!(
            "update {} set state = 'queued', runner = '' where kind = $1 and state = 'running'{condition}",
            self.table
        );
        values.insert(0, kind.into());
        db.run(&sql, values).await
    }
}

impl Broken<'_> {
    /// The condition, whose first placeholder has this number, and its values.
    fn condition(self, number: usize) -> (String, Vec<db_kit::Value>) {
        match self {
            Self::All => (String::new(), Vec::new()),
            Self::RunBy(runner) => (format!(" and runner = ${number}"), vec![runner.into()]),
            Self::NotRenewedSince(time) => (format!(" and renewed < ${number}"), vec![time.as_millis().into()]),
        }
    }
}
