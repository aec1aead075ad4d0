//! Programs with three pipes in containers.

use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::{Stream, StreamExt};
use tokio::io::{AsyncWriteExt, DuplexStream, duplex};

use super::error::within;
use super::terminal::{MARKER, marker};
use super::{DockerEngine, QUICK};
use crate::{ContainerRef, Error, Invalid, Pipes, PipesSpec, Result, TerminalId};

/// Bytes of output that wait for their reader.
const WAITING: usize = 64 << 10;

impl DockerEngine {
    pub(super) async fn attach_pipes(&self, container: &ContainerRef, spec: &PipesSpec) -> Result<Pipes> {
        check(spec)?;
        let marker = marker()?;
        let config = ExecConfig {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            env: Some(vec![format!("{MARKER}={marker}")]),
            cmd: Some(spec.command.clone()),
            user: spec.user.clone(),
            working_dir: spec.working_dir.clone(),
            ..ExecConfig::default()
        };
        let exec = within(QUICK, self.docker.create_exec(container.as_str(), config)).await?.id;
        let started = within(QUICK, self.docker.start_exec(&exec, None::<StartExecOptions>)).await?;
        let StartExecResults::Attached { output, input } = started else {
            return Err(Error::Failed("the engine started it detached".to_owned()));
        };
        let (stdout, to_stdout) = duplex(WAITING);
        let (stderr, to_stderr) = duplex(WAITING);
        tokio::spawn(divide(output, to_stdout, to_stderr));
        let id = TerminalId { container: container.clone(), exec, marker, user: spec.user.clone() };
        Ok(Pipes { id, stdin: Box::new(input), stdout: Box::new(stdout), stderr: Box::new(stderr) })
    }
}

/// Until the program or the connection ends, which the exit code tells apart. What has no reader any more is dropped, so
/// that the program can go on.
async fn divide(
    mut output: impl Stream<Item = Result<LogOutput, bollard::errors::Error>> + Unpin,
    mut stdout: DuplexStream,
    mut stderr: DuplexStream,
) {
    while let Some(Ok(piece)) = output.next().await {
        let _ = match piece {
            LogOutput::StdErr { message } => stderr.write_all(&message).await,
            other => stdout.write_all(other.as_ref()).await,
        };
    }
}

fn check(spec: &PipesSpec) -> Result<(), Invalid> {
    let words = spec.command.iter().chain(&spec.user).chain(&spec.working_dir);
    match words.into_iter().find(|word| word.contains('\0') || word.len() > 64 << 10) {
        Some(word) => Err(Invalid::new("command", word, "has a NUL or is over 64 KiB")),
        None if spec.command.is_empty() => Err(Invalid::new("command", "", "is empty")),
        None => Ok(()),
    }
}
