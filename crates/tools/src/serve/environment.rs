//! What programs start with: environment, folder, and how they are found.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tools::wire::{Refusal, Refused, Run, Shell, Terminal};

use super::places::refused;
use super::shell;
use crate::account::{Account, is_executable};

/// Where programs are looked for in images that do not say.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// For terminals that do not say what they are.
const TERM: &str = "xterm-256color";

/// A program that is ready to be started.
#[derive(Debug)]
pub(super) struct Plan {
    /// The file.
    pub(super) program: PathBuf,
    /// What it sees as its name.
    pub(super) name: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: BTreeMap<OsString, OsString>,
    pub(super) folder: Option<PathBuf>,
    pub(super) terminal: Option<Terminal>,
    /// The limit of open files that it starts with; `None` for the present one.
    pub(super) open_files: Option<u64>,
}

/// The instance as programs see it.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) account: Account,
    shell: Option<PathBuf>,
    environment: BTreeMap<OsString, OsString>,
    open_files: Option<u64>,
}

impl Surroundings {
    pub(super) fn new(open_files: Option<u64>) -> Self {
        let account = Account::own();
        let shell = account.usable_shell();
        let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        // It marks this program, not those that it starts.
        environment.remove(OsStr::new(tools::MARKER));
        environment.insert("PATH".into(), search_path(environment.get(OsStr::new("PATH"))));
        environment.insert("HOME".into(), account.home.clone().into_os_string());
        environment.insert("USER".into(), account.name.clone());
        environment.insert("LOGNAME".into(), account.name.clone());
        if let Some(shell) = &shell {
            environment.insert("SHELL".into(), shell.clone().into_os_string());
        }
        Self { account, shell, environment, open_files }
    }

    fn plan(&self, program: PathBuf, name: OsString, arguments: Vec<OsString>) -> Plan {
        Plan {
            program,
            name,
            arguments,
            environment: self.environment.clone(),
            folder: Some(self.account.folder()),
            terminal: None,
            open_files: self.open_files,
        }
    }

    fn with(mut plan: Plan, variables: Vec<(Vec<u8>, Vec<u8>)>, terminal: Option<Terminal>) -> Plan {
        if let Some(terminal) = &terminal {
            let term = if terminal.term.is_empty() { TERM.as_bytes() } else { &terminal.term };
            plan.environment.insert("TERM".into(), OsStr::from_bytes(term).to_owned());
        }
        let text = OsString::from_vec;
        plan.environment.extend(variables.into_iter().map(|(name, value)| (text(name), text(value))));
        plan.terminal = terminal;
        plan
    }

    /// A part of this program.
    pub(super) fn part(&self, verb: &str, arguments: Vec<Vec<u8>>) -> Plan {
        let arguments = std::iter::once(OsString::from(verb)).chain(arguments.into_iter().map(OsString::from_vec));
        self.plan(crate::own_path(), "tools".into(), arguments.collect())
    }

    /// # Errors
    /// When there is no such program or folder, or the user may not.
    pub(super) fn program(&self, run: Run) -> Result<Plan, Refused> {
        let mut words = run.argv.into_iter().map(OsString::from_vec);
        let name = words.next().filter(|name| !name.is_empty()).ok_or(Refusal::Malformed)?;
        let mut plan = Self::with(self.plan(PathBuf::new(), name, words.collect()), run.env, run.terminal);
        plan.folder = run.folder.map(|folder| PathBuf::from(OsString::from_vec(folder)));
        if let Some(folder) = &plan.folder {
            match std::fs::metadata(folder) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(Refusal::NotFound.into()),
                Err(error) => return Err(refused(&error)),
            }
        }
        plan.program = find(&plan)?;
        Ok(plan)
    }

    /// # Errors
    /// [`Refusal::NoShell`] where there is none, and the command is not a plain list of words.
    pub(super) fn shell(&self, request: Shell) -> Result<Plan, Refused> {
        let Shell { command, env, terminal } = request;
        match (&self.shell, command) {
            (Some(shell), command) => {
                let name = shell.file_name().unwrap_or(shell.as_os_str());
                let plan = match command {
                    None => {
                        let mut login = OsString::from("-");
                        login.push(name);
                        self.plan(shell.clone(), login, Vec::new())
                    }
                    Some(command) => {
                        let arguments = vec!["-c".into(), OsString::from_vec(command)];
                        self.plan(shell.clone(), name.to_owned(), arguments)
                    }
                };
                Ok(Self::with(plan, env, terminal))
            }
            (None, Some(command)) => {
                let argv = shell::words(&command).filter(|words| !words.is_empty()).ok_or(Refusal::NoShell)?;
                let folder = Some(self.account.folder().into_os_string().into_vec());
                self.program(Run { argv, env, folder, terminal })
            }
            (None, None) => Err(Refusal::NoShell.into()),
        }
    }
}

/// The image's search path, and after it the parts of this program.
fn search_path(path: Option<&OsString>) -> OsString {
    let mut path = path.filter(|path| !path.is_empty()).cloned().unwrap_or_else(|| PATH.into());
    if let Some(parts) = crate::applets() {
        path.push(":");
        path.push(parts);
    }
    path
}

/// The file of a program, by its name.
fn find(plan: &Plan) -> Result<PathBuf, Refused> {
    let name = Path::new(&plan.name);
    if plan.name.as_bytes().contains(&b'/') {
        let whole = plan.folder.as_deref().map_or_else(|| name.to_owned(), |folder| folder.join(name));
        return match std::fs::metadata(&whole) {
            Ok(_) if is_executable(&whole) => Ok(name.to_owned()),
            Ok(_) => Err(refused(&io::Error::from_raw_os_error(rustix::io::Errno::ACCESS.raw_os_error()))),
            Err(error) => Err(refused(&error)),
        };
    }
    let path = plan.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file));
    found.ok_or_else(|| refused(&io::Error::from_raw_os_error(rustix::io::Errno::NOENT.raw_os_error())))
}
