//! A program of the instance on a channel, from its start to its end.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tools::client::{Control, OpenError, Outgoing, Process};
use tools::wire::{Exit, Refusal as Code, Shell, Size, Terminal};

use crate::pipe::{Pipe, Side};
use crate::{Entered, Purpose, Reason, Refusal, menu, words};

/// How long what a terminal still shows is waited for when its program ended: others may hold it open.
const AFTERGLOW: Duration = Duration::from_secs(1);

/// What a client asks for.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) kind: Kind,
    pub(crate) variables: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) terminal: Option<Terminal>,
    /// Whether the client's agent can be used.
    pub(crate) agent: bool,
}

/// The kinds of programs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Shell,
    Command(Vec<u8>),
    Files,
}

impl Kind {
    fn purpose(&self) -> Purpose {
        match self {
            Self::Shell => Purpose::Shell,
            Self::Command(_) => Purpose::Command,
            Self::Files => Purpose::Files,
        }
    }
}

/// What a client wants of a program that runs.
#[derive(Debug)]
pub(crate) struct Orders {
    pub(crate) sizes: watch::Receiver<Size>,
    pub(crate) signals: mpsc::Receiver<u8>,
}

/// Carries a program. When the client closes the channel, its session is hung up on.
pub(crate) async fn carry(pipe: Pipe, program: Program, orders: Orders) {
    let work = async {
        let exit = tokio::select! {
            exit = run(&pipe, program, orders) => exit,
            why = pipe.connection().over() => {
                pipe.tell(&why).await;
                None
            }
        };
        pipe.finish(exit).await;
    };
    tokio::select! {
        () = work => {}
        () = pipe.inbox().gone() => {}
    }
}

async fn run(pipe: &Pipe, program: Program, orders: Orders) -> Option<Exit> {
    let has_terminal = program.terminal.is_some();
    if !pipe.connection().is_instance_named() {
        if program.kind != Kind::Shell || !has_terminal {
            pipe.tell(&words::which_instance()).await;
            return None;
        }
        match menu::choose(pipe).await {
            Ok(Some(chosen)) => pipe.connection().choose(chosen),
            Ok(None) => return Some(Exit::Code(0)),
            Err(refusal) => {
                pipe.tell(&refusal).await;
                return None;
            }
        }
    }
    match begin(pipe, program, &orders).await {
        Ok(process) => attend(pipe, process, has_terminal, orders).await,
        Err(refusal) => {
            pipe.tell(&refusal).await;
            None
        }
    }
}

async fn begin(pipe: &Pipe, program: Program, orders: &Orders) -> Result<Process, Refusal> {
    let Program { kind, variables, terminal, agent } = program;
    let connection = pipe.connection();
    let entered = connection.enter(kind.purpose()).await?;
    let mut env = surroundings(pipe);
    env.extend(variables);
    if agent && let Some(socket) = connection.agent(pipe.handle()).await {
        env.push(("SSH_AUTH_SOCK".into(), socket));
    }
    let terminal = terminal.map(|terminal| Terminal { size: *orders.sizes.borrow(), ..terminal });
    let started = match kind {
        Kind::Files => entered.session.sftp().await,
        Kind::Shell => entered.session.shell(Shell { command: None, env, terminal }).await,
        Kind::Command(command) => entered.session.shell(Shell { command: Some(command), env, terminal }).await,
    };
    started.map_err(|error| not_started(&entered, &error))
}

/// The variables that sshd sets, too.
fn surroundings(pipe: &Pipe) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (from, at) = (pipe.connection().from, pipe.connection().at);
    let (client, host) = (from.ip().to_canonical(), at.ip().to_canonical());
    let connection = format!("{client} {} {host} {}", from.port(), at.port());
    let short = format!("{client} {} {}", from.port(), at.port());
    vec![("SSH_CONNECTION".into(), connection.into_bytes()), ("SSH_CLIENT".into(), short.into_bytes())]
}

fn not_started(entered: &Entered, error: &OpenError) -> Refusal {
    let code = match error {
        OpenError::Refused(refused) => refused.refusal,
        OpenError::Fault(fault) => {
            tracing::debug!(instance.id = entered.id, %fault, "the way into an instance broke");
            return Refusal::new(Reason::Unreachable, "和实例的连接断开了，请重新连接");
        }
    };
    let words = match code {
        Code::NoShell => "实例的镜像里没有 shell，只能运行不需要 shell 的命令，如 ssh 实例名@主机 程序 参数",
        Code::NoTerminal => "实例里不能打开终端，请用 ssh -T",
        Code::TooMany => "这个连接里同时运行的程序和转发太多",
        Code::NotFound => "实例里没有这个程序",
        Code::Denied => "实例里的用户没有权限运行它",
        Code::Malformed => "命令或环境变量太长，或者含有不能用的字符",
        Code::NotListening | Code::InUse | Code::NotHere | Code::TimedOut | Code::Failed => "实例里的程序没有启动",
    };
    let reason = if code == Code::TooMany { Reason::TooMany } else { Reason::Other };
    Refusal::new(reason, words)
}

/// Until the program and its output ended.
async fn attend(pipe: &Pipe, process: Process, has_terminal: bool, orders: Orders) -> Option<Exit> {
    let Process { stdin, stdout, stderr, control, .. } = process;
    let output = async {
        tokio::join!(pipe.send_all(Side::Output, stdout), pipe.send_all(Side::Errors, stderr));
    };
    tokio::pin!(output);
    let ended = async {
        tokio::select! {
            exit = control.exit() => {
                if has_terminal {
                    let _ = timeout(AFTERGLOW, &mut output).await;
                } else {
                    output.as_mut().await;
                }
                exit
            }
            () = &mut output => control.exit().await,
        }
    };
    tokio::select! {
        exit = ended => exit,
        // Neither the end of the input nor that of the orders ends anything.
        () = async { tokio::join!(feed(pipe, stdin), obey(&control, orders)); std::future::pending().await } => None,
    }
}

/// What the client sends becomes the program's input.
async fn feed(pipe: &Pipe, mut stdin: Outgoing) {
    while let Some(data) = pipe.inbox().next().await {
        if stdin.write_all(&data).await.is_err() {
            // The program closed its input.
            pipe.inbox().leave();
            return;
        }
    }
    let _ = stdin.shutdown().await;
}

async fn obey(control: &Control, orders: Orders) {
    let Orders { mut sizes, mut signals } = orders;
    loop {
        tokio::select! {
            changed = sizes.changed() => match changed {
                Ok(()) => {
                    let size = *sizes.borrow_and_update();
                    control.resize(size).await;
                }
                Err(_) => return,
            },
            Some(number) = signals.recv() => control.signal(number).await,
        }
    }
}
