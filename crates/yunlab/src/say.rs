//! Output for the person at the terminal. Everything else is logged.

use std::io::{Write, stderr, stdout};

/// Prints a line of the requested output.
pub(crate) fn line(text: &str) {
    // Its reader may have ended, which is no reason to exit.
    let _ = writeln!(stdout(), "{text}");
}

/// Whether lines go to the journal, which keeps them and shows them to more people than root.
pub(crate) fn goes_to_journal() -> bool {
    let Ok(named) = std::env::var("JOURNAL_STREAM") else { return false };
    rustix::fs::fstat(stdout()).is_ok_and(|meta| named == format!("{}:{}", meta.st_dev, meta.st_ino))
}

/// Why it did not work.
pub(crate) fn error(text: &str) {
    let _ = writeln!(stderr(), "yunlab: {text}");
}
