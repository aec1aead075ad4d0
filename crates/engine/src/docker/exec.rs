//! Commands run in a container to their end.

use std::time::Duration;

use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::error::{from_bollard, within};
use super::{DockerEngine, QUICK};
use crate::{ContainerRef, Error, ExecOutput, Result};

/// Maximum size of a command's output.
const OUTPUT_BYTES: usize = 4 << 20;

impl DockerEngine {
    pub(super) async fn run(
        &self,
        container: &ContainerRef,
        command: &[&str],
        user: Option<&str>,
        limit: Duration,
    ) -> Result<ExecOutput> {
        let config = ExecConfig {
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            cmd: Some(command.iter().map(|&word| word.to_owned()).collect()),
            user: user.map(str::to_owned),
            ..ExecConfig::default()
        };
        let exec = within(QUICK, self.docker.create_exec(container.as_str(), config)).await?.id;
        let written = timeout(limit, self.collect(&exec)).await;
        let (stdout, stderr) =
            written.map_err(|_| Error::Failed(format!("the command ran longer than {} s", limit.as_secs())))??;
        let ended = within(QUICK, self.docker.inspect_exec(&exec)).await?;
        Ok(ExecOutput { code: ended.exit_code.unwrap_or(-1), stdout, stderr })
    }

    async fn collect(&self, exec: &str) -> Result<(Vec<u8>, Vec<u8>)> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let started = within(QUICK, self.docker.start_exec(exec, None::<StartExecOptions>)).await?;
        let StartExecResults::Attached { mut output, .. } = started else { return Ok((stdout, stderr)) };
        while let Some(chunk) = output.next().await {
            match chunk.map_err(from_bollard)? {
                LogOutput::StdErr { message } => stderr.extend_from_slice(&message),
                other => stdout.extend_from_slice(other.as_ref()),
            }
            if stdout.len() + stderr.len() > OUTPUT_BYTES {
                return Err(Error::Failed("the command wrote more than 4 MiB".to_owned()));
            }
        }
        Ok((stdout, stderr))
    }
}
