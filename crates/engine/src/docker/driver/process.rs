//! Programs beside a workload's own.

use std::sync::Arc;

use async_trait::async_trait;

use super::DockerRuntime;
use crate::{
    Command, Engine, Invalid, PipesSpec, Process, ProcessControl, ProcessId, Result, TerminalId, TerminalSize,
    TerminalSpec, WorkloadId,
};

/// A program that was started in a container.
#[derive(Debug)]
struct Started {
    engine: Arc<dyn Engine>,
    id: TerminalId,
}

impl DockerRuntime {
    pub(super) async fn start_beside(&self, id: &WorkloadId, command: &Command) -> Result<Process> {
        let container = self.container(id).await?;
        let Command { argv, working_dir, user, terminal } = command.clone();
        let control = |id: &TerminalId| Arc::new(Started { engine: Arc::clone(&self.engine), id: id.clone() });
        if let Some(size) = terminal {
            let spec = TerminalSpec { command: argv, working_dir, user, size };
            let opened = self.engine.open_terminal(&container, &spec).await?;
            return Ok(Process {
                id: ProcessId::new(opened.id.to_record()),
                stdin: opened.input,
                stdout: opened.output,
                stderr: None,
                control: control(&opened.id),
            });
        }
        let opened = self.engine.open_pipes(&container, &PipesSpec { command: argv, working_dir, user }).await?;
        Ok(Process {
            id: ProcessId::new(opened.id.to_record()),
            stdin: opened.stdin,
            stdout: opened.stdout,
            stderr: Some(opened.stderr),
            control: control(&opened.id),
        })
    }

    pub(super) fn take_over(&self, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
        let id = TerminalId::from_record(process.as_str());
        let id = id.ok_or_else(|| Invalid::new("process", process.as_str(), "is no program of a container"))?;
        Ok(Arc::new(Started { engine: Arc::clone(&self.engine), id }))
    }
}

#[async_trait]
impl ProcessControl for Started {
    async fn resize(&self, size: TerminalSize) -> Result<()> {
        self.engine.resize_terminal(&self.id, size).await
    }

    async fn signal(&self, name: &str) -> Result<()> {
        self.engine.signal_terminal(&self.id, name).await
    }

    async fn exit(&self) -> Result<Option<i64>> {
        Ok(self.engine.terminal_exit(&self.id).await?.map(|exit| exit.code))
    }

    async fn hang_up(&self) -> Result<()> {
        self.engine.close_terminal(&self.id).await
    }
}
