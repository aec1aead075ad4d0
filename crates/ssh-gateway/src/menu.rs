//! The menu of a user's instances, for clients that name none: a number enters an instance, and starts it first if it
//! is stopped.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::pipe::{Pipe, Side};
use crate::{Guest, Offer, Reason, Refusal, Standing, words};

/// How often it is looked whether an instance runs.
const LOOK: Duration = Duration::from_secs(2);
/// Digits of a number.
const DIGITS: usize = 4;

const INTERRUPT: u8 = 3;
const END: u8 = 4;
const BELL: &str = "\x07";

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Number(usize),
    /// Nothing: to see the list again.
    Again,
    Quit,
}

/// The name of the instance that was chosen, which runs; `None` if the person left.
pub(crate) async fn choose(pipe: &Pipe) -> Result<Option<String>, Refusal> {
    let Some(guest) = pipe.connection().guest() else { return Ok(None) };
    loop {
        let offers = guest.instances().await?;
        if offers.is_empty() {
            return Err(Refusal::new(Reason::NotFound, "您还没有实例，请先在网页上创建"));
        }
        show(pipe, &list(&offers)).await;
        let number = match ask(pipe).await {
            Answer::Quit => return Ok(None),
            Answer::Again => continue,
            Answer::Number(number) => number,
        };
        let Some(offer) = number.checked_sub(1).and_then(|at| offers.get(at)) else {
            show(pipe, "没有这个编号 / no such number\r\n").await;
            continue;
        };
        match offer.standing {
            Standing::Running => return Ok(Some(offer.name.clone())),
            Standing::Closed => show(pipe, &format!("实例{}，现在不能进入 / not ready\r\n", offer.state)).await,
            Standing::Startable => {
                if start(pipe, guest.as_ref(), offer).await? {
                    return Ok(Some(offer.name.clone()));
                }
            }
        }
    }
}

async fn show(pipe: &Pipe, text: &str) {
    let _ = pipe.send(Side::Output, text.to_owned().into()).await;
}

fn list(offers: &[Offer]) -> String {
    let width = offers.iter().map(|offer| offer.name.chars().count()).max().unwrap_or_default();
    let line = |(at, offer): (usize, &Offer)| {
        let note: String = offer.note.chars().filter(|c| !c.is_control()).collect();
        let line = format!("{:>4}  {:width$}  {}  {note}", at + 1, offer.name, offer.state);
        format!("{}\r\n", line.trim_end())
    };
    let lines: String = offers.iter().enumerate().map(line).collect();
    format!("\r\n我的实例 / My instances\r\n{lines}\r\n输入编号进入，q 退出 / number to enter, q to quit: ")
}

/// Reads an answer and shows what is typed: the client's terminal does not.
async fn ask(pipe: &Pipe) -> Answer {
    let mut typed = String::new();
    while let Some(data) = pipe.inbox().next().await {
        for (at, byte) in data.iter().copied().enumerate() {
            match byte {
                b'\r' | b'\n' => {
                    show(pipe, "\r\n").await;
                    // The rest of the input is for the program.
                    pipe.inbox().put_back(data.slice(at + 1..));
                    return typed.parse().map_or(Answer::Again, Answer::Number);
                }
                b'q' | b'Q' | INTERRUPT | END if typed.is_empty() => {
                    show(pipe, "\r\n").await;
                    return Answer::Quit;
                }
                INTERRUPT => {
                    show(pipe, "^C\r\n").await;
                    return Answer::Again;
                }
                0x7f | 0x08 => {
                    if typed.pop().is_some() {
                        show(pipe, "\x08 \x08").await;
                    }
                }
                digit @ b'0'..=b'9' if typed.len() < DIGITS => {
                    typed.push(char::from(digit));
                    show(pipe, &typed[typed.len() - 1..]).await;
                }
                _ => show(pipe, BELL).await,
            }
        }
    }
    Answer::Quit
}

/// Starts an instance after a question, and waits for it; whether it runs.
async fn start(pipe: &Pipe, guest: &dyn Guest, offer: &Offer) -> Result<bool, Refusal> {
    show(pipe, &format!("实例{}，按 s 启动，按其他键返回 / press s to start it: ", offer.state)).await;
    if !matches!(key(pipe).await, Some(b's' | b'S')) {
        show(pipe, "\r\n").await;
        return Ok(false);
    }
    show(pipe, "s\r\n").await;
    if let Err(refusal) = guest.start(&offer.name).await {
        show(pipe, &words::shown(&refusal)).await;
        return Ok(false);
    }
    show(pipe, "正在启动，按 Ctrl+C 返回 / starting, Ctrl+C to go back\r\n").await;
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut said = String::new();
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            key = key(pipe) => match key {
                Some(INTERRUPT) | None => return Ok(false),
                Some(_) => continue,
            },
        }
        let offers = guest.instances().await?;
        let Some(now) = offers.into_iter().find(|one| one.name == offer.name) else { return Ok(false) };
        if now.state != said {
            said.clone_from(&now.state);
            show(pipe, &format!("{said}\r\n")).await;
        }
        match now.standing {
            Standing::Running => return Ok(true),
            // It was started, and stands again.
            Standing::Startable => return Ok(false),
            Standing::Closed => {}
        }
    }
}

/// The next byte that is typed.
async fn key(pipe: &Pipe) -> Option<u8> {
    loop {
        let data = pipe.inbox().next().await?;
        if let Some(first) = data.first() {
            pipe.inbox().put_back(data.slice(1..));
            return Some(*first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_shows_names_states_and_notes() {
        let offer = |name: &str, note: &str, state: &str| Offer {
            name: name.to_owned(),
            note: note.to_owned(),
            standing: Standing::Running,
            state: state.to_owned(),
        };
        let shown = list(&[offer("ins_a", "训练\x1b[2J", "运行中"), offer("ins_long", "", "已停止")]);
        assert!(shown.contains("   1  ins_a     运行中  训练[2J\r\n"), "{shown:?}");
        assert!(shown.contains("   2  ins_long  已停止\r\n"), "{shown:?}");
        assert!(!shown.contains('\x1b'));
    }
}
