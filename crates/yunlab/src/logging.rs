//! Log lines on standard error, for people or for machines.

use anyhow::Context;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{Config, LogFormat};

/// At `trace` the first would log input of terminals, including passwords; the second repeats each step that
/// [`db_kit::migrate`] logs; the third repeats PostgreSQL's notices, such as about existing tables.
const MUTED: [&str; 3] = ["tungstenite=warn", "sea_orm_migration=warn", "sqlx::postgres::notice=warn"];

/// Starts logging.
pub(crate) fn start(config: &Config) -> anyhow::Result<()> {
    let mut filter = EnvFilter::try_new(&config.log_level).context("log_level 的值不对")?;
    for directive in MUTED {
        filter = filter.add_directive(directive.parse()?);
    }
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder = fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_writer(std::io::stderr)
        // It would report a line that cannot be written on the same standard error, and panic when that fails, too:
        // without a reader of the log, or on a full disk.
        .log_internal_errors(false);
    match config.log_format {
        LogFormat::Human => builder.with_target(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).with_current_span(true).with_span_list(false).init(),
    }
    Ok(())
}
