//! Starting, stopping, changing and removing.

use std::time::Duration;

use bollard::models::ContainerUpdateBody;
use bollard::query_parameters::{RemoveContainerOptions, StartContainerOptions, StopContainerOptions};

use super::create::signed;
use super::error::within;
use super::{DockerEngine, QUICK, WORK};
use crate::{CPU_PERIOD_MICROS, ContainerRef, Resources, Result};

/// Memory without a limit: 0 would mean "unchanged".
const ALL_MEMORY: i64 = i64::MAX & !0xfff;

impl DockerEngine {
    pub(super) async fn start_container(&self, container: &ContainerRef) -> Result<()> {
        within(WORK, self.docker.start_container(container.as_str(), None::<StartContainerOptions>)).await
    }

    pub(super) async fn stop_container(&self, container: &ContainerRef, grace: Duration) -> Result<()> {
        let options = StopContainerOptions { signal: None, t: Some(seconds(grace)) };
        within(grace + WORK, self.docker.stop_container(container.as_str(), Some(options))).await
    }

    /// Engines refuse to pause a paused container.
    pub(super) async fn pause_container(&self, container: &ContainerRef) -> Result<()> {
        if !self.is_paused(container).await? {
            within(QUICK, self.docker.pause_container(container.as_str())).await?;
        }
        Ok(())
    }

    pub(super) async fn resume_container(&self, container: &ContainerRef) -> Result<()> {
        if self.is_paused(container).await? {
            within(QUICK, self.docker.unpause_container(container.as_str())).await?;
        }
        Ok(())
    }

    async fn is_paused(&self, container: &ContainerRef) -> Result<bool> {
        Ok(self.raw(container).await?.state.and_then(|state| state.paused).unwrap_or_default())
    }

    pub(super) async fn update_container(&self, container: &ContainerRef, resources: &Resources) -> Result<()> {
        let limited = |number: u64, without: i64| if number == 0 { without } else { signed(number) };
        let body = ContainerUpdateBody {
            cpu_period: Some(signed(CPU_PERIOD_MICROS)),
            cpu_quota: Some(limited(resources.cpu_quota, -1)),
            memory: Some(limited(resources.memory, ALL_MEMORY)),
            memory_swap: Some(limited(resources.memory, -1)),
            pids_limit: Some(i64::from(resources.pids)),
            ..ContainerUpdateBody::default()
        };
        within(QUICK, self.docker.update_container(container.as_str(), body)).await
    }

    /// Its own nameless volumes go with it.
    pub(super) async fn remove_container(&self, container: &ContainerRef) -> Result<()> {
        let options = RemoveContainerOptions { v: true, ..RemoveContainerOptions::default() };
        within(WORK * 3, self.docker.remove_container(container.as_str(), Some(options))).await
    }
}

fn seconds(grace: Duration) -> i32 {
    i32::try_from(grace.as_secs()).unwrap_or(i32::MAX)
}
