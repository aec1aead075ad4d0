//! Installs a new version, and rolls back when it fails.
//!
//! The old program, which has stopped serving, backs up the database and has the new one rehearse (start on the same
//! data, on a private port, and exit) while that is still beside it. Only then the two files change places, and the
//! process becomes the new program: same id, arguments and environment, so that systemd, a shell and `./run` notice
//! nothing. After any failure the process becomes the old program again, which restores the database if the new one
//! changed its tables.
//!
//! The progress is in a file ([`record`]), so that a power cut at any moment ends in one of the two versions with the
//! matching database.

mod record;
mod rehearsal;

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use db_kit::Db;
use kernel::{Clock, RELEASE, SystemClock};
use portal::{FailedUpdate, NewProgram};

use crate::config::Config;
use crate::process::Signals;
use crate::{backup, data};
use record::{Phase, Record};
pub(crate) use rehearsal::passed;

/// The database as it was before the last update, in the folder of the record.
const BACKUP: &str = "before.tar.zst";

/// The program that runs, wherever it was started from.
pub(crate) fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("finding this program")
}

/// Where the old program lies after an update.
fn previous(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(".previous");
    program.with_file_name(name)
}

/// Becomes the new version, or this one again. Returns only when neither could be started, or when the process was
/// stopped meanwhile.
pub(crate) async fn switch(
    config: &Config,
    program: &Path,
    new: &NewProgram,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    tracing::info!(update.version = new.version, "updating");
    let mut record = Record::new(RELEASE, &new.version);
    let outcome = tokio::select! {
        outcome = attempt(config, program, new, &mut record) => outcome,
        () = signals.come() => Err(Told.into()),
    };
    // Already gone if it has become the program.
    let _ = fs::remove_file(&new.path);
    let Err(error) = outcome else { return become_program(program) };
    tracing::error!(update.version = new.version, error = format!("{error:#}"), "going back to the old version");
    record.go_back(format!("{error:#}"));
    // For example on a full disk. The record then says that a version was being tried, which is enough.
    if let Err(error) = record.write(&config.data_dir) {
        tracing::error!(error = format!("{error:#}"), "the failed update could not be recorded");
    }
    if error.is::<Told>() { Ok(()) } else { become_program(program) }
}

/// The process was stopped.
#[derive(Debug, thiserror::Error)]
#[error("更新途中服务被停止")]
struct Told;

async fn attempt(config: &Config, program: &Path, new: &NewProgram, record: &mut Record) -> anyhow::Result<()> {
    let copy = record::folder(&config.data_dir)?.join(BACKUP);
    remove(&copy).context("清除上次更新的备份")?;
    backup::save_whole(config, &copy).await.context("更新前备份数据库")?;
    backup::check(&copy, None).context("更新前备份数据库")?;
    let db = data::open_database(config).await?;
    record.shape = db_kit::shape(&db).await?;
    db.close().await?;
    record.write(&config.data_dir)?;
    rehearsal::rehearse(&new.path, &new.version, std::time::Duration::from_secs(config.update_seconds)).await?;
    replace(program, &new.path).context("替换程序文件")?;
    record.phase = Phase::Switched;
    record.write(&config.data_dir)
}

/// Replaces the program by the new one and keeps the old one beside it. The path always has a program.
fn replace(program: &Path, new: &Path) -> io::Result<()> {
    let previous = previous(program);
    remove(&previous)?;
    fs::hard_link(program, &previous)?;
    fs::rename(new, program)?;
    File::open(program.parent().unwrap_or(program))?.sync_all()
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Executes the program at this path in place of this process. Returns only when that fails.
fn become_program(program: &Path) -> anyhow::Result<()> {
    let error = Command::new(program).args(std::env::args_os().skip(1)).exec();
    Err(error).with_context(|| format!("启动 {}", program.display()))
}

/// Completes or rolls back an interrupted update before anything uses the database. Returns the update that was rolled
/// back, if any.
pub(crate) async fn recover(config: &Config, db: &Db) -> anyhow::Result<Option<FailedUpdate>> {
    let Some(mut record) = Record::read(&config.data_dir)? else { return Ok(None) };
    let others = record.phase == Phase::PuttingBack && record.from != RELEASE;
    ensure!(!others, "数据库正由 {} 版恢复，请用那一版的程序启动", record.from);
    if record.from == RELEASE && record.phase.is_open() {
        if matches!(record.phase, Phase::Trying | Phase::Switched) {
            record.go_back("更新途中服务被中断".to_owned());
        }
        put_database_back(config, db, &mut record).await?;
        record.phase = Phase::Failed;
        record.write(&config.data_dir)?;
    }
    let failed = record.phase == Phase::Failed && record.from == RELEASE;
    Ok(failed.then_some(FailedUpdate { version: record.version, reason: record.reason, time: record.time }))
}

/// Unless the new version left the tables as they were.
async fn put_database_back(config: &Config, db: &Db, record: &mut Record) -> anyhow::Result<()> {
    // Without a shape nothing had begun.
    let changed = !record.shape.is_empty() && db_kit::shape(db).await? != record.shape;
    if record.phase != Phase::PuttingBack && !changed {
        return Ok(());
    }
    tracing::warn!(update.version = record.version, "putting the database back to what it was before the update");
    record.phase = Phase::PuttingBack;
    record.write(&config.data_dir)?;
    let copy = record::folder(&config.data_dir)?.join(BACKUP);
    backup::put_back(db, &copy).await.with_context(|| format!("从 {} 恢复更新前的数据库", copy.display()))
}

/// This version serves: marks its update, if there was one, as done.
pub(crate) fn settle(config: &Config) -> anyhow::Result<()> {
    match Record::read(&config.data_dir)? {
        Some(mut record) if record.version == RELEASE && record.phase.is_open() => {
            tracing::info!(update.from = record.from, "updated");
            record.phase = Phase::Done;
            record.write(&config.data_dir)
        }
        _ => Ok(()),
    }
}

/// Rolls back when this version came by an update and cannot even be started once. Returns the fault otherwise.
pub(crate) fn give_way(config: &Config, fault: anyhow::Error) -> anyhow::Error {
    match try_to_give_way(config, &fault) {
        Ok(()) => fault,
        Err(error) => fault.context(format!("也不能退回旧版本：{error:#}")),
    }
}

fn try_to_give_way(config: &Config, fault: &anyhow::Error) -> anyhow::Result<()> {
    let Some(mut record) = Record::read(&config.data_dir)? else { return Ok(()) };
    if record.version != RELEASE || !record.phase.is_open() {
        return Ok(());
    }
    let program = program()?;
    let previous = previous(&program);
    if !previous.is_file() {
        bail!("没有 {}", previous.display());
    }
    record.go_back(format!("{fault:#}"));
    record.write(&config.data_dir)?;
    fs::rename(&previous, &program).context("放回旧版本的程序")?;
    tracing::error!(error = format!("{fault:#}"), "going back to the old version");
    become_program(&program)
}

fn now() -> kernel::Timestamp {
    SystemClock.now()
}
