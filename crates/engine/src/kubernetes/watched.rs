//! Objects of one kind, kept up to date: listed once, then followed. What was followed too late (410) or with a broken
//! connection is listed again, so that nothing which was deleted meanwhile stays.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, pin_mut};
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use super::error::{by_status, within};
use crate::{Error, Result};

/// Objects in one answer.
const PAGE: u32 = 500;
/// Time for a page.
const LISTING: Duration = Duration::from_secs(30);
/// After this the API server ends a watch, in seconds.
const WATCHING: u32 = 290;
/// It shows at least this often that a watch still works.
const SILENCE: Duration = Duration::from_secs(100);
/// Between two tries.
const PAUSES: [Duration; 6] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];
/// What works for this long has recovered.
const RECOVERED: Duration = Duration::from_secs(30);
/// A watch that ends earlier is not begun again at once.
const SHORTEST: Duration = Duration::from_secs(1);

/// The objects of one kind; `S` is what is kept of each. Followed until it is dropped.
#[derive(Debug)]
pub(super) struct Watched<S> {
    shared: Arc<Shared<S>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug)]
struct Shared<S> {
    entries: Mutex<HashMap<Key, Entry<S>>>,
    state: watch::Sender<State>,
    /// Ends a pause.
    hurry: Notify,
    /// Ends a watch that may be dead.
    doubt: Notify,
    /// Notified of each change; shared by several kinds.
    changed: Arc<watch::Sender<u64>>,
}

/// Namespace and name.
type Key = (String, String);

#[derive(Debug)]
struct Entry<S> {
    version: u64,
    value: Arc<S>,
}

#[derive(Clone, Debug)]
enum State {
    /// It is being listed, or will be after a pause.
    Partial,
    /// All that is there is here.
    Complete,
    /// The list that began then failed.
    Lost(Instant, Error),
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An object of the API.
pub(super) trait Object: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static {}
impl<K: Resource + Clone + DeserializeOwned + Debug + Send + Sync + 'static> Object for K {}

impl<S: PartialEq + Send + Sync + 'static> Watched<S> {
    /// Follows what `api` shows of a selection by labels. `keep` says what is kept of an object.
    pub(super) fn follow<K: Object>(
        api: Api<K>,
        labels: &str,
        keep: fn(&K) -> S,
        changed: Arc<watch::Sender<u64>>,
    ) -> Self {
        let state = watch::Sender::new(State::Partial);
        let (hurry, doubt) = (Notify::new(), Notify::new());
        let shared = Arc::new(Shared { entries: Mutex::default(), state, hurry, doubt, changed });
        let follower = Follower { shared: Arc::clone(&shared), api, labels: labels.to_owned(), keep };
        Self { shared, task: tokio::spawn(follower.run()) }
    }

    /// Waits until all objects are here.
    ///
    /// # Errors
    /// Why they are not, by a try that began after this call, or `Unreachable`.
    pub(super) async fn complete(&self, limit: Duration) -> Result<()> {
        let (mut state, asked) = (self.shared.state.subscribe(), Instant::now());
        if !matches!(*state.borrow(), State::Complete) {
            self.shared.hurry.notify_one();
        }
        let waiting = async {
            loop {
                match state.borrow_and_update().clone() {
                    State::Complete => return Ok(()),
                    State::Lost(began, error) if began >= asked => return Err(error),
                    State::Lost(..) | State::Partial => {}
                }
                if state.changed().await.is_err() {
                    return Err(Error::Unreachable("objects are not followed any more".to_owned()));
                }
            }
        };
        let late = |_| Err(Error::Unreachable(format!("no complete list within {} s", limit.as_secs())));
        timeout(limit, waiting).await.unwrap_or_else(late)
    }

    /// Has all be listed again, because the connection may be dead without a word.
    pub(super) fn doubt(&self) {
        self.shared.state.send_replace(State::Partial);
        self.shared.doubt.notify_one();
    }

    /// All of them, in no order.
    pub(super) fn all(&self) -> Vec<Arc<S>> {
        self.shared.entries().values().map(|entry| Arc::clone(&entry.value)).collect()
    }

    /// One of them.
    pub(super) fn get(&self, namespace: &str, name: &str) -> Option<Arc<S>> {
        let key = (namespace.to_owned(), name.to_owned());
        self.shared.entries().get(&key).map(|entry| Arc::clone(&entry.value))
    }

    /// Adds an object that was just written, so that the writer sees it before it is followed.
    pub(super) fn put<K: Object>(&self, object: &K, keep: fn(&K) -> S) {
        self.shared.put(object, keep);
    }
}

impl<S: PartialEq> Shared<S> {
    fn entries(&self) -> MutexGuard<'_, HashMap<Key, Entry<S>>> {
        // Each change of the map is one call.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn put<K: Object>(&self, object: &K, keep: fn(&K) -> S) {
        let (key, version) = (key(object), version(object));
        let mut entries = self.entries();
        let known = entries.get(&key);
        if known.is_some_and(|known| known.version > version) {
            return;
        }
        let value = keep(object);
        // Signs of life and other people's labels are no change.
        let is_same = known.is_some_and(|known| *known.value == value);
        entries.insert(key, Entry { version, value: Arc::new(value) });
        drop(entries);
        if !is_same {
            self.notify();
        }
    }

    fn remove<K: Object>(&self, object: &K) {
        let (key, version) = (key(object), version(object));
        let mut entries = self.entries();
        // One that was created since is another object.
        if entries.get(&key).is_some_and(|known| known.version <= version) {
            entries.remove(&key);
            drop(entries);
            self.notify();
        }
    }

    /// `listed` is all that there was at `version`.
    fn replace(&self, listed: HashMap<Key, Entry<S>>, version: u64) {
        let mut entries = self.entries();
        entries.retain(|_, known| known.version > version);
        for (key, entry) in listed {
            entries.entry(key).or_insert(entry);
        }
        drop(entries);
        self.notify();
    }
}

fn key<K: Resource>(object: &K) -> Key {
    let meta = object.meta();
    (meta.namespace.clone().unwrap_or_default(), meta.name.clone().unwrap_or_default())
}

/// Versions grow (KEP-5504), and have been numbers since before that was written down.
fn version<K: Resource>(object: &K) -> u64 {
    object.meta().resource_version.as_deref().map_or(0, number)
}

fn number(version: &str) -> u64 {
    version.parse().unwrap_or_default()
}

struct Follower<K, S> {
    shared: Arc<Shared<S>>,
    api: Api<K>,
    labels: String,
    keep: fn(&K) -> S,
}

/// How a watch ended.
enum Ended {
    /// As it does from time to time.
    Usual,
    /// What it would continue from is not known any more.
    Expired,
    Broken(Error),
}

impl<K: Object, S: PartialEq + Send + Sync + 'static> Follower<K, S> {
    async fn run(self) {
        let mut short_rounds: usize = 0;
        loop {
            let began = Instant::now();
            match self.list().await {
                Ok(version) => {
                    self.shared.state.send_replace(State::Complete);
                    if let Some(error) = self.watch(version).await {
                        tracing::debug!(%error, "a watch broke");
                    }
                    self.shared.state.send_replace(State::Partial);
                }
                Err(error) => {
                    self.shared.state.send_replace(State::Lost(began, error));
                }
            }
            self.shared.notify();
            short_rounds = if began.elapsed() > RECOVERED { 0 } else { short_rounds + 1 };
            let pause = PAUSES[short_rounds.min(PAUSES.len() - 1)];
            let ended_early = async {
                tokio::select! {
                    () = self.shared.hurry.notified() => {}
                    () = self.shared.doubt.notified() => {}
                }
            };
            let _ = timeout(pause, ended_early).await;
        }
    }

    /// Replaces all entries, and returns the version to follow from.
    async fn list(&self) -> Result<String> {
        let mut params = ListParams::default().labels(&self.labels).limit(PAGE);
        let mut listed = HashMap::new();
        loop {
            let page = within(LISTING, self.api.list(&params)).await?;
            for object in &page.items {
                listed.insert(key(object), Entry { version: version(object), value: Arc::new((self.keep)(object)) });
            }
            match page.metadata.continue_.filter(|more| !more.is_empty()) {
                Some(more) => params = params.continue_token(&more),
                None => {
                    let version = page.metadata.resource_version.unwrap_or_default();
                    self.shared.replace(listed, number(&version));
                    return Ok(version);
                }
            }
        }
    }

    /// Follows from a version on, until everything must be listed again; the error if that is for a failure.
    async fn watch(&self, mut version: String) -> Option<Error> {
        loop {
            let began = Instant::now();
            let ended = tokio::select! {
                ended = self.watch_once(&mut version) => ended,
                () = self.shared.doubt.notified() => return None,
            };
            match ended {
                Ended::Usual if began.elapsed() < SHORTEST => {
                    return Some(Error::Unreachable("a watch ended at once".to_owned()));
                }
                Ended::Usual => {}
                Ended::Expired => return None,
                Ended::Broken(error) => return Some(error),
            }
        }
    }

    async fn watch_once(&self, version: &mut String) -> Ended {
        let params = WatchParams::default().labels(&self.labels).timeout(WATCHING);
        let events = match within(LISTING, self.api.watch(&params, version)).await {
            Ok(events) => events,
            Err(error) => return Ended::Broken(error),
        };
        pin_mut!(events);
        loop {
            // A connection whose other end is gone without a word is only noticed by its silence.
            let Ok(event) = timeout(SILENCE, events.next()).await else { return Ended::Usual };
            match event {
                None => return Ended::Usual,
                Some(Err(error)) => return Ended::Broken(super::error::from_kube(error)),
                Some(Ok(WatchEvent::Added(object) | WatchEvent::Modified(object))) => {
                    *version = object.meta().resource_version.clone().unwrap_or_default();
                    self.shared.put(&object, self.keep);
                }
                Some(Ok(WatchEvent::Deleted(object))) => {
                    *version = object.meta().resource_version.clone().unwrap_or_default();
                    self.shared.remove(&object);
                }
                Some(Ok(WatchEvent::Bookmark(mark))) => *version = mark.metadata.resource_version,
                Some(Ok(WatchEvent::Error(status))) if status.code == 410 => return Ended::Expired,
                Some(Ok(WatchEvent::Error(status))) => {
                    return Ended::Broken(by_status(status.code, &status.reason, status.message));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use http_body_util::Full;
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn shared() -> Shared<String> {
        Shared {
            entries: Mutex::default(),
            state: watch::Sender::new(State::Partial),
            hurry: Notify::new(),
            doubt: Notify::new(),
            changed: Arc::new(watch::Sender::new(0)),
        }
    }

    fn object(name: &str, version: &str) -> ConfigMap {
        let mut object = ConfigMap::default();
        object.metadata.name = Some(name.to_owned());
        object.metadata.resource_version = Some(version.to_owned());
        object
    }

    fn keep(object: &ConfigMap) -> String {
        object.metadata.resource_version.clone().unwrap_or_default()
    }

    fn all(shared: &Shared<String>) -> Vec<(String, String)> {
        let mut all: Vec<_> =
            shared.entries().iter().map(|(key, entry)| (key.1.clone(), entry.value.to_string())).collect();
        all.sort();
        all
    }

    #[test]
    fn an_older_view_never_replaces_a_newer_one() {
        let shared = shared();
        shared.put(&object("a", "10"), keep);
        shared.put(&object("a", "9"), keep);
        assert_eq!(all(&shared), [("a".to_owned(), "10".to_owned())]);
        shared.remove(&object("a", "9"));
        assert_eq!(all(&shared).len(), 1, "the deletion was of an earlier object");
        // A list that was made before something was written, and after something else was deleted.
        shared.put(&object("b", "12"), keep);
        let listed =
            HashMap::from([((String::new(), "c".to_owned()), Entry { version: 3, value: Arc::new("3".to_owned()) })]);
        shared.replace(listed, 11);
        assert_eq!(all(&shared), [("b".to_owned(), "12".to_owned()), ("c".to_owned(), "3".to_owned())]);
        shared.remove(&object("b", "13"));
        assert_eq!(all(&shared).len(), 1);
    }

    fn described(name: &str, version: &str) -> serde_json::Value {
        json!({"metadata": {"name": name, "namespace": "lab", "resourceVersion": version}})
    }

    fn listed(object: &serde_json::Value, version: &str) -> String {
        let list = json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": version},
            "items": [object]});
        list.to_string()
    }

    /// An API server whose first watch expires after one event. What was deleted meanwhile is not in its second list.
    async fn answer(lists: Arc<AtomicUsize>, is_watch: bool) -> String {
        if !is_watch {
            return match lists.fetch_add(1, Ordering::SeqCst) {
                0 => listed(&described("a", "9"), "10"),
                _ => listed(&described("b", "11"), "20"),
            };
        }
        if lists.load(Ordering::SeqCst) > 1 {
            std::future::pending::<()>().await;
        }
        let added = json!({"type": "ADDED", "object": described("b", "11")});
        let expired = json!({"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "status": "Failure",
            "message": "too old resource version", "reason": "Expired", "code": 410}});
        format!("{added}\n{expired}\n")
    }

    #[tokio::test]
    async fn what_was_missed_is_listed_again() {
        let lists = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lists);
        let server = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let answered = answer(Arc::clone(&counted), is_watch);
            async move { Ok::<_, Infallible>(http::Response::new(Full::new(Bytes::from(answered.await)))) }
        });
        let api: Api<ConfigMap> = Api::namespaced(kube::Client::new(server, "lab"), "lab");
        let changed = Arc::new(watch::Sender::new(0));
        let mut changes = changed.subscribe();
        let followed = Watched::follow(api, "", keep, changed);
        followed.complete(Duration::from_secs(5)).await.unwrap();
        let until_again = async {
            while lists.load(Ordering::SeqCst) < 2 || followed.get("lab", "a").is_some() {
                changes.changed().await.unwrap();
            }
        };
        timeout(Duration::from_secs(5), until_again).await.expect("it is listed again");
        followed.complete(Duration::from_secs(5)).await.unwrap();
        assert_eq!(followed.get("lab", "b").as_deref().map(String::as_str), Some("11"));
        assert_eq!(followed.all().len(), 1, "what was deleted while it was not followed is gone");
    }
}
