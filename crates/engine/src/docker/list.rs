//! All containers of an engine, with their owners.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU16;
use std::sync::PoisonError;

use bollard::models::{ContainerSummary, PortSummary, PortSummaryTypeEnum};
use bollard::query_parameters::{InspectContainerOptions, ListContainersOptions};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use kernel::Timestamp;

use super::create::{CARDS, GENERATION, INSTANCE, TOOLS};
use super::error::within;
use super::networks::memberships;
use super::probe::PROBE;
use super::{DockerEngine, QUICK, held, machine_helper, tools};
use crate::{Container, ContainerRef, ContainerState, Error, HeldCards, Mark, Owner, PortMapping, Protocol, Result};

/// Foreign containers whose cards are queried concurrently.
const AT_ONCE: usize = 8;

impl DockerEngine {
    pub(super) async fn list_containers(&self) -> Result<Vec<Container>> {
        let options = ListContainersOptions { all: true, ..ListContainersOptions::default() };
        let mut summaries = within(QUICK * 3, self.docker.list_containers(Some(options))).await?;
        summaries.retain(|summary| !is_the_portals_own(summary));
        self.forget_all_but(&summaries);
        let containers = stream::iter(summaries).map(|summary| self.owned(summary)).buffered(AT_ONCE);
        containers.try_filter_map(async |container| Ok(container)).try_collect().await
    }

    pub(super) async fn find_container(&self, instance: &str) -> Result<Option<ContainerRef>> {
        let filters = HashMap::from([("label".to_owned(), vec![format!("{INSTANCE}={instance}")])]);
        let options = ListContainersOptions { all: true, filters: Some(filters), ..ListContainersOptions::default() };
        let found = within(QUICK, self.docker.list_containers(Some(options))).await?;
        found.into_iter().find_map(|one| one.id).map(|id| Ok(id.parse()?)).transpose()
    }

    /// `None` for a container that was removed meanwhile.
    async fn owned(&self, summary: ContainerSummary) -> Result<Option<Container>> {
        let labels = summary.labels.clone().unwrap_or_default();
        let Some(id) = summary.id.as_ref().and_then(|id| id.parse::<ContainerRef>().ok()) else { return Ok(None) };
        let owner = match mark(&labels) {
            Some(mark) => Owner::Portal(mark),
            None => match self.held_by(&id).await {
                Ok(held) => Owner::Foreign(held),
                Err(Error::NotFound(_)) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        let networks = memberships(summary.network_settings.and_then(|settings| settings.networks));
        Ok(Some(Container {
            id,
            name: summary
                .names
                .iter()
                .flatten()
                .next()
                .map(|name| name.trim_start_matches('/').to_owned())
                .unwrap_or_default(),
            image: summary.image.unwrap_or_default(),
            image_id: summary.image_id.unwrap_or_default(),
            created: Timestamp::from_millis(summary.created.unwrap_or_default().saturating_mul(1000)),
            state: state(&summary.state.map(|state| state.to_string()).unwrap_or_default()),
            owner,
            ports: ports(summary.ports.iter().flatten()),
            networks: networks.into_iter().map(|one| one.network).collect(),
        }))
    }

    async fn held_by(&self, id: &ContainerRef) -> Result<HeldCards> {
        if let Some(known) = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(id.as_str()) {
            return Ok(known.clone());
        }
        let inspected =
            within(QUICK, self.docker.inspect_container(id.as_str(), None::<InspectContainerOptions>)).await?;
        let held = held::cards(&inspected);
        self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_string(), held.clone());
        Ok(held)
    }

    fn forget_all_but(&self, summaries: &[ContainerSummary]) {
        let present: HashSet<&str> = summaries.iter().filter_map(|summary| summary.id.as_deref()).collect();
        self.held.lock().unwrap_or_else(PoisonError::into_inner).retain(|id, _| present.contains(id.as_str()));
    }
}

/// Whether a container is the probe, the machine helper, or holds our program for instances.
fn is_the_portals_own(summary: &ContainerSummary) -> bool {
    summary.labels.as_ref().is_some_and(|labels| labels.contains_key(PROBE))
        || machine_helper::is_helper(summary)
        || tools::holds_tools(summary)
}

/// The portal's mark in the labels. In an image of an instance these labels are empty.
pub(super) fn mark(labels: &HashMap<String, String>) -> Option<Mark> {
    let instance = labels.get(INSTANCE).filter(|instance| !instance.is_empty())?;
    let cards = labels.get(CARDS).map_or("", String::as_str);
    Some(Mark {
        instance: instance.clone(),
        generation: labels.get(GENERATION)?.parse().ok()?,
        cards: cards.split(',').filter(|card| !card.is_empty()).map(str::to_owned).collect(),
        tools: labels.get(TOOLS).is_some_and(|volume| !volume.is_empty()),
    })
}

/// Parses Docker's state; an unknown one counts as not running reliably.
pub(super) fn state(word: &str) -> ContainerState {
    match word {
        "created" => ContainerState::Created,
        "running" | "stopping" => ContainerState::Running,
        "paused" => ContainerState::Paused,
        "restarting" => ContainerState::Restarting,
        "removing" => ContainerState::Removing,
        "exited" => ContainerState::Exited,
        _ => ContainerState::Dead,
    }
}

/// Published ports, each once: Docker lists a port for IPv4 and for IPv6.
fn ports<'a>(ports: impl Iterator<Item = &'a PortSummary>) -> Vec<PortMapping> {
    let mut all: Vec<PortMapping> = ports
        .filter_map(|port| {
            let address = port.ip.as_ref().and_then(|ip| ip.parse::<std::net::IpAddr>().ok());
            Some(PortMapping {
                container: NonZeroU16::new(port.private_port)?,
                host: NonZeroU16::new(port.public_port?)?,
                protocol: if port.typ == Some(PortSummaryTypeEnum::UDP) { Protocol::Udp } else { Protocol::Tcp },
                address: address.filter(|address| !address.is_unspecified()),
            })
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn labels_of_a_saved_image_make_nothing_ours() {
        let ours = mark(&labels(&[(INSTANCE, "i-1"), (GENERATION, "3"), (CARDS, "GPU-a,GPU-b")])).unwrap();
        assert_eq!((ours.instance.as_str(), ours.generation, ours.cards.len()), ("i-1", 3, 2));
        assert!(mark(&labels(&[(INSTANCE, "i-1"), (GENERATION, "3"), (CARDS, "")])).unwrap().cards.is_empty());
        assert_eq!(mark(&labels(&[(INSTANCE, ""), (GENERATION, ""), (CARDS, "")])), None);
        assert_eq!(mark(&labels(&[(INSTANCE, "i-1"), (GENERATION, "x")])), None);
        assert_eq!(mark(&labels(&[])), None);
    }
}
