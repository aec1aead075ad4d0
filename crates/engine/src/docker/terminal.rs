//! Terminals in containers. bollard's reader takes bytes 0 to 2 of a terminal's output for headers of a log and then
//! hangs, so the connection is taken over here unchanged.

use std::time::Duration;

use bollard::exec::ResizeExecOptions;
use bollard::models::ExecConfig;
use bytes::Bytes;

use super::error::within;
use super::{DockerEngine, QUICK};
use crate::{ContainerRef, Error, Invalid, Result, Terminal, TerminalExit, TerminalId, TerminalSize, TerminalSpec};

/// Marks a terminal's program; its value is the terminal's own.
pub(super) const MARKER: &str = "YUNLAB_TERMINAL";

/// The exit codes of a program that is not there.
const NOT_EXECUTABLE: i64 = 126;
const NOT_FOUND: i64 = 127;

/// Sends the signal `$1` to the program that was started by the engine and has the marker `$0`.
const SIGNAL: &str = r#"for at in /proc/[0-9]*; do
  if grep -q '^PPid:[[:space:]]*0$' "$at/status" && tr '\0' '\n' <"$at/environ" | grep -qx "YUNLAB_TERMINAL=$0"; then
    kill -s "$1" "${at#/proc/}"
  fi
done 2>/dev/null"#;
/// Hangs up on the program that was started by the engine (outside of the container it has no
/// parent) and has the marker `$0`: SIGHUP as from a closed window, SIGKILL when that is ignored.
const HANG_UP: &str = r#"for at in /proc/[0-9]*; do
  if grep -q '^PPid:[[:space:]]*0$' "$at/status" && tr '\0' '\n' <"$at/environ" | grep -qx "YUNLAB_TERMINAL=$0"; then
    pid=${at#/proc/}; kill -HUP "$pid"; left=5
    while [ "$left" -gt 0 ] && kill -0 "$pid"; do sleep 1; left=$((left - 1)); done
    kill -KILL "$pid"
  fi
done 2>/dev/null"#;

impl DockerEngine {
    pub(super) async fn attach_terminal(&self, container: &ContainerRef, spec: &TerminalSpec) -> Result<Terminal> {
        check(spec)?;
        let marker = marker()?;
        let config = ExecConfig {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            tty: Some(true),
            // Ctrl-P is a key like any other; Docker would hold it back to see whether Ctrl-Q follows.
            detach_keys: Some(UNTYPED.to_owned()),
            env: Some(vec![format!("{MARKER}={marker}"), "TERM=xterm-256color".to_owned()]),
            cmd: Some(spec.command.clone()),
            user: spec.user.clone(),
            working_dir: spec.working_dir.clone(),
            ..ExecConfig::default()
        };
        let exec = within(QUICK, self.docker.create_exec(container.as_str(), config)).await?.id;
        let body = Bytes::from_static(br#"{"Detach":false,"Tty":true}"#);
        let (output, input) = tokio::io::split(self.link.upgrade(&format!("/exec/{exec}/start"), body, QUICK).await?);
        let id = TerminalId { container: container.clone(), exec, marker, user: spec.user.clone() };
        // The engine waits ten seconds for the program to exist. A program that ended at once, or could not be started,
        // has no size; its output says why.
        tokio::select! {
            sized = self.set_terminal_size(&id, spec.size) => {
                if let Err(error @ Error::Unreachable(_)) = sized {
                    return Err(error);
                }
            }
            () = self.ended(&id) => {}
        }
        Ok(Terminal { id, output: Box::new(output), input: Box::new(input) })
    }

    async fn ended(&self, terminal: &TerminalId) {
        let mut looks = tokio::time::interval(Duration::from_millis(100));
        while let Ok(None) = self.terminal_status(terminal).await {
            looks.tick().await;
        }
    }

    pub(super) async fn set_terminal_size(&self, terminal: &TerminalId, size: TerminalSize) -> Result<()> {
        // A window without characters is not shown yet.
        let options = ResizeExecOptions { height: size.rows.max(1), width: size.columns.max(1) };
        within(QUICK + Duration::from_secs(5), self.docker.resize_exec(&terminal.exec, options)).await
    }

    pub(super) async fn terminal_status(&self, terminal: &TerminalId) -> Result<Option<TerminalExit>> {
        let exec = within(QUICK, self.docker.inspect_exec(&terminal.exec)).await?;
        let running = exec.running.unwrap_or_default();
        Ok(exec.exit_code.filter(|_| !running).map(|code| TerminalExit { code }))
    }

    pub(super) async fn signal_program(&self, terminal: &TerminalId, signal: &str) -> Result<()> {
        if signal.is_empty()
            || signal.len() > 8
            || !signal.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        {
            return Err(Invalid::new("signal", signal, "is no signal's name").into());
        }
        let ours = [tools::PROGRAM, "signal", &terminal.marker, signal];
        self.reach(terminal, &ours, &["/bin/sh", "-c", SIGNAL, &terminal.marker, signal]).await
    }

    pub(super) async fn hang_up(&self, terminal: &TerminalId) -> Result<()> {
        let ours = [tools::PROGRAM, "hang-up", &terminal.marker];
        self.reach(terminal, &ours, &["/bin/sh", "-c", HANG_UP, &terminal.marker]).await
    }

    /// By our program in the container; by a shell where that is not there, in containers of earlier versions.
    async fn reach(&self, terminal: &TerminalId, ours: &[&str], shell: &[&str]) -> Result<()> {
        for command in [ours, shell] {
            match self.run(&terminal.container, command, terminal.user.as_deref(), QUICK).await {
                Ok(done) if matches!(done.code, NOT_EXECUTABLE | NOT_FOUND) => {}
                // Some engines answer that when a program is not there.
                Err(Error::Rejected(_) | Error::Failed(_)) if command == ours => {}
                // The program ended with its container.
                Ok(_) | Err(Error::NotFound(_) | Error::Conflict(_)) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A detach sequence, as `docker exec --detach-keys` takes it, that is never typed. Its first key is held back until
/// the next one, so it is one that is hardly used.
const UNTYPED: &str = "ctrl-^,ctrl-@,ctrl-@,ctrl-@,ctrl-@";

fn check(spec: &TerminalSpec) -> Result<(), Invalid> {
    let words = spec.command.iter().chain(&spec.user).chain(&spec.working_dir);
    let bad = words.into_iter().find(|word| word.is_empty() || word.chars().any(char::is_control));
    match bad {
        Some(word) => Err(Invalid::new("terminal", word, "is empty or has control characters")),
        None if spec.command.is_empty() => Err(Invalid::new("terminal", "", "has no command")),
        None => Ok(()),
    }
}

pub(super) fn marker() -> Result<String> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|error| Error::Failed(format!("no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
