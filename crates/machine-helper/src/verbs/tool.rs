//! Programs of the machine, run in its own root with fixed words and nothing of the environment.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use machine_helper::{HOST_ROOT, Refusal};

/// Where administrators install programs.
const FOLDERS: [&str; 6] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"];
/// The most bytes of a tool's message for the portal's log.
const WORDS_BYTES: usize = 2048;

/// A program in the machine's root.
#[derive(Debug)]
pub(super) struct Tool(String);

/// Makes the machine's root this process's own, for good.
pub(super) fn enter_host() -> Result<(), Refusal> {
    rustix::process::chroot(HOST_ROOT)?;
    rustix::process::chdir("/")?;
    Ok(())
}

impl Tool {
    /// Finds it, once the machine's root has been entered.
    pub(super) fn find(name: &str) -> Result<Self, Refusal> {
        let paths = FOLDERS.iter().map(|folder| format!("{folder}/{name}"));
        paths.into_iter().find(|path| Path::new(path).is_file()).map(Self).ok_or(Refusal::ToolMissing)
    }

    /// Runs it to its end and returns its output.
    pub(super) fn run(&self, arguments: &[&str], input: &str) -> Result<String, Refusal> {
        let mut command = Command::new(&self.0);
        command.args(arguments).env_clear().env("LC_ALL", "C").env("PATH", FOLDERS.join(":"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A tool that does not read its input explains that itself.
            let _ = stdin.write_all(input.as_bytes());
        }
        let output = child.wait_with_output()?;
        let words = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let shown: String = words.chars().take(WORDS_BYTES).collect();
        // Only for the log; the answer has a code.
        let _ = std::io::stderr().write_all(shown.as_bytes());
        let denied = ["not permitted", "Permission denied"].into_iter().any(|part| words.contains(part));
        Err(if denied { Refusal::Denied } else { Refusal::Failed { errno: output.status.code() } })
    }
}
