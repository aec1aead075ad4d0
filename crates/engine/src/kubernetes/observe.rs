//! What there is on a cluster, in the words of workloads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::anchor::Anchor;
use super::claim::{Claim, Device};
use super::cluster::{Cluster, Seen};
use super::error::{absent, within};
use super::seen::PodSeen;
use super::{PING, QUICK};
use crate::{End, EndCause, Exit, Foreign, HeldCards, Observation, Observed, Phase, Result, WorkloadId};

impl Cluster {
    /// Whether it answers, and as whom it knows us.
    pub(super) async fn answers(&self) -> Result<()> {
        within(PING, self.client.apiserver_version()).await.map(drop)
    }

    pub(super) async fn observation(&self) -> Result<Observation> {
        // What is followed does not show by itself that the cluster is away.
        if let Err(error) = self.answers().await {
            self.doubt();
            return Err(error);
        }
        let seen = self.complete().await?;
        Ok(observation(seen, &self.settings.namespace))
    }

    /// One workload, as it is now.
    pub(super) async fn examination(&self, id: &WorkloadId) -> Result<Observed> {
        let anchor = self.anchor(id).await?;
        let pod = absent(within(QUICK, self.pods().get(&anchor.base)).await)?.map(|pod| PodSeen::of(&pod));
        let claims = self.claims();
        let claim = match anchor.made.cards.is_empty() {
            true => absent(within(QUICK, claims.get(&anchor.base)).await)?.map(|claim| Claim::of(&claim)),
            false => None,
        };
        let uuids = uuids(self.seen().await?);
        let mut observed =
            observed(&anchor, pod.as_ref().filter(|pod| pod.instance == id.as_str()), claim.as_ref(), &uuids);
        if matches!(observed.phase, Phase::Ended(_)) {
            let end = pod.and_then(|pod| pod.end).or(anchor.end);
            observed.phase = Phase::Ended(Some(end.unwrap_or_else(unknown)));
        }
        Ok(observed)
    }
}

/// How something ended of which nothing is left.
fn unknown() -> End {
    let exit = Exit { code: 255, out_of_memory: false, error: String::new(), finished: None };
    End { exit, cause: EndCause::Own }
}

type Uuids = BTreeMap<Device, String>;

/// The ids of cards as people know them, as far as they may be read.
fn uuids(seen: &Seen) -> Uuids {
    let slices = seen.slices.iter().flat_map(|slices| slices.all());
    let cards = slices.flat_map(|slice| slice.cards.clone());
    cards.filter(|card| !card.uuid.is_empty()).map(|card| (card.device, card.uuid)).collect()
}

fn observation(seen: &Seen, namespace: &str) -> Observation {
    let uuids = uuids(seen);
    let pods = seen.pods.all();
    let claims: BTreeMap<(String, String), Arc<Claim>> =
        seen.claims.iter().flat_map(|claims| claims.all()).map(|one| ((one.namespace.clone(), one.name.clone()), one)).collect();
    let anchors = seen.anchors.all();
    let anchors: Vec<&Anchor> = anchors.iter().filter_map(|anchor| anchor.as_ref().as_ref()).collect();
    let own: BTreeMap<&str, &Arc<PodSeen>> =
        pods.iter().filter(|pod| pod.namespace == namespace).map(|pod| (pod.name.as_str(), pod)).collect();
    let mut all = Observation::default();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for anchor in anchors {
        let pod = own.get(anchor.base.as_str()).filter(|pod| pod.instance == anchor.id.as_str());
        known.extend(pod.map(|pod| pod.uid.as_str()));
        let claim = claims.get(&(namespace.to_owned(), anchor.base.clone()));
        all.workloads.push(observed(anchor, pod.map(|pod| pod.as_ref()), claim.map(Arc::as_ref), &uuids));
    }
    let foreign = pods.iter().filter(|pod| !pod.is_part && !known.contains(pod.uid.as_str()));
    all.foreign = foreign.filter_map(|pod| foreign_of(pod, namespace, &claims, &uuids)).collect();
    all
}

fn observed(anchor: &Anchor, pod: Option<&PodSeen>, claim: Option<&Claim>, uuids: &Uuids) -> Observed {
    // A pod of an earlier generation is about to go.
    let phase = match pod {
        Some(pod) => pod.phase.clone(),
        None if anchor.end.is_some() => Phase::Ended(None),
        None => Phase::Waiting,
    };
    let given = claim.iter().flat_map(|claim| &claim.given);
    let mut given: Vec<String> = given.filter_map(|device| uuids.get(device).cloned()).collect();
    let picked = anchor.picked.iter().filter(|picked| pod.is_some_and(|pod| pod.uid == picked.pod && phase.is_active()));
    given.extend(picked.flat_map(|picked| picked.cards.iter().cloned()));
    Observed {
        id: anchor.id.clone(),
        generation: pod.and_then(|pod| pod.generation).filter(|_| phase.is_active()).unwrap_or(anchor.generation),
        node: pod.filter(|_| !matches!(phase, Phase::Ended(_))).map(|pod| pod.node.clone()).unwrap_or_default(),
        waits: pod.and_then(|pod| pod.waits.clone()),
        endpoints: pod.map(|pod| pod.endpoints.clone()).unwrap_or_default(),
        // What the cluster was to choose is known once it has.
        cards: if given.is_empty() { anchor.made.cards.clone() } else { given },
        object: anchor.object(),
        name: anchor.base.clone(),
        image: anchor.made.image.clone(),
        phase,
    }
}

/// What others run there, as far as it concerns us: all in our namespace, and what has cards.
fn foreign_of(
    pod: &PodSeen,
    namespace: &str,
    claims: &BTreeMap<(String, String), Arc<Claim>>,
    uuids: &Uuids,
) -> Option<Foreign> {
    let given = pod.claims.iter().filter_map(|name| claims.get(&(pod.namespace.clone(), name.clone())));
    let given = given.filter(|claim| claim.pods.contains(&pod.uid)).flat_map(|claim| &claim.given);
    let held = given.filter_map(|device| uuids.get(device).cloned()).collect();
    let cards = HeldCards { uuids: held, ..HeldCards::default() };
    let is_ours_to_show = pod.namespace == namespace || !cards.is_empty() || pod.counted > 0;
    is_ours_to_show.then(|| Foreign {
        object: pod.uid.clone(),
        name: pod.name.clone(),
        image: pod.image.clone(),
        active: pod.phase.is_active(),
        cards,
    })
}
