//! What there is on the engine, in the words of workloads.

use super::{DockerRuntime, names};
use crate::{
    Container, ContainerRef, ContainerState, End, EndCause, Endpoint, Error, Exit, Foreign, HeldCards, Observation,
    Observed, Owner, Phase, PortMapping, Result,
};

impl DockerRuntime {
    /// One container, and how it ended.
    pub(super) async fn autopsy(&self, container: &ContainerRef) -> Result<Observed> {
        let found = self.engine.inspect(container).await?;
        let mut observed = observed(&found.container)
            .ok_or_else(|| Error::NotFound(format!("container {container} is no portal's")))?;
        // One that could not be started ended, too.
        if let Some(exit) = found.exit.filter(|_| !observed.phase.is_active()) {
            observed.phase = Phase::Ended(Some(End { cause: self.cause(&exit).await?, exit }));
        }
        Ok(observed)
    }

    async fn cause(&self, exit: &Exit) -> Result<EndCause> {
        let Some(finished) = exit.finished else { return Ok(EndCause::Own) };
        match self.engine.end_witness(finished).await {
            Ok(witness) => Ok(witness.cause(exit)),
            Err(error @ Error::Unreachable(_)) => Err(error),
            Err(error) => {
                tracing::warn!(%error, "why a container ended can't be told");
                Ok(EndCause::Own)
            }
        }
    }
}

pub(super) fn observation(list: &[Container]) -> Observation {
    let mut all = Observation::default();
    for one in list {
        match observed(one) {
            Some(observed) => all.workloads.push(observed),
            None => all.foreign.push(foreign(one)),
        }
    }
    all
}

fn observed(one: &Container) -> Option<Observed> {
    let id = names::workload(one)?;
    let Owner::Portal(mark) = &one.owner else { return None };
    Some(Observed {
        id,
        generation: mark.generation,
        phase: phase(one.state),
        node: String::new(),
        waits: None,
        endpoints: one.ports.iter().map(endpoint).collect(),
        cards: mark.cards.clone(),
        object: one.id.to_string(),
        name: one.name.clone(),
        image: one.image.clone(),
    })
}

fn phase(state: ContainerState) -> Phase {
    match state {
        ContainerState::Created => Phase::Waiting,
        ContainerState::Running | ContainerState::Restarting => Phase::Running,
        ContainerState::Paused => Phase::Frozen,
        ContainerState::Removing | ContainerState::Exited | ContainerState::Dead => Phase::Ended(None),
    }
}

fn endpoint(port: &PortMapping) -> Endpoint {
    Endpoint { port: port.container, protocol: port.protocol, node_port: port.host }
}

fn foreign(one: &Container) -> Foreign {
    let cards = match &one.owner {
        Owner::Foreign(held) => held.clone(),
        // Its label is no workload's id.
        Owner::Portal(mark) => HeldCards { uuids: mark.cards.clone(), ..HeldCards::default() },
    };
    let (name, image) = (one.name.clone(), one.image.clone());
    Foreign { object: one.id.to_string(), name, image, active: one.state.is_active(), cards }
}
