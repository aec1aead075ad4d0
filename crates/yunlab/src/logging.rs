//! Log lines on standard error, for people or for machines.

use anyhow::Context;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{Config, LogFormat};

/// Starts logging.
pub(crate) fn start(config: &Config) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&config.log_level).context("log_level 的值不对")?;
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder = fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Human => builder.with_target(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(true).with_span_list(false).init(),
    }
    Ok(())
}
