//! The arguments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::str::FromStr;

use nix::sys::signal::Signal;

/// What is asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Init {
        keep: Option<PathBuf>,
        start: Start,
    },
    Run(Start),
    /// What `init` starts: identity and program, in the root that it has.
    Become(Start),
    Signal {
        mark: String,
        signal: Signal,
    },
    HangUp {
        mark: String,
    },
    Resize {
        mark: String,
        columns: u16,
        rows: u16,
    },
    Alive {
        mark: String,
    },
    Usage {
        every: u64,
    },
    Cards,
    Programs,
    /// Waits to be ended.
    Hold,
    Layer {
        upper: PathBuf,
    },
    LayerSize {
        upper: PathBuf,
    },
    TryRoot {
        keep: PathBuf,
    },
    /// The beginning of a file.
    Show {
        file: PathBuf,
    },
}

/// A program and how it is started.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// `user[:group]`, names or numbers.
    pub(crate) user: Option<String>,
    pub(crate) folder: Option<PathBuf>,
    /// Added to its environment, to find it by.
    pub(crate) mark: Option<String>,
    /// It has a terminal.
    pub(crate) terminal: bool,
    /// It and its children gain no rights.
    pub(crate) closed: bool,
    pub(crate) command: Vec<OsString>,
}

/// # Errors
/// What is not understood.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Verb, String> {
    let mut rest = arguments.iter();
    let mut text = || rest.next().and_then(|one| one.to_str()).map(str::to_owned).ok_or("an argument is missing");
    Ok(match text()?.as_str() {
        "init" => {
            let (keep, start) = start(&arguments[1..])?;
            Verb::Init { keep, start }
        }
        "run" => Verb::Run(start(&arguments[1..])?.1),
        "become" => Verb::Become(start(&arguments[1..])?.1),
        "signal" => Verb::Signal { mark: text()?, signal: signal(&text()?)? },
        "hang-up" => Verb::HangUp { mark: text()? },
        "resize" => Verb::Resize { mark: text()?, columns: number(&text()?)?, rows: number(&text()?)? },
        "alive" => Verb::Alive { mark: text()? },
        "usage" => Verb::Usage { every: u64::from(number(&text()?)?) },
        "cards" => Verb::Cards,
        "programs" => Verb::Programs,
        "hold" => Verb::Hold,
        "layer" => Verb::Layer { upper: text()?.into() },
        "layer-size" => Verb::LayerSize { upper: text()?.into() },
        "try-root" => Verb::TryRoot { keep: text()?.into() },
        "show" => Verb::Show { file: text()?.into() },
        other => return Err(format!("no such request: {other}")),
    })
}

fn start(arguments: &[OsString]) -> Result<(Option<PathBuf>, Start), String> {
    let (mut start, mut keep) = (Start::default(), None);
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let mut value = || rest.next().cloned().ok_or("an option has no value");
        match option.as_bytes() {
            b"--keep" => keep = Some(value()?.into()),
            b"--user" => start.user = Some(value()?.into_string().map_err(|_| "a user's name is no text")?),
            b"--folder" => start.folder = Some(value()?.into()),
            b"--mark" => start.mark = Some(value()?.into_string().map_err(|_| "a mark is no text")?),
            b"--terminal" => start.terminal = true,
            b"--closed" => start.closed = true,
            b"--" => {
                start.command = rest.cloned().collect();
                break;
            }
            _ => return Err(format!("no such option: {}", option.to_string_lossy())),
        }
    }
    if start.command.is_empty() {
        return Err("there is no program".to_owned());
    }
    Ok((keep, start))
}

fn signal(name: &str) -> Result<Signal, String> {
    Signal::from_str(&format!("SIG{name}")).map_err(|_| format!("no such signal: {name}"))
}

fn number(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("no number: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Verb, String> {
        parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_follows_two_dashes_is_the_programs() {
        let Ok(Verb::Run(start)) = parsed("run --user ann --folder /tmp --mark 7 --terminal -- sh -c --user") else {
            panic!("it is understood")
        };
        assert_eq!((start.user.as_deref(), start.mark.as_deref()), (Some("ann"), Some("7")));
        assert_eq!(
            (start.terminal, start.closed, start.command),
            (true, false, ["sh", "-c", "--user"].map(OsString::from).to_vec())
        );
        assert!(matches!(parsed("init --keep /k -- sleep"), Ok(Verb::Init { keep: Some(_), .. })));
        assert_eq!(parsed("signal 7 TERM"), Ok(Verb::Signal { mark: "7".to_owned(), signal: Signal::SIGTERM }));
        for bad in
            ["", "x", "run", "run --", "run --user", "run --x -- y", "signal 7 X", "resize 7 80", "resize 7 80 -1"]
        {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
