//! One call of the machine helper, from the creation of its container to its removal.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bollard::models::{ContainerCreateBody, ContainerSummary};
use bollard::query_parameters::{
    CreateContainerOptions, ListContainersOptions, RemoveContainerOptions, StartContainerOptions,
};
use bytes::Bytes;
use machine_helper::{Answer, ContainerId, MAX_REPLY_BYTES, MAX_REQUEST_BYTES, Refusal, Reply, Request};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::image::PROGRAM;
use super::profile::Profile;
use crate::docker::error::{silent, within};
use crate::docker::{DockerEngine, QUICK};
use crate::{Error, MachineHelperError, Owner, Result};

/// Label of such a container. Its value is the time of creation, in seconds since 1970 by the portal's clock.
const LABEL: &str = "yunlab.machine-helper";
const NAME: &str = "yunlab-machine-helper";
/// Longer than any call: older containers were left by a portal that was killed.
const LEFT_AFTER: Duration = Duration::from_secs(120);
/// How long a call waits for others.
const TURN: Duration = Duration::from_secs(30);
/// Maximum size of a tool's output, part of which is logged.
const WORDS_BYTES: usize = 8 << 10;

type HelperResult<T> = Result<T, MachineHelperError>;

impl DockerEngine {
    pub(in crate::docker) async fn run_helper(&self, request: &Request) -> HelperResult<Answer> {
        let text = serde_json::to_string(request).map_err(|error| MachineHelperError::Garbled(error.to_string()))?;
        if text.len() > MAX_REQUEST_BYTES {
            return Err(Refusal::NotSupported.into());
        }
        let _turn = match timeout(TURN, self.helpers.acquire()).await {
            Ok(Ok(turn)) => turn,
            _ => return Err(MachineHelperError::Busy),
        };
        if let Some(container) = request.container() {
            self.refuse_foreign(container).await?;
        }
        self.sweep_helpers().await?;
        let image = self.helper_image().await?;
        let profile = Profile::of(request);
        let container = Helper { docker: self.docker.clone(), name: helper_name()? };
        self.create_helper(&container.name, image, profile, text).await?;
        answer(&self.hear(&container.name, profile.limit()).await?)
    }

    /// The container must be an instance of the portal's, by its labels and by this very id.
    async fn refuse_foreign(&self, container: &ContainerId) -> HelperResult<()> {
        let found = match self.inspect_container(&container.as_str().parse().map_err(Error::Invalid)?).await {
            Ok(found) => found.container,
            Err(Error::NotFound(_)) => return Err(Refusal::NotFound.into()),
            Err(error) => return Err(error.into()),
        };
        let is_ours = matches!(found.owner, Owner::Portal(_)) && found.id.as_str() == container.as_str();
        if is_ours { Ok(()) } else { Err(Refusal::NotOurs.into()) }
    }

    async fn create_helper(&self, name: &str, image: String, profile: Profile, request: String) -> Result<()> {
        let body = ContainerCreateBody {
            image: Some(image),
            entrypoint: Some(vec![PROGRAM.to_owned()]),
            cmd: Some(vec![request]),
            user: Some("0:0".to_owned()),
            working_dir: Some("/".to_owned()),
            labels: Some([(LABEL.to_owned(), now_seconds().to_string())].into()),
            host_config: Some(profile.host_config()),
            ..ContainerCreateBody::default()
        };
        let options = CreateContainerOptions { name: Some(name.to_owned()), ..CreateContainerOptions::default() };
        within(QUICK * 3, self.docker.create_container(Some(options), body)).await.map(drop)
    }

    /// Starts it and listens to its end.
    async fn hear(&self, container: &str, limit: Duration) -> Result<Vec<u8>> {
        let path = format!("/containers/{container}/attach?stream=1&stdout=1&stderr=1");
        let stream = self.link.upgrade(&path, Bytes::new(), QUICK).await?;
        within(QUICK * 3, self.docker.start_container(container, None::<StartContainerOptions>)).await?;
        let longest = u64::try_from(2 * MAX_REPLY_BYTES).unwrap_or(u64::MAX);
        let mut told = Vec::new();
        match timeout(limit, stream.take(longest).read_to_end(&mut told)).await {
            Ok(Ok(_)) => Ok(told),
            Ok(Err(error)) => Err(Error::Unreachable(error.to_string())),
            Err(_) => Err(silent(limit)),
        }
    }

    /// Removes containers of portals that were killed.
    async fn sweep_helpers(&self) -> Result<()> {
        let filters = HashMap::from([("label".to_owned(), vec![LABEL.to_owned()])]);
        let options = ListContainersOptions { all: true, filters: Some(filters), ..ListContainersOptions::default() };
        let now = now_seconds();
        for left in within(QUICK, self.docker.list_containers(Some(options))).await?.into_iter().filter(is_helper) {
            let made = left.labels.as_ref().and_then(|labels| labels.get(LABEL)?.parse::<u64>().ok());
            let is_old = made.is_some_and(|made| now.saturating_sub(made) > LEFT_AFTER.as_secs());
            if let Some(id) = left.id.filter(|_| is_old) {
                remove(&self.docker, &id).await;
            }
        }
        Ok(())
    }
}

/// A helper's container, removed when dropped: also when it did not start, does not end, or the caller gave up.
struct Helper {
    docker: bollard::Docker,
    name: String,
}

impl Drop for Helper {
    fn drop(&mut self) {
        let (docker, name) = (self.docker.clone(), std::mem::take(&mut self.name));
        tokio::spawn(async move { remove(&docker, &name).await });
    }
}

/// The container removes itself at its end, so it is usually gone. A later call sweeps up after a failure.
async fn remove(docker: &bollard::Docker, container: &str) {
    let options = RemoveContainerOptions { force: true, ..RemoveContainerOptions::default() };
    let _ = within(QUICK, docker.remove_container(container, Some(options))).await;
}

/// A unique name for a call's container.
fn helper_name() -> Result<String> {
    let mut random = [0_u8; 8];
    getrandom::fill(&mut random).map_err(|error| Error::Failed(format!("no random numbers: {error}")))?;
    Ok(format!("{NAME}-{:016x}", u64::from_ne_bytes(random)))
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Parses the helper's output in Docker's frames: stream, three zeros, length, bytes.
fn answer(told: &[u8]) -> HelperResult<Answer> {
    let (output, words) = streams(told);
    if output.len() > MAX_REPLY_BYTES {
        return Err(MachineHelperError::Garbled(format!("{} bytes", output.len())));
    }
    let garbled = |error: serde_json::Error| MachineHelperError::Garbled(format!("{error}; {}", shown(&words)));
    match serde_json::from_slice(&output).map_err(garbled)? {
        Reply::Done(answer) => Ok(answer),
        Reply::Refused(refusal) => Err(MachineHelperError::Refused { refusal, words: shown(&words) }),
    }
}

fn streams(mut told: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut output, mut words) = (Vec::new(), Vec::new());
    while let [stream, _, _, _, a, b, c, d, rest @ ..] = told {
        let length = usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX).min(rest.len());
        let to = if *stream == 2 { &mut words } else { &mut output };
        to.extend_from_slice(&rest[..length]);
        told = &rest[length..];
    }
    words.truncate(WORDS_BYTES);
    (output, words)
}

/// Shortens output to one line, without control characters.
fn shown(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    let line: String = text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).take(1024).collect();
    line
}

/// Whether an event with these attributes, which include the container's labels, is about a helper.
pub(in crate::docker) fn made_by_us(attributes: &HashMap<String, String>) -> bool {
    attributes.contains_key(LABEL) && attributes.get("name").is_some_and(|name| name.starts_with(NAME))
}

/// Whether a container is a helper. The label alone proves nothing: an instance has the labels of its image.
pub(in crate::docker) fn is_helper(container: &ContainerSummary) -> bool {
    let named = container.names.iter().flatten().any(|name| name.trim_start_matches('/').starts_with(NAME));
    named && container.labels.as_ref().is_some_and(|labels| labels.contains_key(LABEL))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(stream: u8, text: &[u8]) -> Vec<u8> {
        let length = u32::try_from(text.len()).expect("short").to_be_bytes();
        [&[stream, 0, 0, 0][..], &length, text].concat()
    }

    #[test]
    fn an_answer_is_read_from_its_frames() {
        let told = [frame(1, br#"{"do"#), frame(2, b"a tool\nsays"), frame(1, b"ne\":\"nothing\"}\n")].concat();
        assert_eq!(answer(&told), Ok(Answer::Nothing));
        let refused = [frame(2, b"nft: \x1b[31mno"), frame(1, br#"{"refused":{"code":"tool_missing"}}"#)].concat();
        let wanted = MachineHelperError::Refused { refusal: Refusal::ToolMissing, words: "nft:  [31mno".to_owned() };
        assert_eq!(answer(&refused), Err(wanted));
    }

    #[test]
    fn what_is_no_answer_is_none() {
        let long = frame(1, &vec![b' '; MAX_REPLY_BYTES + 1]);
        let text = br#"{"done":{"boot":{"boot_id":"<script>","uptime_ms":1,"wall_ms":1}}}"#;
        for strange in [vec![], b"x".to_vec(), frame(1, b"{}"), frame(1, text), long, frame(7, b"\xff")] {
            assert!(matches!(answer(&strange), Err(MachineHelperError::Garbled(_))));
        }
    }
}
