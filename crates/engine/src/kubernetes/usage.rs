//! What workloads use, as their pod helpers measure it. The API has no figures that come often enough, and starting a
//! program in each pod every few seconds would be a load of its own, so a helper that was asked once goes on measuring as
//! long as its figures are wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::api::AttachParams;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::cluster::Cluster;
use super::names::CONTAINER;
use super::{QUICK, tools};
use crate::{Error, Phase, Result, Usage, WorkloadId};

/// Seconds between two measurements.
const EVERY: &str = "2";
/// Figures that are older say nothing about the present.
const FRESH: Duration = Duration::from_secs(8);
/// Measuring ends when its figures were not asked for during this time.
const WANTED: Duration = Duration::from_secs(60);
/// Ends the figures of one measurement.
const END: &str = "end";
/// What a pod without a limit has, as control groups write it.
const UNLIMITED: u64 = 1 << 62;

/// The helpers that measure, by the ids of their pods.
#[derive(Debug, Default)]
pub(super) struct Meters(Mutex<HashMap<String, Arc<Meter>>>);

/// A helper that measures.
#[derive(Debug)]
struct Meter {
    asked: Mutex<Instant>,
    /// The last figures and when they came; `None` before the first.
    last: watch::Sender<Option<(Instant, Usage)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each change is one assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Meter {
    fn is_wanted(&self) -> bool {
        locked(&self.asked).elapsed() < WANTED
    }

    async fn fresh(&self) -> Option<Usage> {
        *locked(&self.asked) = Instant::now();
        let mut last = self.last.subscribe();
        let is_fresh = |last: &Option<(Instant, Usage)>| last.is_some_and(|(at, _)| at.elapsed() < FRESH);
        let found = timeout(QUICK, last.wait_for(is_fresh)).await.ok()?.ok()?;
        found.map(|(_, usage)| usage)
    }
}

impl Cluster {
    pub(super) async fn measure(self: &Arc<Self>, id: &WorkloadId) -> Result<Usage> {
        let (pod, uid) = self.measured(id).await?;
        let known = locked(&self.meters.0).get(&uid).cloned();
        let meter = match known {
            Some(meter) => meter,
            None => self.start_meter(&pod, &uid).await?,
        };
        let late = || Error::Unreachable(format!("no figures of a pod within {} s", QUICK.as_secs()));
        meter.fresh().await.ok_or_else(late)
    }

    /// The name and the id of the pod of a workload that runs, mostly without asking the API server.
    async fn measured(&self, id: &WorkloadId) -> Result<(String, String)> {
        let seen = self.seen().await?;
        let anchors = seen.anchors.all();
        let anchor = anchors.iter().filter_map(|anchor| anchor.as_ref().as_ref()).find(|anchor| anchor.id == *id);
        let pod = anchor.and_then(|anchor| seen.pods.get(&self.settings.namespace, &anchor.base));
        let pod = pod.filter(|pod| pod.phase == Phase::Running && pod.instance == id.as_str());
        let pod = match pod {
            Some(pod) => pod,
            None => self.running(id).await?.1,
        };
        Ok((pod.name.clone(), pod.uid.clone()))
    }

    async fn start_meter(self: &Arc<Self>, pod: &str, uid: &str) -> Result<Arc<Meter>> {
        let arguments = [tools::PROGRAM, "usage", EVERY].map(str::to_owned).to_vec();
        let params = AttachParams { container: Some(CONTAINER.to_owned()), stderr: false, ..AttachParams::default() };
        let mut attached = self.exec(pod, arguments, &params).await?;
        let lost = || Error::Failed("the API server gave no streams".to_owned());
        let figures = BufReader::new(attached.stdout().ok_or_else(lost)?);
        let meter = Arc::new(Meter { asked: Mutex::new(Instant::now()), last: watch::Sender::new(None) });
        // Of two that were started at once, the later one stays; the other ends when it is not asked.
        locked(&self.meters.0).insert(uid.to_owned(), Arc::clone(&meter));
        let (cluster, uid, measuring) = (Arc::clone(self), uid.to_owned(), Arc::clone(&meter));
        tokio::spawn(async move {
            let mut lines = figures.lines();
            let mut numbers = HashMap::new();
            while measuring.is_wanted() {
                // Also ends on a connection whose other end is gone without a word.
                let Ok(Ok(Some(line))) = timeout(FRESH, lines.next_line()).await else { break };
                if line == END {
                    let usage = usage(&std::mem::take(&mut numbers), cluster.site.now());
                    measuring.last.send_replace(Some((Instant::now(), usage)));
                } else if let Some((name, value)) = number(&line) {
                    numbers.insert(name.to_owned(), value);
                }
            }
            let mut meters = locked(&cluster.meters.0);
            if meters.get(&uid).is_some_and(|present| Arc::ptr_eq(present, &measuring)) {
                meters.remove(&uid);
            }
            // Closes the connection, at which the helper's next line fails.
            attached.abort();
        });
        Ok(meter)
    }
}

fn number(line: &str) -> Option<(&str, u64)> {
    let (name, value) = line.split_once(' ')?;
    Some((name, value.parse().ok()?))
}

fn usage(numbers: &HashMap<String, u64>, at: kernel::Timestamp) -> Usage {
    let number = |name: &str| numbers.get(name).copied().unwrap_or_default();
    let limit = number("memory_limit");
    Usage {
        at,
        cpu_nanos: number("cpu_nanos"),
        memory: number("memory"),
        memory_limit: if limit > UNLIMITED { 0 } else { limit },
        pids: number("pids"),
        received: number("received"),
        sent: number("sent"),
        disk_read: number("disk_read"),
        disk_written: number("disk_written"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_by_their_names() {
        let lines = ["cpu_nanos 12", "memory 5", "memory_limit 9223372036854771712", "new 1 2", "bad x", "end"];
        let numbers = lines.into_iter().filter_map(number).map(|(name, value)| (name.to_owned(), value)).collect();
        let usage = usage(&numbers, kernel::Timestamp::from_millis(7));
        assert_eq!((usage.cpu_nanos, usage.memory, usage.memory_limit, usage.pids), (12, 5, 0, 0));
    }
}
