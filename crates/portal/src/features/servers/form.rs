//! Request bodies that add or change a server, and their validation.

use http_kit::FieldProblem;
use kernel::{Secret, rules};
use serde::Deserialize;
use utoipa::ToSchema;

use super::model::{Endpoint, Server, is_host};
use crate::check::Check;
use crate::features::clusters::ClusterTls;
use crate::features::settings::PortRange;

/// Longest PEM text; chains of a few certificates fit.
const MAX_PEM_BYTES: usize = 64 * 1024;

/// A server to add, or what to change; left-out fields stay.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ServerForm {
    pub(super) name: Option<String>,
    /// `unix:///path` or `tcp://host:port`, the latter always with `tls`.
    pub(super) endpoint: Option<String>,
    pub(super) tls: Option<TlsForm>,
    /// Host in the addresses that people connect to.
    pub(super) public_host: Option<String>,
    /// Host ports for instances; left out when adding: those of the basic settings.
    pub(super) port_range: Option<PortRange>,
    /// Where the disk's root is mounted on that machine; empty: instances see no files.
    pub(super) storage_path: Option<String>,
    pub(super) enabled: Option<bool>,
    /// Takes new instances.
    pub(super) schedulable: Option<bool>,
    pub(super) maintenance_note: Option<String>,
    /// Microseconds of CPU per 100 000 µs kept for the machine.
    pub(super) reserved_cpu: Option<i64>,
    /// Bytes kept for the machine.
    pub(super) reserved_memory: Option<i64>,
    /// Whether the portal may act on its machine through the machine helper.
    pub(super) machine_helper: Option<bool>,
}

/// Certificates and key, PEM.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TlsForm {
    /// Who signed the engine's certificate.
    #[schema(value_type = String)]
    pub(super) ca: Secret,
    /// The portal's own.
    #[schema(value_type = String)]
    pub(super) cert: Secret,
    #[schema(value_type = String, write_only)]
    pub(super) key: Secret,
}

/// One server of the whole list: a known one by its id, or a new one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerEntry {
    pub(super) id: Option<String>,
    #[serde(flatten)]
    pub(super) form: ServerForm,
}

/// All servers that there are to be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerListForm {
    #[schema(max_items = 500)]
    pub(super) items: Vec<ServerEntry>,
}

impl ServerForm {
    pub(super) fn trimmed(mut self) -> Self {
        let texts = [
            &mut self.name,
            &mut self.endpoint,
            &mut self.public_host,
            &mut self.storage_path,
            &mut self.maintenance_note,
        ];
        for text in texts.into_iter().flatten() {
            *text = text.trim().to_owned();
        }
        self
    }

    /// Whether the endpoint changes, so that another engine may answer.
    pub(super) fn moves(&self, server: &Server) -> bool {
        self.endpoint.as_ref().is_some_and(|endpoint| endpoint.trim() != server.cluster.address)
    }

    /// Applies the form to a server. Certificates are sealed separately.
    pub(super) fn apply(&self, server: &mut Server) {
        let text = |new: &Option<String>, old: &mut String| {
            if let Some(new) = new {
                old.clone_from(new);
            }
        };
        text(&self.name, &mut server.name);
        text(&self.endpoint, &mut server.cluster.address);
        text(&self.public_host, &mut server.public_host);
        text(&self.storage_path, &mut server.storage_path);
        text(&self.maintenance_note, &mut server.maintenance_note);
        if let Some(range) = self.port_range {
            (server.port_from, server.port_to) = (range.from, range.to);
        }
        server.enabled = self.enabled.unwrap_or(server.enabled);
        server.schedulable = self.schedulable.unwrap_or(server.schedulable);
        server.reserved_cpu = self.reserved_cpu.unwrap_or(server.reserved_cpu);
        server.reserved_memory = self.reserved_memory.unwrap_or(server.reserved_memory);
        server.machine_helper = self.machine_helper.unwrap_or(server.machine_helper);
    }

    /// Lists the faults of the server as it would be with the form applied.
    pub(super) fn faults(&self, server: &Server, keeps_tls: bool) -> Vec<FieldProblem> {
        let mut check = Check::default();
        let endpoint = Endpoint::parse(&server.cluster.address);
        let needs_tls = endpoint == Some(Endpoint::Tcp);
        check
            .that(
                !server.name.is_empty() && rules::is_line(&server.name, 40),
                "name",
                "名称为 1 到 40 个字，不能有控制字符",
            )
            .that(endpoint.is_some(), "endpoint", "应为 unix:///路径 或 tcp://主机:端口 形式的地址")
            .that(
                !needs_tls || self.tls.is_some() || keeps_tls,
                "tls",
                "tcp 地址必须使用 TLS：请提供 CA 证书、客户端证书和私钥",
            )
            .that(is_host(&server.public_host), "publicHost", "请填写主机名或 IP 地址")
            .that(is_storage_path(&server.storage_path), "storagePath", "应为绝对路径，或留空")
            .that(rules::is_text(&server.maintenance_note, 500), "maintenanceNote", "最多 500 个字，不能有控制字符")
            .within(server.port_from, 1024, 65535, "portRange")
            .within(server.port_to, 1024, 65535, "portRange")
            .that(server.port_from <= server.port_to, "portRange", "端口范围的起点不能大于终点")
            .within(server.reserved_cpu, 0, 1_000_000_000, "reservedCpu")
            .within(server.reserved_memory, 0, 1 << 50, "reservedMemory");
        if let Some(tls) = &self.tls {
            let certificate = |text: &Secret| is_pem(text, "CERTIFICATE");
            check
                .that(certificate(&tls.ca), "tls.ca", "应为 PEM 格式的证书")
                .that(certificate(&tls.cert), "tls.cert", "应为 PEM 格式的证书")
                .that(is_pem(&tls.key, "PRIVATE KEY"), "tls.key", "应为 PEM 格式的私钥");
        }
        check.faults()
    }
}

fn is_pem(text: &Secret, kind: &str) -> bool {
    let text = text.expose();
    text.len() <= MAX_PEM_BYTES && text.contains("-----BEGIN ") && text.contains(&format!("{kind}-----"))
}

/// No `:` either: engines read it as the end of a path.
fn is_storage_path(text: &str) -> bool {
    text.is_empty()
        || (text.starts_with('/')
            && text.len() <= 500
            && rules::is_line(text, 500)
            && !text.contains(':')
            && text.split('/').all(|part| part != ".." && part != "."))
}

impl TlsForm {
    pub(super) fn credentials(&self) -> ClusterTls {
        let text = |secret: &Secret| secret.expose().to_owned();
        ClusterTls { ca: text(&self.ca), certificate: text(&self.cert), key: self.key.clone() }
    }
}
