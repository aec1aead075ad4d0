//! `yunlab admin sign-release`: this program publishes itself, for servers to update to.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};
use kernel::RELEASE;
use portal::{Build, Manifest, ReleaseKey, this_target};
use sha2::{Digest, Sha256};

use crate::{say, update};

/// Copies this program into a folder and signs a manifest of it there. Programs of the same version
/// for other kinds of machines that lie there stay in it.
pub(crate) fn publish(dir: &Path, key: &Path, notes: Option<&Path>) -> anyhow::Result<()> {
    ensure!(dir.is_dir(), "没有文件夹 {}", dir.display());
    let notes = match notes {
        Some(path) => fs::read_to_string(path).with_context(|| format!("读取 {}", path.display()))?,
        None => String::new(),
    };
    let target = this_target();
    let program = fs::read(update::program()?).context("读取本程序")?;
    let file = format!("yunlab-{RELEASE}-{target}");
    let sha256 = Sha256::digest(&program).iter().map(|byte| format!("{byte:02x}")).collect();
    let build = Build { target, file: file.clone(), size: program.len() as u64, sha256 };
    let builds = others(dir, &build)?.into_iter().chain([build]).collect();
    let manifest = serde_json::to_vec_pretty(&Manifest { version: RELEASE.to_owned(), notes, builds })?;
    // A manifest that servers would refuse is not published.
    Manifest::parse(&manifest)?;
    let key = ReleaseKey::load_or_create(key)?;
    put(dir, &file, &program)?;
    // Servers that download in between find a wrong signature, and try again.
    put(dir, "manifest.json", &manifest)?;
    put(dir, "manifest.json.sig", key.sign(&manifest).as_bytes())?;
    say::line(&format!("已发布 {RELEASE} 到 {}", dir.display()));
    say::line(&format!("各服务器的配置：update_key = \"{}\"", key.public()));
    Ok(())
}

/// The same version's programs for other machines.
fn others(dir: &Path, build: &Build) -> anyhow::Result<Vec<Build>> {
    let path = dir.join("manifest.json");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let there = Manifest::parse(&fs::read(&path)?).with_context(|| format!("读取 {}", path.display()))?;
    let same = there.version == RELEASE;
    Ok(there.builds.into_iter().filter(|other| same && other.target != build.target).collect())
}

/// Appears as a whole.
fn put(dir: &Path, name: &str, content: &[u8]) -> anyhow::Result<()> {
    let part = dir.join(format!("{name}.part"));
    let put = || -> std::io::Result<()> {
        let mut file = File::create(&part)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&part, dir.join(name))
    };
    put().with_context(|| format!("写入 {}", dir.join(name).display()))
}
