//! Our network table, through the machine's own `nft`, which the kernel's rules belong to.

use machine_helper::{Answer, Guard, GuardState, Refusal};

use super::tool::{Tool, enter_host};

pub(super) fn set(guard: &Guard) -> Result<Answer, Refusal> {
    nft()?.run(&["-f", "-"], &guard.script())?;
    Ok(Answer::Nothing)
}

pub(super) fn clear() -> Result<Answer, Refusal> {
    nft()?.run(&["-f", "-"], &Guard::clearing_script())?;
    Ok(Answer::Nothing)
}

pub(super) fn get() -> Result<Answer, Refusal> {
    let nft = nft()?;
    let present = nft.run(&["list", "tables", "inet"], "")?.lines().any(|line| line.trim() == "table inet yunlab");
    let listing = if present { nft.run(&["-n", "list", "table", "inet", "yunlab"], "")? } else { String::new() };
    Ok(Answer::NetworkGuard(GuardState::read(&listing)))
}

fn nft() -> Result<Tool, Refusal> {
    enter_host()?;
    Tool::find("nft")
}
