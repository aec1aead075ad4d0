//! The work of jobs at engines and registries.

use std::sync::Arc;

use engine::{BuildEvent, CommitSpec, Error, ImageBuild, ImageRef, NodeImages, Progress, Runtime, Tenant, WorkloadId};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http_kit::ApiResult;

use super::jobs::{Halt, Running};
use super::model::Image;
use super::model_jobs::{BuildTask, Job, Task};
use super::progress::Layers;
use super::registry::{Described, HistoryStep, ImageLayer};
use super::{context, registries, store};
use crate::Portal;
use crate::features::{allocations, clusters, servers};
use crate::unreached;
use crate::visibility::Visibility;

/// The context of one job.
struct Work<'a> {
    portal: &'a Portal,
    running: &'a Running,
    job: &'a Job,
    image: ImageRef,
    runtime: Arc<dyn Runtime>,
}

pub(super) async fn run(portal: &Portal, running: &Running, job: &Job) -> Result<(), Halt> {
    let server = servers::by_id(portal.db(), &job.server).await?;
    let runtime = portal.clusters().runtime(portal, &server)?;
    let image = job.image.parse().map_err(|error| unfit(&error))?;
    let work = Work { portal, running, job, image, runtime };
    match &job.task {
        Task::Pull => work.pull().await,
        Task::Save { instance, description, visibility, push, .. } => {
            let id = work.save(instance, description).await?;
            work.keep(&id, description, *visibility, *push).await
        }
        Task::Push { image } => work.push(image).await,
        Task::Build(task) => {
            let id = work.build(task).await?;
            work.keep(&id, &task.description, task.visibility, task.push).await
        }
    }
}

fn failed(what: &str) -> impl Fn(Error) -> Halt {
    move |error| Halt::Failed(clusters::said(what, &error))
}

fn unfit(error: &engine::Invalid) -> Halt {
    Halt::Failed(unreached::original("镜像名称不正确", &error.to_string()))
}

impl Work<'_> {
    fn images(&self) -> Result<&dyn NodeImages, Halt> {
        Ok(clusters::needed(self.runtime.node_images(), "这样使用镜像")?)
    }

    async fn pull(&self) -> Result<(), Halt> {
        let auth = registries::auth_for(self.portal, &self.image).await?;
        let pulled = self.images()?.pull(&self.image, auth.as_ref()).then(async |step| match step {
            Ok(step) => Ok(step),
            Err(error) => {
                tracing::warn!(job.id = self.job.id, image = %self.image, %error, "the image could not be pulled");
                let told = registries::told(self.portal, self.job.user, &self.image, error).await;
                Err(told.unwrap_or_else(|error| Error::Failed(error.message().to_owned())))
            }
        });
        self.transfer(pulled.boxed(), "拉取镜像失败").await?;
        self.running.note_whole();
        Ok(note_place(self.portal, &self.image, &self.job.server).await?)
    }

    /// Saves an instance's root as an image. The cluster cannot be interrupted in this, so a cancellation takes effect
    /// afterwards.
    async fn save(&self, instance: &str, description: &str) -> Result<String, Halt> {
        let workload: WorkloadId = instance.parse().map_err(|error| unfit(&error))?;
        let snapshots = clusters::needed(self.runtime.snapshots(), "另存为镜像")?;
        let spec =
            CommitSpec { name: self.image.clone(), comment: description.to_owned(), author: self.job.username.clone() };
        self.running.say("正在保存系统盘，期间实例会短暂停顿\n");
        let id = tokio::select! {
            () = self.portal.jobs().stopping() => return Err(Halt::Cancelled),
            id = snapshots.save(&workload, &spec) => id.map_err(failed("保存失败"))?,
        };
        if self.running.cancelled.is_cancelled() {
            self.drop_image().await;
            return Err(Halt::Cancelled);
        }
        Ok(id)
    }

    async fn build(&self, task: &BuildTask) -> Result<String, Halt> {
        let context = match (&task.dockerfile, &task.context) {
            (Some(text), _) => context::dockerfile(text)?,
            (None, Some(folder)) => self.portal.pack_context(self.job.user, folder).await.map_err(Halt::Failed)?,
            (None, None) => return Err(Halt::Failed("没有 Dockerfile".to_owned())),
        };
        let builder = clusters::needed(self.runtime.builder(), "构建镜像")?;
        let tenant: Tenant = self.job.user.to_string().parse().map_err(|error| unfit(&error))?;
        let resources = (self.portal.jobs().room)(self.portal.db(), &self.job.server).await?;
        self.running.say(&format!("最多使用 {}\n", allocations::size_in_words(resources)));
        let build = ImageBuild { name: self.image.clone(), no_cache: task.no_cache, resources };
        let mut events = builder.build(&build, &tenant, context).await.map_err(failed("建立实例网络失败"))?;
        while let Some(event) = self.next(&mut events).await? {
            match event.map_err(failed("构建失败"))? {
                BuildEvent::Log(text) => self.running.say(&text),
                BuildEvent::Done(id) => return Ok(id),
            }
        }
        Err(Halt::Failed("构建没有产生镜像".to_owned()))
    }

    /// Stores a new image, and pushes it to the registry if requested.
    async fn keep(&self, id: &str, description: &str, visibility: Visibility, push: bool) -> Result<(), Halt> {
        let found = self.images()?.inspect(&self.image).await.map_err(failed("查看镜像失败"))?;
        let image = Image {
            id: uuid::Uuid::now_v7().to_string(),
            repository: self.image.repository().to_owned(),
            tag: self.image.tag().unwrap_or("latest").to_owned(),
            digest: if found.image.id.is_empty() { id.to_owned() } else { found.image.id.clone() },
            manifest: String::new(),
            user: self.job.user,
            username: self.job.username.clone(),
            visibility,
            description: description.to_owned(),
            described: described(found),
            created: self.portal.now(),
        };
        let tx = self.portal.db().begin().await?;
        store::insert(&tx, &image).await?;
        store::note_place(&tx, &image.id, &self.job.server).await?;
        tx.commit().await?;
        if push { self.push(&image.id).await } else { Ok(()) }
    }

    async fn push(&self, id: &str) -> Result<(), Halt> {
        self.running.say(&format!("正在推送到镜像仓库：{}\n", self.image));
        let auth = registries::auth_for(self.portal, &self.image).await?;
        let steps = self.images()?.push(&self.image, auth.as_ref());
        let last = self.transfer(steps, "镜像已保存在服务器上，但推送到镜像仓库失败").await?;
        let digest = last.split_whitespace().find(|word| word.starts_with("sha256:"));
        let digest = digest.ok_or_else(|| Halt::Failed(format!("镜像仓库没有给出摘要：{last}")))?;
        let tx = self.portal.db().begin().await?;
        store::note_manifest(&tx, id, digest).await?;
        tx.commit().await?;
        self.portal.library().forget();
        Ok(())
    }

    /// Follows a transfer to its end; returns the last status.
    async fn transfer(&self, mut steps: BoxStream<'_, engine::Result<Progress>>, what: &str) -> Result<String, Halt> {
        let mut layers = Layers::default();
        let mut last = String::new();
        while let Some(step) = self.next(&mut steps).await? {
            let step = step.map_err(failed(what))?;
            if let Some((percent, bytes)) = layers.take(&step) {
                self.running.note(Some(percent), bytes);
            }
            if step.current.is_none() && !step.status.is_empty() {
                let layer = step.layer.map(|layer| format!("{layer}: ")).unwrap_or_default();
                self.running.say(&format!("{layer}{}\n", step.status));
                last = step.status;
            }
        }
        Ok(last)
    }

    /// The next item, unless the job is cancelled first. Dropping the stream cancels the work behind it.
    async fn next<T>(&self, stream: &mut BoxStream<'_, T>) -> Result<Option<T>, Halt> {
        tokio::select! {
            () = self.running.cancelled.cancelled() => Err(Halt::Cancelled),
            item = stream.next() => Ok(item),
        }
    }

    async fn drop_image(&self) {
        let Some(images) = self.runtime.node_images() else { return };
        if let Err(error) = images.remove(&self.image).await {
            tracing::warn!(image = %self.image, %error, "the image of a cancelled job stays");
        }
    }
}

/// Notes that a server has pulled an image, if it is one of the lab's.
pub(crate) async fn note_place(portal: &Portal, image: &ImageRef, server: &str) -> ApiResult<()> {
    let known = store::by_name(portal.db(), image.repository(), image.tag().unwrap_or("latest")).await?;
    if let Some(known) = known {
        let tx = portal.db().begin().await?;
        store::note_place(&tx, &known.id, server).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Converts an engine's description of an image.
fn described(found: engine::ImageDetail) -> Described {
    let layers = found.layers.into_iter().map(|digest| ImageLayer { digest, size: None });
    let history = found.history.into_iter().map(|step| HistoryStep {
        created: (step.created.as_millis() > 0).then_some(step.created),
        created_by: step.created_by,
        comment: step.comment,
        empty: step.size == 0,
        size: Some(step.size),
    });
    Described {
        architecture: found.architecture,
        os: found.os,
        created: Some(found.image.created),
        size: found.image.size,
        layers: layers.collect(),
        history: history.collect(),
        env: found.environment,
        entrypoint: found.entrypoint,
        cmd: found.command,
        exposed_ports: found.exposed_ports,
        working_dir: found.working_dir,
        user: found.user,
    }
}
