//! Evidence on whether a container ended together with its engine. Docker does not report its own start, but it keeps
//! its events only in memory: an engine without events from before the end was started about then, or later. Docker
//! keeps the newest 256; each look through the probe adds some, so that there are always some while a portal runs.

use std::time::Duration;

use bollard::query_parameters::EventsOptions;
use futures_util::TryStreamExt;
use kernel::Timestamp;

use super::error::within;
use super::inspect::{moment, seconds};
use super::{DockerEngine, QUICK, probe};
use crate::{EndWitness, Error, Result};

/// After being killed, an engine ends the containers that outlived it at its next start, and has events of that:
/// stopping and then killing them takes up to this long.
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
