//! `yunlab admin doctor`: checks every part of an installation, prints what to do about faults, and fails if there is
//! one.

mod backups;
mod certificate;
mod https;
mod lab;
mod machine;
mod service;

use anyhow::{Context, ensure};

use crate::config::Config;
use crate::say;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Sound,
    /// Works, and something should be done about it.
    Warning,
    Fault,
}

/// The result for one part.
#[derive(Debug)]
struct Finding {
    verdict: Verdict,
    part: String,
    words: String,
}

impl Finding {
    fn new(verdict: Verdict, part: impl Into<String>, words: impl Into<String>) -> Self {
        Self { verdict, part: part.into(), words: words.into() }
    }

    /// Sound, or a fault.
    fn of(part: impl Into<String>, outcome: anyhow::Result<String>) -> Self {
        match outcome {
            Ok(words) => Self::new(Verdict::Sound, part, words),
            Err(error) => Self::new(Verdict::Fault, part, format!("{error:#}")),
        }
    }
}

/// Hands each finding over when it is there, because some take seconds.
struct Report<'a> {
    faults: usize,
    tell: &'a mut (dyn FnMut(String) + Send),
}

impl Report<'_> {
    fn note(&mut self, finding: &Finding) {
        let label = match finding.verdict {
            Verdict::Sound => "正常",
            Verdict::Warning => "注意",
            Verdict::Fault => {
                self.faults += 1;
                "异常"
            }
        };
        (self.tell)(format!("{label}  {}：{}", finding.part, finding.words));
    }

    fn note_all(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.note(&finding));
    }
}

/// Runs all checks and prints the results.
pub(crate) async fn run(config: &Config) -> anyhow::Result<()> {
    let faults = examine(config, &mut |line| say::line(&line)).await;
    ensure!(faults == 0, "发现 {faults} 处异常");
    Ok(())
}

/// Runs all checks and reports them line by line; returns the number of faults.
pub(crate) async fn examine(config: &Config, tell: &mut (dyn FnMut(String) + Send)) -> usize {
    let mut report = Report { faults: 0, tell };
    report.note(&machine::writable("数据目录", &config.data_dir));
    report.note(&machine::writable("网盘目录", &config.disk_root()));
    report.note_all(machine::space(config));
    let service = service::find(&config.data_dir);
    report.note(&service::look(&service).await);
    report.note(&machine::rights(service.process()));
    report.note(&machine::connections(config));
    if let (Some(cert), Some(key)) = (&config.tls_cert, &config.tls_key) {
        report.note(&certificate::look(cert, key).await);
    }
    match config.portal() {
        Some(portal) => report.note(&service::portal(portal).await),
        None => {
            lab::look(config, service.running_for(), &mut report).await;
            report.note(&machine::engine(config.docker_socket()).await);
        }
    }
    report.faults
}

/// `GET` of a health URL, with any certificate.
async fn healthy(url: &str) -> anyhow::Result<()> {
    let client = reqwest::Client::builder()
        .tls_danger_accept_invalid_certs(true)
        .timeout(service::PATIENCE)
        .no_proxy()
        .build()
        .context("making an HTTP client")?;
    client.get(url).send().await?.error_for_status()?;
    Ok(())
}
