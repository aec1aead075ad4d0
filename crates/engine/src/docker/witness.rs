//! Whether a container ended together with its engine. Docker does not tell when it was started, but its events are
//! kept in its memory alone: one that remembers nothing from before the end was started about then, or later. Docker
//! keeps the newest 256; each look through the probe adds some, so that there always are some while a portal looks.

use std::time::Duration;

use bollard::query_parameters::EventsOptions;
use futures_util::TryStreamExt;
use kernel::Timestamp;

use super::error::within;
use super::inspect::{moment, seconds};
use super::{DockerEngine, QUICK, probe};
use crate::{EndWitness, Error, Result};

/// An engine that was killed ends, when it is started again, what went on without it, and remembers that: telling
/// containers to stop and killing those that don't takes so long.
const STOPPING: Duration = Duration::from_secs(30);

impl DockerEngine {
    pub(super) async fn look_around(&self, end: Timestamp) -> Result<EndWitness> {
        let name = probe::NAME.parse()?;
        let (probe, engine_ran_before) = tokio::join!(self.raw(&name), self.remembers_before(end.minus(STOPPING)));
        let (probe_runs, probe_ended) = match probe.map(|found| found.state.unwrap_or_default()) {
            Ok(state) => (state.running.unwrap_or_default(), state.finished_at.as_deref().and_then(moment)),
            Err(Error::NotFound(_)) => (false, None),
            Err(error) => return Err(error),
        };
        Ok(EndWitness { probe_runs, probe_ended, engine_ran_before: engine_ran_before? })
    }

    async fn remembers_before(&self, moment: Timestamp) -> Result<bool> {
        let since = seconds(Timestamp::from_millis(1));
        let options = EventsOptions { since: Some(since), until: Some(seconds(moment)), filters: None };
        let mut events = self.docker.events(Some(options));
        Ok(within(QUICK, events.try_next()).await?.is_some())
    }
}
