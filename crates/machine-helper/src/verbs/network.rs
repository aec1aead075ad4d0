//! Our network table, through the machine's own `nft`, which the kernel's rules belong to.

use machine_helper::{Answer, NetworkTable, Refusal, Rules};

use super::tool::{Tool, enter_host};

pub(super) fn set(rules: &Rules) -> Result<Answer, Refusal> {
    nft()?.run(&["-f", "-"], &rules.script())?;
    Ok(Answer::Nothing)
}

pub(super) fn clear() -> Result<Answer, Refusal> {
    nft()?.run(&["-f", "-"], &Rules::clearing_script())?;
    Ok(Answer::Nothing)
}

pub(super) fn get() -> Result<Answer, Refusal> {
    let nft = nft()?;
    let present = nft.run(&["list", "tables", "inet"], "")?.lines().any(|line| line.trim() == "table inet yunlab");
    let listing = if present { nft.run(&["-n", "list", "table", "inet", "yunlab"], "")? } else { String::new() };
    let (rules, strange) = Rules::read(&listing);
    Ok(Answer::NetworkTable(NetworkTable { present, rules, foreign_lines: strange as u64 }))
}

fn nft() -> Result<Tool, Refusal> {
    enter_host()?;
    Tool::find("nft")
}
