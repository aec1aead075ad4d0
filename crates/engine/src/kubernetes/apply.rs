//! Brings a workload to run: anchor, claims, pod. Each try starts from what there is, so it can resume at any step.

use std::ops::ControlFlow::{self, Break, Continue};
use std::time::Duration;

use futures_util::future::OptionFuture;
use kube::Api;
use kube::api::{Patch, PostParams};
use serde_json::{Value, json};

use super::anchor::{Anchor, Made};
use super::claim::claim;
use super::cluster::Cluster;
use super::error::{absent, within};
use super::pod::{Parts, pod};
use super::seen::PodSeen;
use super::trial::TrialImage;
use super::watched::Object;
use super::{QUICK, names};
use crate::runtime::{Failure, Stage, Step, Watch};
use crate::{Error, ImageSettings, ImageSource, Invalid, Phase, RegistryAuth, Result, Workload};

/// Time for the processes of an earlier generation to exit after the stop signal.
const GRACE: Duration = Duration::from_secs(30);

/// What there is of a workload.
struct Found {
    anchor: Option<Anchor>,
    pod: Option<PodSeen>,
}

impl Cluster {
    pub(super) async fn bring(&self, workload: &Workload, watch: &mut dyn Watch) -> Result<(), Failure> {
        let base = names::base(workload);
        let found = self.look(workload, &base).await?;
        let is_new = found.anchor.is_none();
        let base = found.anchor.as_ref().map_or(base, |anchor| anchor.base.clone());
        let brought = self.steps(workload, &base, found, watch).await;
        match &brought {
            Ok(_) => {}
            // Whatever there is now, it is looked at again.
            Err(Failure { error: Error::Unreachable(_), .. }) => {}
            // What failed must not start later by itself, and what was never made is to leave nothing.
            Err(_) => self.undo(workload, &base, is_new).await,
        }
        brought.map(|_| ())
    }

    async fn steps(
        &self,
        workload: &Workload,
        base: &str,
        found: Found,
        watch: &mut dyn Watch,
    ) -> Result<ControlFlow<()>, Failure> {
        let is_new = found.anchor.is_none();
        let adopted = self.adoptable(workload, &found);
        let settings = match adopted {
            Some(_) => None,
            None => self.site.image_settings(&workload.image).await.map_err(Stage::FindImage.failed())?,
        };
        // As the registry has it now: what is started is this very image, whatever its name means later.
        let digest = settings.as_ref().map(|one| one.digest.clone()).filter(|digest| !digest.is_empty());
        if let Some(digest) = &digest
            && watch.step(Step::Image { digest: digest.clone(), fetched: false }).await.is_break()
        {
            return Ok(Break(()));
        }
        let is_adopted = adopted.is_some();
        let anchor = match adopted {
            Some(anchor) => anchor,
            None => self.make(workload, base, found, settings.as_ref()).await?,
        };
        if watch.step(Step::Made(anchor.object())).await.is_break() {
            return Ok(Break(()));
        }
        if !is_adopted {
            self.start(workload, &anchor, settings.as_ref()).await?;
        }
        let Continue(image) = self.started(&anchor, watch).await? else {
            // The image is not wanted any more.
            self.undo(workload, base, is_new).await;
            return Ok(Break(()));
        };
        if anchor.made.counted_model.is_some() {
            self.read_picked(&anchor).await;
        }
        // Of an image that no registry describes, its node knows what it is only once it runs.
        if let Some((digest, fetched)) = image.filter(|_| !is_adopted && digest.is_none())
            && watch.step(Step::Image { digest, fetched }).await.is_break()
        {
            return Ok(Break(()));
        }
        Ok(watch.step(Step::Running).await)
    }

    /// What an earlier try made, and whether its names are free.
    async fn look(&self, workload: &Workload, base: &str) -> Result<Found, Failure> {
        let failed = Stage::Look.failed();
        let looked = async {
            // Before anything is written, so that it is noticed as soon as it is.
            self.complete().await?;
            let anchor = self.find_anchor(&workload.id).await?;
            let base = anchor.as_ref().map_or(base, |anchor| anchor.base.as_str());
            let pod = absent(within(QUICK, self.pods().get(base)).await)?.map(|pod| PodSeen::of(&pod));
            let taken = || Error::NameTaken(base.to_owned());
            if pod.as_ref().is_some_and(|pod| pod.instance != workload.id.as_str()) {
                return Err(taken());
            }
            if anchor.is_none() && absent(within(QUICK, self.config_maps().get_metadata(base)).await)?.is_some() {
                return Err(taken());
            }
            Ok(Found { anchor, pod })
        };
        looked.await.map_err(failed)
    }

    /// The anchor of what runs, or is about to, in the present generation.
    fn adoptable(&self, workload: &Workload, found: &Found) -> Option<Anchor> {
        let (anchor, pod) = (found.anchor.as_ref()?, found.pod.as_ref()?);
        let is_it = anchor.generation == workload.generation && pod.generation == Some(workload.generation);
        let lives = !pod.leaving && !matches!(pod.phase, Phase::Ended(_));
        (is_it && lives).then(|| anchor.clone())
    }

    /// Makes all but the pod.
    async fn make(
        &self,
        workload: &Workload,
        base: &str,
        found: Found,
        settings: Option<&ImageSettings>,
    ) -> Result<Anchor, Failure> {
        command(workload, settings).map_err(Stage::FindImage.failed())?;
        if let (Some(anchor), Some(pod)) = (&found.anchor, &found.pod) {
            if pod.phase.is_active() {
                self.end_pod(pod, GRACE).await.map_err(Stage::StopEarlier.failed())?;
            }
            self.remove_pod(anchor, pod).await.map_err(Stage::RemoveEarlier.failed())?;
        }
        if let Some(anchor) = found.anchor.as_ref().filter(|anchor| anchor.generation != workload.generation) {
            // A claim can't be changed.
            self.remove_claim(anchor).await.map_err(Stage::RemoveEarlier.failed())?;
        }
        let kept = match &found.anchor {
            Some(anchor) => anchor.made.kept,
            None => self.root_mode(&TrialImage::of(&workload.image)).await?.kept,
        };
        let mut made = made(workload, settings, kept);
        made.counted_model = self.counted_model(&workload.cards).await.map_err(Stage::Make.failed())?;
        let anchor = self.write_anchor(workload, base, &made).await.map_err(Stage::Make.failed())?;
        let auth: OptionFuture<_> =
            workload.image.auth.as_ref().map(|auth| self.write_auth(&anchor, &workload.image, auth)).into();
        let (tools, volume, claim, auth) =
            tokio::join!(self.ensure_tools(), self.ensure_volume(&anchor), self.ensure_claim(&anchor, workload), auth,);
        tools.and(volume).and(claim).and(auth.unwrap_or(Ok(()))).map_err(Stage::Make.failed())?;
        self.isolate(&anchor, workload).await.map_err(Stage::Isolate.failed())?;
        Ok(anchor)
    }

    /// The volume of a root, which only goes with its anchor.
    async fn ensure_volume(&self, anchor: &Anchor) -> Result<()> {
        if !anchor.made.kept {
            return Ok(());
        }
        let volume = self.root_volume(&anchor.base, Some(anchor));
        let volume = serde_json::from_value(volume).map_err(|error| Error::Failed(error.to_string()))?;
        let created = within(QUICK, self.volumes().create(&PostParams::default(), &volume)).await;
        self.exists(&self.volumes(), anchor, created).await
    }

    async fn ensure_claim(&self, anchor: &Anchor, workload: &Workload) -> Result<()> {
        let Some(claim) = claim(anchor, &workload.cards)? else { return Ok(()) };
        let claim = serde_json::from_value(claim).map_err(|error| Error::Failed(error.to_string()))?;
        let created = within(QUICK, self.claims().create(&PostParams::default(), &claim)).await;
        self.exists(&self.claims(), anchor, created).await
    }

    /// Whether the workload's object is there now, whichever try made it. What others have by this name is not used.
    async fn exists<K: Object>(&self, objects: &Api<K>, anchor: &Anchor, created: Result<K>) -> Result<()> {
        match created {
            Ok(_) => return Ok(()),
            Err(Error::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
        let found = within(QUICK, objects.get_metadata(&anchor.base)).await?;
        if anchor.owns(&found.metadata) { Ok(()) } else { Err(Error::NameTaken(anchor.base.clone())) }
    }

    async fn write_auth(&self, anchor: &Anchor, image: &ImageSource, auth: &RegistryAuth) -> Result<()> {
        let mut secret = pull_secret(image, auth);
        secret["metadata"] = json!({
            "name": names::pull(&anchor.base),
            "labels": {names::INSTANCE: anchor.id.as_str()},
            "ownerReferences": anchor.as_owner(),
        });
        let name = names::pull(&anchor.base);
        within(QUICK, self.secrets().patch(&name, &self.ours(), &Patch::Apply(&secret))).await.map(drop)
    }

    /// Writes the pod, which then starts.
    async fn start(
        &self,
        workload: &Workload,
        anchor: &Anchor,
        settings: Option<&ImageSettings>,
    ) -> Result<(), Failure> {
        let rules = self.site.rules().await.map_err(Stage::Make.failed())?;
        let command = command(workload, settings).map_err(Stage::FindImage.failed())?;
        let parts = Parts {
            anchor,
            settings: &self.settings,
            command: &command,
            digest: settings.map_or("", |one| one.digest.as_str()),
            storage: &rules.storage,
            pull_secret: workload.image.auth.as_ref().map(|_| names::pull(&anchor.base)),
        };
        let pod = pod(workload, &parts).map_err(Stage::Make.failed())?;
        let written = within(QUICK, self.pods().patch(&anchor.base, &self.ours(), &Patch::Apply(&pod))).await;
        self.saw_pod(&written.map_err(Stage::Start.failed())?);
        Ok(())
    }

    /// Takes away what would start later by itself; with `all`, everything. A failure is seen by the next look.
    async fn undo(&self, workload: &Workload, base: &str, all: bool) {
        let undone = async {
            if all {
                return self.remove_all_of(&workload.id, Duration::ZERO).await;
            }
            let pod = absent(within(QUICK, self.pods().get(base)).await)?.map(|pod| PodSeen::of(&pod));
            match (self.find_anchor(&workload.id).await?, pod) {
                // One of an earlier generation was there before.
                (Some(anchor), Some(pod))
                    if pod.instance == workload.id.as_str() && pod.generation == Some(workload.generation) =>
                {
                    self.remove_pod(&anchor, &pod).await
                }
                _ => Ok(()),
            }
        };
        if let Err(error) = undone.await {
            tracing::warn!(workload = %workload.id, %error, "what a failed start made stays for now");
        }
    }
}

/// The registry of names without one, as credentials name it.
const HUB: &str = "docker.io";

/// The object with the credentials of an image's registry, without a name.
pub(super) fn pull_secret(image: &ImageSource, auth: &RegistryAuth) -> Value {
    let registry = image.name.registry().unwrap_or(HUB);
    let account = json!({"username": auth.username, "password": auth.password.expose()});
    let config = json!({"auths": {registry: account}}).to_string();
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/dockerconfigjson",
        "stringData": {".dockerconfigjson": config},
    })
}

fn made(workload: &Workload, settings: Option<&ImageSettings>, kept: bool) -> Made {
    Made {
        image: workload.image.name.to_string(),
        kept,
        user: settings.map(|one| one.user.clone()).unwrap_or_default(),
        folder: settings.map(|one| one.working_dir.clone()).unwrap_or_default(),
        closed: workload.no_new_privileges,
        cards: workload.cards.iter().map(|card| card.id().to_owned()).filter(|id| !id.is_empty()).collect(),
        counted_model: None,
    }
}

/// What process 1 is to start.
fn command(workload: &Workload, settings: Option<&ImageSettings>) -> Result<Vec<String>, Error> {
    let entrypoint = settings.map(|one| one.entrypoint.as_slice()).unwrap_or_default();
    let own = settings.map(|one| one.command.as_slice()).unwrap_or_default();
    let command = workload.command.as_deref().unwrap_or(own);
    let all: Vec<String> = entrypoint.iter().chain(command).cloned().collect();
    if all.is_empty() {
        return Err(Error::Failed(format!("{} has no command that is known", workload.image.name)));
    }
    match all.iter().find(|word| word.contains('\0') || word.len() > 64 << 10) {
        Some(word) => Err(Invalid::new("command", word, "has a NUL or is over 64 KiB").into()),
        None => Ok(all),
    }
}
