//! Brings a workload to run: image, network, container, start. Each try starts from the engine's actual state, so it can
//! resume at any step.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use futures_util::StreamExt;

use super::network::Home;
use super::{DockerRuntime, names};
use crate::runtime::{Failure, Stage, Step, Watch};
use crate::{
    CommitSpec, ContainerRef, ContainerSpec, Error, ImageDetail, ImageRef, Inspection, Invalid, Mount, Owner,
    PortMapping, Result, ToolsError, ToolsVolume, WantedPort, Workload, WorkloadId,
};

/// Time for the processes of an earlier generation to exit after the stop signal.
const GRACE: Duration = Duration::from_secs(30);

/// The value of a step; `Break` where the watch ended the work.
type Done<T> = Result<ControlFlow<(), T>, Failure>;

/// The value of a step, unless the work ends there.
macro_rules! go_on {
    ($step:expr) => {
        match $step {
            Continue(value) => value,
            Break(()) => return Ok(Break(())),
        }
    };
}

impl DockerRuntime {
    pub(super) async fn bring(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        self.steps(workload, watch).await.map(|_| ())
    }

    async fn steps(&self, workload: &Workload, watch: &mut dyn Watch) -> Done<()> {
        let name = names::container(workload).map_err(Stage::Make.failed())?;
        let mut image = root_image(workload)?;
        // Mostly there is no container yet and the image is there.
        let (found, known) = tokio::join!(self.engine.inspect(&name), self.engine.inspect_image(&image));
        if !go_on!(self.is_made(workload, &mut image, &name, found, watch).await?) {
            // A root that was kept just now is an image of its own.
            let known = if root_image(workload)? == image { known } else { self.engine.inspect_image(&image).await };
            let (digest, fetched) = go_on!(self.fetch_image(workload, &image, known, watch).await?);
            go_on!(watch.step(Step::Image { digest, fetched }).await);
        }
        let made = self.make(workload, &image, &name).await?;
        go_on!(watch.step(Step::Made(made.to_string())).await);
        self.engine.start(&name).await.map_err(Stage::Start.failed())?;
        Ok(watch.step(Step::Running).await)
    }

    /// Whether its container exists in the present generation. A container of an earlier generation is removed; its
    /// root is kept as an image, unless it never ran.
    async fn is_made(
        &self,
        workload: &Workload,
        image: &mut ImageRef,
        name: &ContainerRef,
        found: Result<Inspection>,
        watch: &mut dyn Watch,
    ) -> Done<bool> {
        let found = match found {
            Ok(found) => found,
            Err(Error::NotFound(_)) => return Ok(Continue(false)),
            Err(error) => return Err(Stage::Look.failed()(error)),
        };
        let Some(generation) = generation_of(&found, &workload.id) else {
            return Err(Stage::Look.failed()(Error::NameTaken(name.to_string())));
        };
        let mut kept = names::root(&workload.id, generation);
        if generation == workload.generation {
            if !self.lacks_tools(workload, &found).await? {
                return Ok(Continue(true));
            }
            kept = names::root_without_tools(&workload.id, generation);
        }
        if found.container.state.is_active() {
            self.engine.stop(name, GRACE).await.map_err(Stage::StopEarlier.failed())?;
        }
        if found.started.is_some() {
            go_on!(self.keep_root(workload, image, name, kept, watch).await?);
        }
        match self.engine.remove(name).await {
            Ok(()) | Err(Error::NotFound(_)) => Ok(Continue(false)),
            Err(error) => Err(Stage::RemoveEarlier.failed()(error)),
        }
    }

    /// Whether a stopped container was created before containers had our program, and the engine can provide it. Such a
    /// container is recreated.
    async fn lacks_tools(&self, workload: &Workload, found: &Inspection) -> Result<bool, Failure> {
        let has = matches!(&found.container.owner, Owner::Portal(mark) if mark.tools);
        if has || found.container.state.is_active() {
            return Ok(false);
        }
        Ok(self.tools_for(workload).await.map_err(Stage::Make.failed())?.is_some())
    }

    async fn keep_root(
        &self,
        workload: &Workload,
        image: &mut ImageRef,
        name: &ContainerRef,
        kept: String,
        watch: &mut dyn Watch,
    ) -> Done<()> {
        let commit = CommitSpec {
            name: kept.parse().map_err(Stage::KeepRoot.failed::<Invalid>())?,
            comment: "root of an instance whose container is made anew".to_owned(),
            author: "yunlab".to_owned(),
        };
        self.engine.commit(name, &commit).await.map_err(Stage::KeepRoot.failed())?;
        go_on!(watch.step(Step::RootKept(kept)).await);
        let before = std::mem::replace(image, commit.name);
        if workload.kept_root.is_some() && before != *image {
            self.forget_image(&before).await;
        }
        Ok(Continue(()))
    }

    /// Removes an image that held a root. The engine refuses while the image is in use; then it stays.
    async fn forget_image(&self, image: &ImageRef) {
        if let Err(error) = self.engine.remove_image(image).await {
            tracing::debug!(%image, %error, "the image of a former root stays");
        }
    }

    /// Ensures that the image is on the engine: its digest, and whether it was fetched just now. `known` is the
    /// engine's present answer about it.
    async fn fetch_image(
        &self,
        workload: &Workload,
        image: &ImageRef,
        known: Result<ImageDetail>,
        watch: &mut dyn Watch,
    ) -> Done<(String, bool)> {
        match known {
            Ok(detail) => return Ok(Continue((detail.image.id, false))),
            Err(Error::ImageMissing(_) | Error::NotFound(_)) => {}
            Err(error) => return Err(Stage::FindImage.failed()(error)),
        }
        if !workload.image.in_registry || *image != workload.image.name {
            return Err(Stage::FindImage.failed()(Error::ImageMissing(image.to_string())));
        }
        go_on!(self.pull(workload, image, watch).await?);
        let detail = self.engine.inspect_image(image).await.map_err(Stage::FindImage.failed())?;
        Ok(Continue((detail.image.id, true)))
    }

    async fn pull(&self, workload: &Workload, image: &ImageRef, watch: &mut dyn Watch) -> Done<()> {
        let mut steps = self.engine.pull(image, workload.image.auth.as_ref());
        let mut layers: HashMap<String, (u64, u64)> = HashMap::new();
        loop {
            let step = tokio::select! {
                () = watch.cancelled() => return Ok(Break(())),
                step = steps.next() => step,
            };
            let Some(step) = step else { return Ok(Continue(())) };
            let step = step.map_err(Stage::FetchImage.failed())?;
            if let (Some(layer), Some(current)) = (step.layer, step.current) {
                layers.insert(layer, (current, step.total.unwrap_or(current)));
                let (current, total) = layers.values().fold((0, 0), |sum, layer| (sum.0 + layer.0, sum.1 + layer.1));
                go_on!(watch.step(Step::Fetching { current, total }).await);
            }
        }
    }

    /// Makes the container, or finds it, in its tenant's network.
    async fn make(&self, workload: &Workload, image: &ImageRef, name: &ContainerRef) -> Result<ContainerRef, Failure> {
        let tools = self.tools_for(workload).await.map_err(Stage::Make.failed())?;
        let rules = self.site.rules().await.map_err(Stage::Make.failed())?;
        // Held until the container is in the network, which then counts as used.
        let _used = self.networks.in_use.read().await;
        let home = self.home(&workload.tenant).await.map_err(Stage::Isolate.failed())?;
        let spec = spec(workload, image, name, &rules.storage, &home, tools).map_err(Stage::Make.failed())?;
        let created = self.engine.create(&spec).await.map_err(Stage::Make.failed())?;
        for warning in created.warnings {
            tracing::info!(workload = %workload.id, warning, "engine warns");
        }
        if created.adopted {
            self.join(name, &home).await.map_err(Stage::Isolate.failed())?;
        }
        if let Home::Own { bridge, .. } = &home {
            self.assert_guard_for(bridge).await;
        }
        Ok(created.id)
    }

    /// The volume with our program, if the workload is to have it. One that can't have it runs all the same.
    async fn tools_for(&self, workload: &Workload) -> Result<Option<ToolsVolume>> {
        if !workload.tools {
            return Ok(None);
        }
        match self.engine.tools_volume().await {
            Ok(volume) => Ok(Some(volume)),
            Err(error @ ToolsError::OtherArchitecture(_)) => {
                tracing::warn!(workload = %workload.id, %error, "it runs without our program");
                Ok(None)
            }
            Err(ToolsError::Engine(error)) => Err(error),
        }
    }

    /// Stops and removes its containers, and the images that kept its root.
    pub(super) async fn remove_all_of(&self, id: &WorkloadId, grace: Duration) -> Result<()> {
        for container in self.list().await?.iter().filter(|one| names::workload(one).as_ref() == Some(id)) {
            match self.engine.stop(&container.id, grace).await {
                Ok(()) => {}
                Err(Error::NotFound(_)) => continue,
                Err(error) => return Err(error),
            }
            match self.engine.remove(&container.id).await {
                Ok(()) | Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        self.forget_roots_of(id).await;
        Ok(())
    }

    async fn forget_roots_of(&self, id: &WorkloadId) {
        let images = match self.engine.images().await {
            Ok(images) => images,
            Err(error) => return tracing::debug!(workload = %id, %error, "the images of former roots stay"),
        };
        let roots = images.iter().flat_map(|image| &image.tags).filter(|tag| names::is_root_of(tag, id));
        for root in roots.filter_map(|tag| tag.parse().ok()) {
            self.forget_image(&root).await;
        }
    }
}

/// What its root is made of: what was kept, or its image.
fn root_image(workload: &Workload) -> Result<ImageRef, Failure> {
    match &workload.kept_root {
        Some(kept) => kept.parse().map_err(Stage::FindImage.failed::<Invalid>()),
        None => Ok(workload.image.name.clone()),
    }
}

/// `None` when the container is another workload's, or foreign.
fn generation_of(found: &Inspection, id: &WorkloadId) -> Option<u64> {
    match &found.container.owner {
        Owner::Portal(mark) if mark.instance == id.as_str() => Some(mark.generation),
        _ => None,
    }
}

fn spec(
    workload: &Workload,
    image: &ImageRef,
    name: &ContainerRef,
    storage: &str,
    home: &Home,
    tools: Option<ToolsVolume>,
) -> Result<ContainerSpec, Invalid> {
    let storage = storage.trim_end_matches('/');
    let places = workload.places.iter();
    let mounts =
        places.map(|place| Mount::new(&format!("{storage}/{}", place.folder()), place.target(), place.read_only()));
    Ok(ContainerSpec {
        name: name.clone(),
        instance: workload.id.to_string(),
        generation: workload.generation,
        image: image.clone(),
        entrypoint: None,
        command: workload.command.clone(),
        environment: workload.environment.clone(),
        resources: workload.resources,
        shm: workload.shm,
        root_quota: None,
        cards: workload.cards.clone(),
        mounts: mounts.collect::<Result<_, _>>()?,
        tools,
        ports: workload.ports.iter().map(mapping).collect::<Result<_, _>>()?,
        network: home.network(),
        no_new_privileges: workload.no_new_privileges,
        labels: BTreeMap::new(),
    })
}

/// The portal chooses the node's ports, never the engine.
fn mapping(port: &WantedPort) -> Result<PortMapping, Invalid> {
    let host = port.node_port.ok_or_else(|| Invalid::new("port", &port.port.to_string(), "has no port of the node"))?;
    Ok(PortMapping { container: port.port, host, protocol: port.protocol, address: None })
}
