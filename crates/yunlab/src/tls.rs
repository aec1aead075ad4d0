//! TLS by certificate files, read again when they change, or by the certificate that the portal keeps.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, anyhow};
use axum_server::tls_rustls::RustlsConfig;
use background::{Attendance, Duties, Duty, Scope};
use portal::Portal;
use rustls::ServerConfig;

/// Looking at the files.
static LOOKS: Duty = Duty {
    name: "certificate",
    title: "检查证书文件",
    description: "HTTPS 证书文件有变化时重新读取",
    period: Duration::from_secs(5),
    scope: Scope::EveryProcess,
    needs_trusted_clock: false,
};

/// Serves the portal's present certificate; without one, handshakes fail.
pub(crate) fn kept_by(portal: &Portal) -> RustlsConfig {
    let mut config = ServerConfig::builder().with_no_client_auth().with_cert_resolver(portal.served_certificate());
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    RustlsConfig::from_config(Arc::new(config))
}

/// Loads the files.
pub(crate) async fn load(cert: &Path, key: &Path) -> anyhow::Result<RustlsConfig> {
    RustlsConfig::from_pem_file(cert, key)
        .await
        .with_context(|| format!("读取证书 {} 和私钥 {}", cert.display(), key.display()))
}

/// Loads them again whenever they change, as a duty of the process.
pub(crate) fn keep(config: &RustlsConfig, cert: PathBuf, key: PathBuf, duties: &Duties) {
    tokio::spawn(watch(config.clone(), cert, key, duties.attend(&LOOKS, "")));
}

/// An unreadable pair, such as one half written, is tried again at each check and logged once; until then the old one
/// is served.
async fn watch(config: RustlsConfig, cert: PathBuf, key: PathBuf, attendance: Attendance) {
    let mut seen = changed(&cert, &key);
    let mut complained = None;
    loop {
        let look = async {
            let now = changed(&cert, &key);
            if now == seen {
                return Ok(());
            }
            let outcome = config.reload_from_pem_file(&cert, &key).await;
            let failed = outcome.as_ref().err().map(|error| anyhow!("证书读取失败，仍在使用原来的：{error}"));
            if failed.is_none() {
                seen = now;
            }
            if complained != Some(now) {
                complained = outcome.is_err().then_some(now);
                note_reload(&cert, outcome);
            }
            failed.map_or(Ok(()), Err)
        };
        attendance.run(look).await;
        attendance.pause().await;
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
