//! Request bodies that create or change an instance, and their validation.

use std::collections::BTreeMap;

use engine::{Environment, ImageRef};
use http_kit::FieldProblem;
use kernel::{Timestamp, rules};
use serde::Deserialize;
use utoipa::ToSchema;

use super::model::PortProtocol;
use crate::check::Check;

const MIB: i64 = 1024 * 1024;
const MOST_CARDS: i64 = 64;
/// Ports of one instance.
const MOST_PORTS: usize = 20;
/// A year ahead is not "later", it is never.
const FARTHEST_STOP_MS: i64 = 366 * 24 * 3600 * 1000;

/// A port to open.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PortForm {
    #[schema(minimum = 1, maximum = 65535)]
    pub(super) container_port: i64,
    #[serde(default)]
    pub(super) protocol: PortProtocol,
    /// What answers there.
    #[serde(default)]
    pub(super) name: String,
}

impl PortForm {
    pub(super) fn ssh() -> Self {
        Self { container_port: 22, protocol: PortProtocol::Tcp, name: "ssh".to_owned() }
    }
}

/// An instance to make.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct InstanceForm {
    /// The server's id.
    pub(super) server: String,
    pub(super) image: String,
    /// This many free cards; not together with `gpus`.
    pub(super) gpu_count: Option<i64>,
    /// These cards, by id.
    pub(super) gpus: Option<Vec<String>>,
    /// Microseconds of CPU per 100 000 µs; left out: the cards' share of the server.
    pub(super) cpu_quota: Option<i64>,
    /// Bytes; left out: the cards' share of the server.
    pub(super) memory: Option<i64>,
    /// Bytes of `/dev/shm`; left out: half the memory, at least 4 GiB.
    pub(super) shm_size: Option<i64>,
    /// Left out: SSH.
    pub(super) ports: Option<Vec<PortForm>>,
    #[serde(default)]
    pub(super) env: BTreeMap<String, String>,
    /// Instead of the image's own command, one word each.
    #[serde(default)]
    pub(super) command: Vec<String>,
    /// Folders of datasets, such as `cifar` or the version `cifar@v2`: at `/datasets/<folder>`, for
    /// reading.
    #[serde(default)]
    pub(super) datasets: Vec<String>,
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) stop_at: Option<Timestamp>,
    #[serde(default)]
    pub(super) note: String,
    /// Starts it again after a restart of its server: its command, not what people had started inside. Left out: as the
    /// settings say.
    pub(super) auto_start: Option<bool>,
}

/// What may be changed while an instance is there; left-out fields stay.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct InstanceChange {
    pub(super) note: Option<String>,
    /// At once, even while it runs.
    pub(super) cpu_quota: Option<i64>,
    /// At once, even while it runs.
    pub(super) memory: Option<i64>,
    /// This many free cards instead of those that it had; only while it is stopped.
    pub(super) gpu_count: Option<i64>,
    /// These cards instead of those that it had; only while it is stopped.
    pub(super) gpus: Option<Vec<String>>,
    /// These ports instead of those that it had; only while it is stopped.
    pub(super) ports: Option<Vec<PortForm>>,
    /// These datasets instead of those that it had; only while it is stopped.
    pub(super) datasets: Option<Vec<String>>,
    /// Instead of the command that it had, one word each; empty: the image's own. Only while it is stopped.
    pub(super) command: Option<Vec<String>>,
    /// Whether it is started again after a restart of its server.
    pub(super) auto_start: Option<bool>,
}

/// How much longer.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ExtendForm {
    /// The new stop time; null: it is not stopped by itself. While it is stopped it is kept
    /// for the full time again, whatever stands here.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(super) stop_at: Option<Timestamp>,
}

impl InstanceForm {
    pub(super) fn faults(&self, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.that(self.image.parse::<ImageRef>().is_ok(), "image", "镜像名称的格式不正确");
        check_cards(&mut check, self.gpu_count, self.gpus.as_deref());
        check_size(&mut check, self.cpu_quota, self.memory);
        if let Some(ports) = &self.ports {
            check_ports(&mut check, ports);
        }
        check_stop(&mut check, self.stop_at, now);
        let mut environment = Environment::default();
        let env_fine =
            self.env.len() <= 100 && self.env.iter().all(|(name, value)| environment.set(name, value).is_ok());
        check.that(self.shm_size.is_none_or(|shm| shm >= 64 * MIB), "shmSize", "共享内存至少 64 MB").that(
            env_fine,
            "env",
            "环境变量最多 100 个，名称只能用字母、数字和下划线，显卡相关变量由平台设置",
        );
        check_command(&mut check, &self.command);
        check_note(&mut check, &self.note);
        check.faults()
    }
}

impl InstanceChange {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check_cards(&mut check, self.gpu_count, self.gpus.as_deref());
        check_size(&mut check, self.cpu_quota, self.memory);
        if let Some(ports) = &self.ports {
            check_ports(&mut check, ports);
        }
        if let Some(note) = &self.note {
            check_note(&mut check, note);
        }
        check_command(&mut check, self.command.as_deref().unwrap_or_default());
        check.faults()
    }

    /// Whether the change requires a new container.
    pub(super) fn needs_new_container(&self) -> bool {
        self.gpu_count.is_some()
            || self.gpus.is_some()
            || self.ports.is_some()
            || self.datasets.is_some()
            || self.command.is_some()
    }
}

impl ExtendForm {
    pub(super) fn faults(&self, now: Timestamp) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check_stop(&mut check, self.stop_at, now);
        check.faults()
    }
}

fn check_cards(check: &mut Check, count: Option<i64>, cards: Option<&[String]>) {
    check
        .that(count.is_none() || cards.is_none(), "gpus", "显卡数量和指定显卡只能选一种")
        .within(count.unwrap_or_default(), 0, MOST_CARDS, "gpuCount")
        .that(cards.is_none_or(|cards| cards.len() <= 64), "gpus", "最多 64 张显卡")
        .that(cards.is_none_or(all_different), "gpus", "同一张显卡选了两次");
}

fn all_different(cards: &[String]) -> bool {
    cards.iter().enumerate().all(|(at, card)| !cards[..at].contains(card))
}

fn check_size(check: &mut Check, cpu: Option<i64>, memory: Option<i64>) {
    check.that(cpu.is_none_or(|cpu| (10_000..=1_000_000_000).contains(&cpu)), "cpuQuota", "CPU 至少 0.1 核").that(
        memory.is_none_or(|memory| (128 * MIB..=1 << 50).contains(&memory)),
        "memory",
        "内存至少 128 MB",
    );
}

fn check_ports(check: &mut Check, ports: &[PortForm]) {
    let same = |a: &PortForm, b: &PortForm| (a.container_port, a.protocol) == (b.container_port, b.protocol);
    let twice = ports.iter().enumerate().any(|(at, port)| ports[..at].iter().any(|other| same(port, other)));
    check
        .that(ports.len() <= MOST_PORTS, "ports", &format!("最多 {MOST_PORTS} 个端口"))
        .that(ports.iter().all(|port| (1..=65535).contains(&port.container_port)), "ports", "端口应为 1 到 65535")
        .that(!twice, "ports", "同一个端口填了两次")
        .that(ports.iter().all(|port| rules::is_line(&port.name, 30)), "ports", "端口名称最多 30 个字");
}

fn check_stop(check: &mut Check, stop: Option<Timestamp>, now: Timestamp) {
    let ahead = stop.map(|stop| stop.as_millis() - now.as_millis());
    check.that(
        ahead.is_none_or(|ms| (1..=FARTHEST_STOP_MS).contains(&ms)),
        "stopAt",
        "停止时间应在一年之内，且晚于现在",
    );
}

fn check_command(check: &mut Check, command: &[String]) {
    let word = |word: &String| word.len() <= 4096 && !word.contains('\0');
    check.that(command.len() <= 100 && command.iter().all(word), "command", "启动命令过长或有空字符");
}

fn check_note(check: &mut Check, note: &str) {
    check.that(rules::is_line(note, 100), "note", "备注最多 100 个字，不能有控制字符");
}
