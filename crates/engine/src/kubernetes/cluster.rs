//! A cluster's API, and what was last seen there.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Event, Node, PersistentVolumeClaim, Pod, Secret};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceSlice};
use kube::api::{ListParams, PatchParams, PostParams};
use kube::{Api, Client};
use tokio::sync::{OnceCell, watch};

use super::anchor::Anchor;
use super::claim::{Claim, Slice};
use super::error::within;
use super::seen::PodSeen;
use super::settings::KubernetesSettings;
use super::trial::RootMode;
use super::usage::Meters;
use super::watched::Watched;
use super::{QUICK, names, nodes};
use crate::{ClusterNode, Error, Result, Site};

/// Time until all is seen for the first time, or again.
const LOOK: Duration = Duration::from_secs(20);

/// A cluster's API as its account, and what was last seen there.
pub(super) struct Cluster {
    pub(super) client: Client,
    pub(super) settings: KubernetesSettings,
    pub(super) site: Arc<dyn Site>,
    /// How roots are kept here, once that is known.
    pub(super) root: Mutex<Option<RootMode>>,
    pub(super) meters: Meters,
    seen: OnceCell<Seen>,
}

/// What is followed.
pub(super) struct Seen {
    pub(super) anchors: Watched<Option<Anchor>>,
    pub(super) pods: Watched<PodSeen>,
    /// `None` where the cluster has no such objects, before version 1.34.
    pub(super) claims: Option<Watched<Claim>>,
    /// Without their cards. `None` where the account may not read them, as with slices.
    pub(super) nodes: Option<Watched<ClusterNode>>,
    pub(super) slices: Option<Watched<Slice>>,
    changed: Arc<watch::Sender<u64>>,
}

impl Cluster {
    pub(super) fn new(client: Client, settings: KubernetesSettings, site: Arc<dyn Site>) -> Self {
        Self { client, settings, site, root: Mutex::default(), meters: Meters::default(), seen: OnceCell::new() }
    }

    fn own<K>(&self) -> Api<K>
    where
        K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), &self.settings.namespace)
    }

    pub(super) fn pods(&self) -> Api<Pod> {
        self.own()
    }

    pub(super) fn config_maps(&self) -> Api<ConfigMap> {
        self.own()
    }

    pub(super) fn claims(&self) -> Api<ResourceClaim> {
        self.own()
    }

    pub(super) fn volumes(&self) -> Api<PersistentVolumeClaim> {
        self.own()
    }

    pub(super) fn secrets(&self) -> Api<Secret> {
        self.own()
    }

    pub(super) fn policies(&self) -> Api<NetworkPolicy> {
        self.own()
    }

    pub(super) fn events(&self) -> Api<Event> {
        self.own()
    }

    pub(super) fn nodes(&self) -> Api<Node> {
        Api::all(self.client.clone())
    }

    /// What we write, by server-side apply. Only our own objects, whose fields are all ours.
    pub(super) fn ours(&self) -> PatchParams {
        PatchParams::apply(names::MANAGER).force()
    }

    /// Whether the account has a right, in the driver's namespace or (`everywhere`) in all.
    pub(super) async fn may(&self, verb: &str, group: &str, resource: &str, everywhere: bool) -> Result<bool> {
        let (resource, part) = resource.split_once('/').map_or((resource, None), |(all, part)| (all, Some(part)));
        let attributes = ResourceAttributes {
            verb: Some(verb.to_owned()),
            group: Some(group.to_owned()),
            resource: Some(resource.to_owned()),
            subresource: part.map(str::to_owned),
            namespace: (!everywhere).then(|| self.settings.namespace.clone()),
            ..ResourceAttributes::default()
        };
        let spec = SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), ..Default::default() };
        let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
        let asked: Api<SelfSubjectAccessReview> = Api::all(self.client.clone());
        let answer = within(QUICK, asked.create(&PostParams::default(), &review)).await?;
        Ok(answer.status.is_some_and(|status| status.allowed))
    }

    async fn may_follow(&self, group: &str, resource: &str) -> Result<bool> {
        Ok(self.may("list", group, resource, true).await? && self.may("watch", group, resource, true).await?)
    }

    /// What is followed, from now on at the latest.
    pub(super) async fn seen(&self) -> Result<&Seen> {
        self.seen.get_or_try_init(|| self.follow()).await
    }

    /// All that is there, as complete as it is followed.
    pub(super) async fn complete(&self) -> Result<&Seen> {
        let seen = self.seen().await?;
        tokio::try_join!(
            seen.anchors.complete(LOOK),
            seen.pods.complete(LOOK),
            complete(seen.claims.as_ref()),
            complete(seen.nodes.as_ref()),
            complete(seen.slices.as_ref()),
        )?;
        Ok(seen)
    }

    /// The cluster was away: what was followed meanwhile may be dead, and is listed again.
    pub(super) fn doubt(&self) {
        let Some(seen) = self.seen.get() else { return };
        seen.anchors.doubt();
        seen.pods.doubt();
        seen.claims.iter().for_each(Watched::doubt);
        seen.nodes.iter().for_each(Watched::doubt);
        seen.slices.iter().for_each(Watched::doubt);
    }

    async fn follow(&self) -> Result<Seen> {
        let (pods, nodes, claims, slices) = tokio::try_join!(
            self.may_follow("", "pods"),
            self.may_follow("", "nodes"),
            self.may_follow("resource.k8s.io", "resourceclaims"),
            self.may_follow("resource.k8s.io", "resourceslices"),
        )?;
        let has_claims = match within(QUICK, self.claims().list(&ListParams::default().limit(1))).await {
            Ok(_) => true,
            Err(Error::NotFound(_)) => false,
            Err(error) => return Err(error),
        };
        let changed = Arc::new(watch::Sender::new(0));
        let all_pods: Api<Pod> = if pods { Api::all(self.client.clone()) } else { self.pods() };
        let all_claims: Api<ResourceClaim> = if claims { Api::all(self.client.clone()) } else { self.claims() };
        let all_slices: Api<ResourceSlice> = Api::all(self.client.clone());
        Ok(Seen {
            anchors: Watched::follow(self.config_maps(), names::INSTANCE, Anchor::of, Arc::clone(&changed)),
            pods: Watched::follow(all_pods, "", PodSeen::of, Arc::clone(&changed)),
            claims: has_claims.then(|| Watched::follow(all_claims, "", Claim::of, Arc::clone(&changed))),
            nodes: nodes.then(|| Watched::follow(self.nodes(), "", nodes::described, Arc::clone(&changed))),
            slices: (slices && has_claims).then(|| Watched::follow(all_slices, "", Slice::of, Arc::clone(&changed))),
            changed,
        })
    }

    /// Has an anchor that was just written be seen.
    pub(super) fn saw_anchor(&self, object: &ConfigMap) {
        if let Some(seen) = self.seen.get() {
            seen.anchors.put(object, Anchor::of);
        }
    }

    /// Has a pod that was just written be seen.
    pub(super) fn saw_pod(&self, object: &Pod) {
        if let Some(seen) = self.seen.get() {
            seen.pods.put(object, PodSeen::of);
        }
    }
}

/// As complete as it is followed, if it is.
async fn complete<S: PartialEq + Send + Sync + 'static>(watched: Option<&Watched<S>>) -> Result<()> {
    match watched {
        Some(watched) => watched.complete(LOOK).await,
        None => Ok(()),
    }
}

impl Seen {
    /// Notified of each change.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}
