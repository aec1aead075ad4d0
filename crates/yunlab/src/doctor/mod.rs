//! `yunlab admin doctor`: looks at every part of an installation, says what to do about what is wrong, and fails if
//! something is.

mod certificate;
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

/// What was found of one part.
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

/// Prints each finding when it is there, because some take seconds.
#[derive(Debug, Default)]
struct Report {
    faults: usize,
}

impl Report {
    fn note(&mut self, finding: &Finding) {
        let label = match finding.verdict {
            Verdict::Sound => "正常",
            Verdict::Warning => "注意",
            Verdict::Fault => {
                self.faults += 1;
                "异常"
            }
        };
        say::line(&format!("{label}  {}：{}", finding.part, finding.words));
    }

    fn note_all(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.note(&finding));
    }
}

/// Looks at everything.
pub(crate) async fn run(config: &Config) -> anyhow::Result<()> {
    let mut report = Report::default();
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
            lab::look(config, &mut report).await;
            report.note(&machine::engine(config.docker_socket()).await);
        }
    }
    ensure!(report.faults == 0, "发现 {} 处异常", report.faults);
    Ok(())
}

/// `GET` of a health address, whatever the certificate is.
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
