//! What not every cluster can do, and what every one can in several calls.

use std::time::Duration;

use engine::{Command, Error, Runtime, WorkloadId};
use http_kit::{ApiError, ApiResult};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{interval, timeout};

/// The output of a program at most, in bytes.
const OUTPUT: u64 = 4 << 20;
/// A program's exit is looked for this often after the end of its output.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// An optional part of a cluster that a request needs; `what` is what it is for.
///
/// # Errors
/// 409 where the cluster does not have it.
pub(crate) fn needed<'a, T: ?Sized>(part: Option<&'a T>, what: &str) -> ApiResult<&'a T> {
    part.ok_or_else(|| ApiError::conflict("not_possible_there", format!("这台服务器不支持{what}")))
}

/// Runs a program beside a workload's own and returns what it wrote to its standard output.
///
/// # Errors
/// Those of [`Runtime::run`]; `Failed` when it wrote more than 4 MiB or ran over `limit`.
pub(crate) async fn collect(
    runtime: &dyn Runtime,
    id: &WorkloadId,
    argv: Vec<String>,
    limit: Duration,
) -> engine::Result<Vec<u8>> {
    let command = Command { argv, working_dir: None, user: None, terminal: None };
    let process = runtime.run(id, &command).await?;
    let collected = async {
        let errors = async {
            match process.stderr {
                Some(stderr) => read(stderr).await.map(drop),
                None => Ok(()),
            }
        };
        let (written, _) = tokio::try_join!(read(process.stdout), errors)?;
        let mut looks = interval(LOOK_EVERY);
        while process.control.exit().await?.is_none() {
            looks.tick().await;
        }
        Ok(written)
    };
    let over = |_| Err(Error::Failed(format!("the program ran longer than {} s", limit.as_secs())));
    let ended = timeout(limit, collected).await.unwrap_or_else(over);
    if ended.is_err() {
        let _ = process.control.hang_up().await;
    }
    ended
}

async fn read(pipe: Box<dyn AsyncRead + Send + Unpin>) -> engine::Result<Vec<u8>> {
    let mut all = Vec::new();
    let read = pipe.take(OUTPUT + 1).read_to_end(&mut all).await;
    read.map_err(|error| Error::Unreachable(error.to_string()))?;
    if all.len() as u64 > OUTPUT {
        return Err(Error::Failed("the program wrote more than 4 MiB".to_owned()));
    }
    Ok(all)
}
