//! Images and jobs as the API shows them.

use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::log::tail;
use super::model::{Image, ImageOwner, ImagePlace, ImageServer, ImageView, PlaceKind};
use super::model_jobs::{ImageJob, Job, Task};
use super::store;
use crate::Portal;
use crate::features::servers::{self, Server};

/// Of the log in lists and answers; the whole of a build's has an address of its own.
const TAIL_BYTES: usize = 4096;

/// With where they are: two further queries for all of them.
pub(super) async fn shown(portal: &Portal, actor: &Actor, images: Vec<Image>) -> ApiResult<Vec<ImageView>> {
    let ids: Vec<&str> = images.iter().map(|image| image.id.as_str()).collect();
    let mut places = store::places(portal.db(), &ids).await?;
    let servers = servers::all(portal.db()).await?;
    let view = |image: Image| {
        let on = places.remove(&image.id).unwrap_or_default().into_iter();
        let on = on.filter_map(|id| named(&servers, &id));
        let on = on.map(|server| ImagePlace { kind: PlaceKind::Server, server: Some(server) });
        let registry = (!image.manifest.is_empty()).then_some(ImagePlace { kind: PlaceKind::Registry, server: None });
        ImageView {
            r#where: registry.into_iter().chain(on).collect(),
            editable: image.is_of(actor),
            image: image.name(),
            id: image.id,
            repository: image.repository,
            tag: image.tag,
            digest: image.digest,
            size: image.described.size,
            layers: image.described.layers.len(),
            created: image.created,
            owner: ImageOwner { id: image.user, username: image.username },
            visibility: image.visibility,
            description: image.description,
        }
    };
    Ok(images.into_iter().map(view).collect())
}

pub(super) async fn one_shown(portal: &Portal, actor: &Actor, image: Image) -> ApiResult<ImageView> {
    shown(portal, actor, vec![image]).await?.pop().ok_or_else(|| ApiError::internal("one image gives one view"))
}

fn named(servers: &[Server], id: &str) -> Option<ImageServer> {
    let server = servers.iter().find(|server| server.id == id)?;
    Some(ImageServer { id: server.id.clone(), name: server.name.clone() })
}

/// Jobs with their present progress, not the last written one.
pub(super) async fn jobs_shown(portal: &Portal, jobs: Vec<Job>) -> ApiResult<Vec<ImageJob>> {
    let servers = servers::all(portal.db()).await?;
    let view = |mut job: Job| {
        if let Some(running) = portal.jobs().running(&job.id) {
            running.fill(&mut job);
        }
        ImageJob {
            server: named(&servers, &job.server),
            log: tail(&job.log, TAIL_BYTES).to_owned(),
            build: match job.task {
                Task::Build(task) => Some(task),
                _ => None,
            },
            id: job.id,
            kind: job.kind,
            state: job.state,
            image: job.image,
            owner: ImageOwner { id: job.user, username: job.username },
            percent: job.percent,
            bytes: job.bytes,
            error: job.error,
            created: job.created,
            started: job.started,
            ended: job.ended,
        }
    };
    Ok(jobs.into_iter().map(view).collect())
}

pub(super) async fn job_shown(portal: &Portal, job: Job) -> ApiResult<ImageJob> {
    jobs_shown(portal, vec![job]).await?.pop().ok_or_else(|| ApiError::internal("one job gives one view"))
}
