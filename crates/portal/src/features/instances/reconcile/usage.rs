//! Resources that running instances use, every 5 s, as their engine reports it.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{Runtime, Usage, WorkloadId};
use futures_util::{StreamExt, stream};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::workload;
use crate::Portal;
use crate::features::clusters::Worker;
use crate::features::instances::model::InstanceSample;
use crate::features::instances::store;

/// Instances of one engine that are measured concurrently.
const AT_ONCE: usize = 8;

/// Measures all running instances of one server.
pub(super) async fn sample(portal: &Portal, worker: &Worker) -> ApiResult<()> {
    let Some(runtime) = worker.runtime() else { return Ok(()) };
    let running = store::running_on(portal.db(), &worker.server).await?;
    let asked: Vec<_> =
        running.into_iter().filter_map(|one| Some(usage(Arc::clone(&runtime), workload::id(&one).ok()?))).collect();
    let measured: Vec<(String, Usage)> =
        stream::iter(asked).buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    let now = portal.now();
    let measured: HashMap<String, Usage> = measured.into_iter().collect();
    let before = worker.note_usages(measured.clone());
    let samples = measured.iter().map(|(id, used)| of(used, before.get(id), now).measured(id));
    portal.sampled().keep_instances(samples);
    Ok(())
}

async fn usage(runtime: Arc<dyn Runtime>, id: WorkloadId) -> Option<(String, Usage)> {
    match runtime.usage(&id).await {
        Ok(used) => Some((id.to_string(), used)),
        Err(error) => {
            // The instance stopped meanwhile, or the server does not answer, which is reported elsewhere.
            tracing::debug!(instance.id = %id, %error, "not measured");
            None
        }
    }
}

/// Rates are differences, so the first measurement has none, nor the first after a restart.
fn of(used: &Usage, before: Option<&Usage>, time: Timestamp) -> InstanceSample {
    let whole = |number: u64| i64::try_from(number).ok();
    let before = before.filter(|before| before.cpu_nanos <= used.cpu_nanos && before.at < used.at);
    let rate = |counter: fn(&Usage) -> u64| {
        let before = before?;
        let millis = u64::try_from(used.at.as_millis() - before.at.as_millis()).ok()?;
        whole(counter(used).checked_sub(counter(before))?.saturating_mul(1000) / millis)
    };
    InstanceSample {
        time,
        cpu: before.map(|before| used.cores_since(before)),
        memory: whole(used.memory),
        memory_limit: whole(used.memory_limit),
        received: rate(|usage| usage.received),
        sent: rate(|usage| usage.sent),
        pids: whole(used.pids),
    }
}
