//! TLS by certificate files, read again when they change.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use axum_server::tls_rustls::RustlsConfig;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Loads the files and keeps watching them.
pub(crate) async fn load(cert: PathBuf, key: PathBuf) -> anyhow::Result<RustlsConfig> {
    let config = RustlsConfig::from_pem_file(&cert, &key)
        .await
        .with_context(|| format!("读取证书 {} 和私钥 {}", cert.display(), key.display()))?;
    tokio::spawn(watch(config.clone(), cert, key));
    Ok(config)
}

/// A pair that can't be read, such as one half written, is tried again at each look and complained of
/// once; until then the old one serves.
async fn watch(config: RustlsConfig, cert: PathBuf, key: PathBuf) {
    let mut seen = changed(&cert, &key);
    let mut complained = None;
    let mut tick = tokio::time::interval(LOOK_EVERY);
    loop {
        tick.tick().await;
        let now = changed(&cert, &key);
        if now == seen {
            continue;
        }
        let outcome = config.reload_from_pem_file(&cert, &key).await;
        if outcome.is_ok() {
            seen = now;
        }
        if complained != Some(now) {
            complained = outcome.is_err().then_some(now);
            note_reload(&cert, outcome);
        }
    }
}

/// Reads the files again. If they can't be used, the old pair serves on.
pub(crate) async fn reload(config: &RustlsConfig, cert: &Path, key: &Path) {
    note_reload(cert, config.reload_from_pem_file(cert, key).await);
}

fn note_reload(cert: &Path, outcome: io::Result<()>) {
    match outcome {
        Ok(()) => tracing::info!(tls.cert = %cert.display(), "certificate reloaded"),
        Err(error) => tracing::error!(error = %error, tls.cert = %cert.display(), "certificate can't be read"),
    }
}

fn changed(cert: &Path, key: &Path) -> [Option<SystemTime>; 2] {
    [cert, key].map(|path| std::fs::metadata(path).and_then(|meta| meta.modified()).ok())
}
