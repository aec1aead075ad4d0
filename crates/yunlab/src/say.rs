//! Words for the person at the terminal. Everything else goes to the log.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the one place that talks to the terminal")]

/// A line of what was asked for.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Why it did not work.
pub(crate) fn error(text: &str) {
    eprintln!("yunlab: {text}");
}
