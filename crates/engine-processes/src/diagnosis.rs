//! What is missing on this machine.

use std::path::Path;

use engine::{Expected, Finding, Verdict};

pub(crate) fn look(expected: &Expected<'_>) -> Vec<Finding> {
    let mut found =
        vec![Finding::new("limits", "missing", Verdict::Failed), Finding::new("processes", "shared", Verdict::Failed)];
    for tool in ["cp", "ip"] {
        let folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
        let there = folders.iter().any(|folder| Path::new(folder).join(tool).exists());
        let verdict = if there { Verdict::Passed } else { Verdict::Failed };
        found.push(Finding::new("tools", if there { "there" } else { "missing" }, verdict).with("tool", tool));
    }
    if let Some(storage) = expected.storage {
        let same = expected.proof.map(|proof| {
            std::fs::read(Path::new(storage).join(proof.path)).is_ok_and(|content| content == proof.content)
        });
        let (code, verdict) = match same {
            Some(true) => ("same", Verdict::Passed),
            Some(false) => ("other", Verdict::Failed),
            None if Path::new(storage).is_dir() => ("unproved", Verdict::Warning),
            None => ("absent", Verdict::Failed),
        };
        found.push(Finding::new("storage", code, verdict).with("path", storage));
    }
    found
}
