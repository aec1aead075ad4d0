//! Images: the public library, the lab's own images, and the work with them on servers.
//!
//! A row is an image that the lab made: saved from an instance or built. An image without a row is not the lab's, and
//! all users may use it where an engine can pull it. Long work (pull, save, push, build) is a job.

mod access;
mod context;
mod deletion;
mod find;
mod http;
mod http_builds;
mod http_jobs;
mod http_library;
mod http_offered;
mod http_registries;
mod http_servers;
mod jobs;
mod leaving;
mod library;
mod log;
mod model;
mod model_jobs;
mod naming;
mod progress;
mod registries;
mod registry;
mod store;
mod store_find;
mod store_jobs;
mod store_offered;
mod store_registries;
mod store_uses;
mod view;
mod work;

use std::time::Duration;

use background::{Duty, Scope};
use http_kit::Routes;

use crate::Portal;
use crate::duty::PortalDuty;

pub(crate) use access::{check_reach, check_usable, is_unpushed, may_use_digest};
pub(crate) use context::LentContexts;
pub use context::{BuildContexts, ContextStream};
pub(crate) use find::find;
pub(crate) use http_jobs::{SaveOrder, begin_save};
pub(crate) use jobs::{BuildRoom, Jobs, hear_peers};
pub(crate) use leaving::{Deleted, Save, Saved, delete, hand_over, owned_by, save, saved};
pub(crate) use library::Library;
pub(crate) use model_jobs::ImageJob;
pub(crate) use naming::{own_name, prefix};
pub(crate) use registries::{auth_for, told};
pub(crate) use store::are_there;
pub(crate) use store_jobs::count_open as count_open_jobs;
pub(crate) use store_uses::{end_use, note_use};
pub(crate) use work::note_place;

use crate::jobs::Orphan;
use crate::store_growing::{Drop, Growing, MILLIS, Rows};

/// Jobs on images in the job table. An interrupted job fails, since the engine's progress is unknown.
pub(crate) const JOB_KIND: (&str, Orphan) = (store_jobs::KIND, Orphan::Fails(jobs::BROKEN_OFF));

const ENDED_JOBS: Rows =
    Rows { table: "jobs", time: "ended", condition: "kind = 'image' and ended is not null", counts: MILLIS };

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "jobs",
    title: "已结束的镜像任务",
    days: |settings| settings.job_days,
    rows: &[ENDED_JOBS],
    drop: Drop::By(|portal, limit| {
        Box::pin(async move {
            let dropped = ENDED_JOBS.drop_before(portal.db(), limit).await?;
            store_jobs::delete_orphans(portal.db()).await?;
            Ok(dropped)
        })
    }),
}];

pub(crate) const DUTIES: &[PortalDuty] = &[PortalDuty {
    duty: Duty {
        name: "image-deletions",
        title: "清理已删除的镜像",
        description: "继续被中断的镜像删除；之前没有清理掉的服务器和镜像仓库再试一次",
        period: Duration::from_secs(600),
        scope: Scope::Leader,
        needs_trusted_clock: false,
    },
    run: |portal| Box::pin(async move { Ok(deletion::resume(&portal).await?) }),
}];

pub(crate) fn routes() -> Routes<Portal> {
    http_library::routes()
        .merge(http_jobs::routes())
        .merge(http_builds::routes())
        .merge(http::routes())
        .merge(http_servers::routes())
        .merge(http_offered::routes())
        .merge(http_registries::routes())
}

impl Portal {
    fn library(&self) -> &Library {
        self.part()
    }

    fn jobs(&self) -> &Jobs {
        self.part()
    }
}
