//! Programs beside a workload's own, through the API server's connections into containers.
//!
//! Only the connection that started a program receives its exit code. All else is asked of the pod helper, which finds the
//! program by its mark, so that it also works on another connection.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::SinkExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{AttachParams, AttachedProcess, TerminalSize as Size};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::anchor::{Anchor, Made, Picked};
use super::cluster::Cluster;
use super::names::CONTAINER;
use super::seen::PodSeen;
use super::{KubernetesRuntime, Link, QUICK, tools};
use crate::runtime::ProcessView;
use crate::{
    Command, ContainerPrograms, Error, Invalid, Phase, Process, ProcessControl, ProcessId, Result, TerminalSize, WorkloadId,
};

/// Bytes that wait for their reader.
const WAITING: usize = 64 << 10;
/// Bytes of the helper's answers at most; it writes less.
const ANSWER: u64 = 4 << 20;
/// Time for a program to end when it is hung up on, and the helper with it.
const HANGING_UP: Duration = Duration::from_secs(15);

/// Names a program.
#[derive(Clone, Debug)]
struct Place {
    pod: String,
    uid: String,
    mark: String,
}

impl Place {
    fn record(&self) -> ProcessId {
        ProcessId::new(format!("{} {} {}", self.pod, self.uid, self.mark))
    }

    fn of(record: &ProcessId) -> Option<Self> {
        let parts: Vec<&str> = record.as_str().split(' ').collect();
        let [pod, uid, mark] = parts.try_into().ok()?;
        let plain =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
        let is_one = [pod, uid, mark].into_iter().all(plain);
        is_one.then(|| Self { pod: pod.to_owned(), uid: uid.to_owned(), mark: mark.to_owned() })
    }
}

/// A program that was started, on this connection or an earlier one.
struct Started {
    link: Arc<Link>,
    place: Place,
    /// `None` after another connection started it.
    own: Option<Connection>,
}

struct Connection {
    /// `None` without a terminal.
    size: Option<mpsc::Sender<Size>>,
    exit: watch::Receiver<Exit>,
}

#[derive(Clone, Debug)]
pub(super) enum Exit {
    NotYet,
    Code(i64),
    /// It was not started, or the connection broke.
    Unknown(Error),
}

impl std::fmt::Debug for Started {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Started").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Link {
    pub(super) async fn start_beside(self: &Arc<Self>, id: &WorkloadId, command: &Command) -> Result<Process> {
        check(command)?;
        let cluster = self.cluster().await?;
        let (made, pod) = cluster.running(id).await?;
        let place = Place { pod: pod.name.clone(), uid: pod.uid.clone(), mark: mark()? };
        let has_terminal = command.terminal.is_some();
        let params = AttachParams {
            container: Some(CONTAINER.to_owned()),
            stdin: true,
            stdout: true,
            stderr: !has_terminal,
            tty: has_terminal,
            max_stdin_buf_size: Some(WAITING),
            max_stdout_buf_size: Some(WAITING),
            max_stderr_buf_size: Some(WAITING),
        };
        let mut attached = cluster.exec(&place.pod, arguments(&made, command, &place.mark), &params).await?;
        let control = control(Arc::clone(self), place.clone(), &mut attached);
        if let Some(size) = command.terminal {
            control.resize(size).await?;
        }
        let lost = || Error::Failed("the API server gave no streams".to_owned());
        let stdin = attached.stdin().ok_or_else(lost)?;
        let stdout = attached.stdout().ok_or_else(lost)?;
        let stderr = attached.stderr().map(|stderr| Box::new(drained(stderr)) as Box<dyn AsyncRead + Send + Unpin>);
        Ok(Process {
            id: place.record(),
            stdin: Box::new(stdin),
            stdout: Box::new(drained(stdout)),
            stderr,
            control: Arc::new(control),
        })
    }

    pub(super) fn take_over(self: &Arc<Self>, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        let place = Place::of(process);
        let place = place.ok_or_else(|| Invalid::new("process", process.as_str(), "is no program of a pod"))?;
        Ok(Arc::new(Started { link: Arc::clone(self), place, own: None }))
    }
}

fn arguments(made: &Made, command: &Command, mark: &str) -> Vec<String> {
    let mut own = made.clone();
    if let Some(user) = &command.user {
        own.user.clone_from(user);
    }
    if let Some(folder) = &command.working_dir {
        own.folder.clone_from(folder);
    }
    let mut all = vec![tools::PROGRAM.to_owned(), "run".to_owned(), "--mark".to_owned(), mark.to_owned()];
    all.extend(tools::identity(&own));
    if command.terminal.is_some() {
        all.push("--terminal".to_owned());
    }
    if made.closed {
        all.push("--closed".to_owned());
    }
    all.push("--".to_owned());
    all.extend(command.argv.iter().cloned());
    all
}

fn check(command: &Command) -> Result<(), Invalid> {
    let words = command.argv.iter().chain(&command.user).chain(&command.working_dir);
    match words.into_iter().find(|word| word.contains('\0') || word.len() > 64 << 10) {
        Some(word) => Err(Invalid::new("command", word, "has a NUL or is over 64 KiB")),
        None if command.argv.is_empty() => Err(Invalid::new("command", "", "is empty")),
        None => Ok(()),
    }
}

fn control(link: Arc<Link>, place: Place, attached: &mut AttachedProcess) -> Started {
    let (sender, exit) = watch::channel(Exit::NotYet);
    let status = attached.take_status();
    tokio::spawn(async move {
        let ended = match status {
            Some(status) => status.await,
            None => None,
        };
        let broken = || Exit::Unknown(Error::Unreachable("the connection to the program broke".to_owned()));
        let _ = sender.send(ended.map_or_else(broken, |status| exit_of(&status)));
    });
    let size = attached.terminal_size().map(|mut connection| {
        let (sender, mut sizes) = mpsc::channel(4);
        tokio::spawn(async move {
            while let Some(size) = sizes.recv().await {
                if connection.send(size).await.is_err() {
                    break;
                }
            }
        });
        sender
    });
    Started { link, place, own: Some(Connection { size, exit }) }
}

/// How a program ended, or why it was not started.
pub(super) fn exit_of(status: &Status) -> Exit {
    if status.status.as_deref() == Some("Success") {
        return Exit::Code(0);
    }
    let causes = status.details.iter().flat_map(|details| details.causes.iter().flatten());
    let code =
        causes.filter(|cause| cause.reason.as_deref() == Some("ExitCode")).find_map(|cause| cause.message.as_deref());
    match code.and_then(|code| code.parse().ok()) {
        Some(code) => Exit::Code(code),
        None => Exit::Unknown(Error::Failed(status.message.clone().unwrap_or_default())),
    }
}

/// The same bytes. What has no reader any more is dropped, so that the program can go on.
fn drained(mut from: impl AsyncRead + Send + Unpin + 'static) -> DuplexStream {
    let (reader, mut writer) = duplex(WAITING);
    tokio::spawn(async move {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let _ = writer.write_all(&buffer[..count]).await;
        }
    });
    reader
}

fn mark() -> Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| Error::Failed(format!("no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The answer of the pod helper.
pub(super) struct Answer {
    pub(super) code: i64,
    pub(super) output: Vec<u8>,
}

impl Answer {
    pub(super) fn text(&self) -> &str {
        str::from_utf8(&self.output).unwrap_or_default()
    }
}

impl Cluster {
    /// The pod of a workload that runs.
    ///
    /// # Errors
    /// `NotFound`, and `Conflict` when it does not run.
    pub(super) async fn running(&self, id: &WorkloadId) -> Result<(Made, Arc<PodSeen>)> {
        let anchor = self.anchor(id).await?;
        let pod = self.pod_of(&anchor).await?.filter(|pod| pod.instance == id.as_str());
        match pod.filter(|pod| pod.phase == Phase::Running) {
            Some(pod) => Ok((anchor.made, pod)),
            None => Err(Error::Conflict(format!("workload {id} does not run"))),
        }
    }

    /// Asks the pod of a workload which cards its node picked, and writes that down once. Without an answer they stay
    /// unknown.
    pub(super) async fn read_picked(&self, anchor: &Anchor) {
        let read = async {
            let Some(pod) = self.pod_of(anchor).await? else { return Ok(()) };
            if anchor.picked.as_ref().is_some_and(|picked| picked.pod == pod.uid) {
                return Ok(());
            }
            let answer = self.ask_helper(&pod.name, &["cards"], QUICK).await?;
            let cards = answer.text().lines().map(str::to_owned).collect();
            self.note_picked(anchor, &Picked { pod: pod.uid.clone(), cards }).await
        };
        if let Err(error) = read.await {
            tracing::warn!(workload = %anchor.id, %error, "which cards it has is not known");
        }
    }

    pub(super) async fn exec(&self, pod: &str, arguments: Vec<String>, params: &AttachParams) -> Result<AttachedProcess> {
        match timeout(QUICK, self.pods().exec(pod, arguments, params)).await {
            Ok(Ok(attached)) => Ok(attached),
            // The answer was no, and its words are lost.
            Ok(Err(kube::Error::UpgradeConnection(kube::client::UpgradeConnectionError::ProtocolSwitch(code)))) => {
                Err(not_entered(code.as_u16()))
            }
            Ok(Err(error)) => Err(super::error::from_kube(error)),
            Err(_) => Err(Error::Unreachable(format!("no connection within {} s", QUICK.as_secs()))),
        }
    }

    /// Asks the pod helper.
    pub(super) async fn ask_helper(&self, pod: &str, arguments: &[&str], limit: Duration) -> Result<Answer> {
        let all = [tools::PROGRAM].into_iter().chain(arguments.iter().copied()).map(str::to_owned).collect();
        let params = AttachParams::default().container(CONTAINER).stdin(false).stdout(true).stderr(true);
        let mut attached = self.exec(pod, all, &params).await?;
        let answered = async {
            let status = attached.take_status();
            let (mut output, mut errors) = (Vec::new(), String::new());
            let stdout = attached.stdout().map(|stdout| stdout.take(ANSWER));
            let stderr = attached.stderr().map(|stderr| stderr.take(ANSWER));
            let (Some(mut stdout), Some(mut stderr), Some(status)) = (stdout, stderr, status) else { return None };
            let (read, complained) =
                tokio::join!(stdout.read_to_end(&mut output), stderr.read_to_string(&mut errors));
            read.and(complained).ok()?;
            Some((status.await?, output, errors))
        };
        let Some((status, output, errors)) = timeout(limit, answered).await.ok().flatten() else {
            return Err(Error::Unreachable(format!("no answer of a pod within {} s", limit.as_secs())));
        };
        match exit_of(&status) {
            Exit::Code(125) => Err(Error::Failed(errors.trim().to_owned())),
            Exit::Code(code) => Ok(Answer { code, output }),
            Exit::NotYet => Err(Error::Unreachable("no exit".to_owned())),
            Exit::Unknown(error) => Err(error),
        }
    }
}

#[async_trait]
impl ProcessView for KubernetesRuntime {
    async fn programs(&self, id: &WorkloadId) -> Result<ContainerPrograms> {
        let cluster = self.link.cluster().await?;
        let (_, pod) = cluster.running(id).await?;
        let answer = cluster.ask_helper(&pod.name, &["programs"], QUICK).await?;
        Ok(crate::probe::listed_programs(&answer.output))
    }
}

/// Why there is no connection into a pod, by the API server's code.
fn not_entered(code: u16) -> Error {
    match code {
        500.. => Error::Unreachable(format!("the API server answers {code}: the pod's node does not answer it")),
        401 | 403 => Error::Rejected(format!("the API server answers {code}: programs may not be started in pods")),
        _ => Error::Conflict(format!("the API server answers {code}: the container is not there")),
    }
}

impl Started {
    async fn ask(&self, arguments: &[&str], limit: Duration) -> Result<Option<Answer>> {
        let cluster = self.link.cluster().await?;
        let pod = cluster.seen().await?.pods.get(&cluster.settings.namespace, &self.place.pod);
        if pod.is_some_and(|pod| pod.uid != self.place.uid || matches!(pod.phase, Phase::Ended(_))) {
            return Ok(None);
        }
        match cluster.ask_helper(&self.place.pod, arguments, limit).await {
            // The program ended with its pod.
            Err(Error::NotFound(_) | Error::Conflict(_)) => Ok(None),
            answered => answered.map(Some),
        }
    }
}

#[async_trait]
impl ProcessControl for Started {
    async fn resize(&self, size: TerminalSize) -> Result<()> {
        // A window without characters is not shown yet.
        let (columns, rows) = (size.columns.max(1), size.rows.max(1));
        if let Some(sender) = self.own.as_ref().and_then(|own| own.size.as_ref())
            && sender.send(Size { width: columns, height: rows }).await.is_ok()
        {
            return Ok(());
        }
        self.ask(&["resize", &self.place.mark, &columns.to_string(), &rows.to_string()], QUICK).await.map(drop)
    }

    async fn signal(&self, name: &str) -> Result<()> {
        if name.is_empty()
            || name.len() > 8
            || !name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        {
            return Err(Invalid::new("signal", name, "is no signal's name").into());
        }
        self.ask(&["signal", &self.place.mark, name], QUICK).await.map(drop)
    }

    async fn exit(&self) -> Result<Option<i64>> {
        let known = self.own.as_ref().map(|own| own.exit.borrow().clone());
        match known {
            Some(Exit::NotYet) => Ok(None),
            Some(Exit::Code(code)) => Ok(Some(code)),
            Some(Exit::Unknown(error @ Error::Failed(_))) => Err(error),
            Some(Exit::Unknown(_)) | None => {
                let alive = self.ask(&["alive", &self.place.mark], QUICK).await?;
                match alive {
                    Some(Answer { code: 0, .. }) => Ok(None),
                    _ => Err(Error::NotFound("its exit was for another connection".to_owned())),
                }
            }
        }
    }

    async fn hang_up(&self) -> Result<()> {
        self.ask(&["hang-up", &self.place.mark], HANGING_UP).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(value: serde_json::Value) -> Exit {
        exit_of(&serde_json::from_value(value).unwrap())
    }

    #[test]
    fn exits_are_read_from_what_the_api_server_says() {
        assert!(matches!(status(json!({"status": "Success"})), Exit::Code(0)));
        let failed = json!({"status": "Failure", "reason": "NonZeroExitCode",
            "details": {"causes": [{"reason": "ExitCode", "message": "7"}]}});
        assert!(matches!(status(failed), Exit::Code(7)));
        let never = json!({"status": "Failure", "message": "exec failed: unable to start container process"});
        assert!(matches!(status(never), Exit::Unknown(Error::Failed(_))));
    }

    #[test]
    fn a_record_names_one_program() {
        let place = Place { pod: "ins-a".to_owned(), uid: "1-2".to_owned(), mark: "ff".to_owned() };
        let again = Place::of(&place.record()).unwrap();
        assert_eq!((again.pod, again.uid, again.mark), (place.pod, place.uid, place.mark));
        for bad in ["", "a b", "a b c d", "../x 1 2", "a  c"] {
            assert!(Place::of(&ProcessId::new(bad.to_owned())).is_none(), "{bad}");
        }
    }
}
