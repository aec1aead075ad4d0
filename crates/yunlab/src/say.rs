//! Words for the person at the terminal. Everything else goes to the log.

use std::io::{Write, stderr, stdout};

/// A line of what was asked for.
pub(crate) fn line(text: &str) {
    // Nobody may be there to read it, which is no reason to end.
    let _ = writeln!(stdout(), "{text}");
}

/// Why it did not work.
pub(crate) fn error(text: &str) {
    let _ = writeln!(stderr(), "yunlab: {text}");
}
