//! Sources of settings, later ones override earlier ones: defaults, `yunlab.toml`, environment (`YUNLAB_*`), flags. An
//! unknown setting is an error, so that typing errors are noticed.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use figment::providers::{Env, Format, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Profile, Provider};
use http_kit::ConnectionLimits;
use ipnet::IpNet;
use kernel::Secret;
use portal::UpdateConfig;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::backup::Folder;
use crate::cli::Options;
use crate::{install, say};

/// A secret of this length cannot be guessed.
const MIN_SECRET_BYTES: usize = 32;

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Human,
    Json,
}

/// The port of the SSH gateway unless another is set.
const SSH_PORT: u16 = 2222;

/// Where the SSH gateway answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SshListen {
    /// `off`: nowhere.
    Off,
    At(SocketAddr),
}

impl<'de> Deserialize<'de> for SshListen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "off" {
            return Ok(Self::Off);
        }
        let address =
            text.parse().map_err(|_| D::Error::custom(format!("{text} 应为地址和端口，如 0.0.0.0:2222，或 off")))?;
        Ok(Self::At(address))
    }
}

/// All settings of one process.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Where pages, platform API and disk answer.
    pub(crate) listen: SocketAddr,
    /// Folder of the database, the keys and, by default, the disk.
    pub(crate) data_dir: PathBuf,
    database_url: Option<Secret>,
    database_url_file: Option<PathBuf>,
    disk_root: Option<PathBuf>,
    admin_password: Option<Secret>,
    admin_password_file: Option<PathBuf>,
    portal: Option<String>,
    /// The secret that a storage host and its portal share.
    portal_secret: Option<Secret>,
    portal_secret_file: Option<PathBuf>,
    /// Other origins whose pages may use the disk; a storage host's portal is always among them.
    disk_origins: Vec<String>,
    /// The local container engine's address, as in `DOCKER_HOST`; only `unix://…` so far.
    docker_host: Option<String>,
    /// Whether the portal may act on servers' machines through the machine helper.
    pub(crate) machine_helper: bool,
    /// Where pages, platform API and disk answer over TLS, with the certificate that the portal keeps; nowhere when
    /// absent.
    pub(crate) https_listen: Option<SocketAddr>,
    /// Where SSH clients reach instances; by default at port 2222 beside `listen`.
    ssh_listen: Option<SshListen>,
    /// Certificate chain, PEM.
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key, PEM.
    pub(crate) tls_key: Option<PathBuf>,
    /// A file that sealed rows of the logs are appended to as JSON lines; none by default.
    pub(crate) audit_file: Option<PathBuf>,
    /// Listener for Prometheus; none by default.
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Reverse proxies whose `X-Forwarded-For` is trusted: addresses and networks.
    #[serde(deserialize_with = "networks")]
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Unauthenticated connections of one address; by default derived from the number of file descriptors.
    guest_connections: Option<u64>,
    pub(crate) log_format: LogFormat,
    /// `tracing` directives, such as `info` or `info,disk=debug`.
    pub(crate) log_level: String,
    /// How long running requests may continue when the process stops.
    pub(crate) stop_seconds: u64,
    /// Where backups that are made by themselves lie.
    backup_dir: Option<PathBuf>,
    /// How many of them are kept; 0: none is made.
    backup_keep: u32,
    /// The key that they are encrypted with; none by default.
    pub(crate) backup_key_file: Option<PathBuf>,
    /// A folder or an address with signed releases.
    update_source: Option<String>,
    /// The public key whose signature is required there.
    update_key: Option<String>,
    /// How long a new version may take to become healthy.
    pub(crate) update_seconds: u64,
}

/// Values of settings without a source.
#[derive(Serialize)]
struct Defaults {
    listen: &'static str,
    data_dir: &'static str,
    disk_origins: Vec<String>,
    machine_helper: bool,
    trusted_proxies: Vec<String>,
    log_format: LogFormat,
    log_level: &'static str,
    stop_seconds: u64,
    backup_keep: u32,
    update_seconds: u64,
}

const DEFAULTS: Defaults = Defaults {
    listen: "127.0.0.1:8080",
    data_dir: "./data",
    disk_origins: Vec::new(),
    machine_helper: true,
    trusted_proxies: Vec::new(),
    log_format: LogFormat::Human,
    log_level: "info",
    stop_seconds: 30,
    backup_keep: 14,
    update_seconds: 300,
};

/// Every key, in the order in which `config show` prints them, and whether it must stay hidden.
const KEYS: &[(&str, bool)] = &[
    ("listen", false),
    ("data_dir", false),
    ("database_url", true),
    ("database_url_file", false),
    ("disk_root", false),
    ("admin_password", true),
    ("admin_password_file", false),
    ("portal", false),
    ("portal_secret", true),
    ("portal_secret_file", false),
    ("disk_origins", false),
    ("docker_host", false),
    ("machine_helper", false),
    ("https_listen", false),
    ("ssh_listen", false),
    ("tls_cert", false),
    ("tls_key", false),
    ("audit_file", false),
    ("metrics_listen", false),
    ("trusted_proxies", false),
    ("guest_connections", false),
    ("log_format", false),
    ("log_level", false),
    ("stop_seconds", false),
    ("backup_dir", false),
    ("backup_keep", false),
    ("backup_key_file", false),
    ("update_source", false),
    ("update_key", false),
    ("update_seconds", false),
];

/// The settings and the source of each.
pub(crate) struct Loaded {
    pub(crate) config: Config,
    figment: Figment,
}

/// Reads all places.
pub(crate) fn load(options: &Options) -> anyhow::Result<Loaded> {
    let mut figment = Figment::from(Serialized::defaults(DEFAULTS));
    let named = options.config.as_deref();
    if let Some(path) = named {
        ensure!(path.is_file(), "没有配置文件 {}", path.display());
    }
    let here = Path::new("yunlab.toml");
    let usual = if here.is_file() { here } else { install::installed_config().unwrap_or(here) };
    let file = named.unwrap_or(usual);
    if file.is_file() {
        figment = figment.merge(Toml::file_exact(file));
    }
    figment = figment.merge(Environment);
    figment = figment.merge(Serialized::from(options, Profile::Default));
    let config: Config = figment.extract().map_err(explain)?;
    config.check()?;
    Ok(Loaded { config, figment })
}

/// `YUNLAB_*`, each value taken literally: a password in brackets is not a list.
struct Environment;

impl Provider for Environment {
    fn metadata(&self) -> figment::Metadata {
        figment::Metadata::named("environment")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let mut values = Dict::new();
        // `config` names the file to read and is handled by the command line.
        for (name, text) in Env::prefixed("YUNLAB_").ignore(&["config"]).lowercase(true).iter() {
            let value = match (name.as_str(), text.parse::<u64>()) {
                ("stop_seconds" | "update_seconds" | "guest_connections" | "backup_keep", Ok(number)) => {
                    Value::from(number)
                }
                ("machine_helper", _) if matches!(text.as_str(), "true" | "false") => Value::from(text == "true"),
                ("trusted_proxies" | "disk_origins", _) => {
                    let items = text.split([',', ' ']).filter(|item| !item.is_empty());
                    Value::from(items.map(str::to_owned).collect::<Vec<String>>())
                }
                _ => Value::from(text),
            };
            values.insert(name.into_string(), value);
        }
        Ok(Map::from([(Profile::Default, values)]))
    }
}

fn explain(errors: figment::Error) -> anyhow::Error {
    let lines: Vec<String> = errors
        .into_iter()
        .map(|error| {
            let key = error.path.join(".");
            let place = error.metadata.as_ref().map(place).unwrap_or_default();
            match &error.kind {
                figment::error::Kind::UnknownField(name, _) => format!("{place}：不认识的配置项 {name}"),
                // It could not be read at all, so it is about no key.
                kind if key.is_empty() => format!("{place} 的格式不对：\n{}", kind.to_string().trim_end()),
                kind => format!("{place}：{key} 的值不对（{kind}）"),
            }
        })
        .collect();
    anyhow::anyhow!("{}", lines.join("\n"))
}

/// A place in words.
fn place(metadata: &figment::Metadata) -> String {
    match &metadata.source {
        Some(figment::Source::File(path)) => format!("文件 {}", path.display()),
        _ if metadata.name.contains("environment") => "环境变量".to_owned(),
        _ if metadata.name.contains("Defaults") => "默认值".to_owned(),
        _ => "命令行".to_owned(),
    }
}

impl Loaded {
    /// Prints each setting and its place.
    pub(crate) fn show(&self) {
        self.lines().for_each(|line| say::line(&line));
    }

    /// Each setting and its source, in the form of a configuration file with the same effect. Secrets are hidden, in
    /// comments, as are settings without a source.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        KEYS.iter().map(|(key, hidden)| {
            let Ok(value) = self.figment.find_value(key) else {
                return match self.config.in_force(key) {
                    Some(value) => format!("# {key} = {}  # 未设置，实际取这个值", quoted(&value)),
                    None => format!("# {key} =   # 未设置"),
                };
            };
            let place = self.figment.find_metadata(key).map(place).unwrap_or_default();
            if *hidden {
                format!("# {key} = \"***\"  # {place}，不显示")
            } else {
                format!("{key} = {}  # {place}", plain(&value))
            }
        })
    }
}

/// Networks; an address is a network of one.
fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpNet>, D::Error> {
    let network = |text: &String| {
        let parsed = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        parsed.map_err(|_| D::Error::custom(format!("{text} 应为地址或网段，例如 10.0.0.1 或 10.0.0.0/8")))
    };
    Vec::<String>::deserialize(deserializer)?.iter().map(network).collect()
}

/// In TOML syntax, which for text, numbers and lists is that of JSON.
fn plain(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "?".to_owned())
}

fn quoted(text: &str) -> String {
    plain(&Value::from(text))
}

impl Config {
    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.tls_cert.is_some() == self.tls_key.is_some(), "tls_cert 和 tls_key 要一起设置");
        ensure!(
            self.https_listen.is_none() || self.tls_cert.is_none(),
            "https_listen 用于平台自己申请的证书，tls_cert 用于证书文件，只能设置一个"
        );
        ensure!(
            self.https_listen != Some(self.listen) || self.listen.port() == 0,
            "https_listen 和 listen 要用不同的端口"
        );
        ensure!(
            self.database_url.is_none() || self.database_url_file.is_none(),
            "database_url 和 database_url_file 只能设置一个"
        );
        ensure!(
            self.admin_password.is_none() || self.admin_password_file.is_none(),
            "admin_password 和 admin_password_file 只能设置一个"
        );
        ensure!(
            self.portal_secret.is_none() || self.portal_secret_file.is_none(),
            "portal_secret 和 portal_secret_file 只能设置一个"
        );
        if let Some(portal) = &self.portal {
            let plain = !portal.contains(['?', '#', '@']);
            ensure!(plain && origin_of(portal).is_some(), "portal 应为 https://… 形式的地址");
        }
        for origin in &self.disk_origins {
            let exact = origin_of(origin).as_ref() == Some(origin);
            ensure!(exact, "disk_origins 中的 {origin} 应为 https://主机[:端口] 的形式");
        }
        if let Some(address) = &self.docker_host {
            ensure!(address.starts_with("unix:///"), "docker_host 应为 unix:///… 形式的本机地址");
        }
        if let Some(url) = self.database_url()? {
            let known = ["sqlite:", "postgres://", "postgresql://"].iter().any(|kind| url.expose().starts_with(kind));
            ensure!(known, "database_url 应以 sqlite:// 或 postgres:// 开头");
        }
        ensure!(self.update_source.is_some() == self.update_key.is_some(), "update_source 和 update_key 要一起设置");
        self.updates(PathBuf::new())?;
        ensure!(self.guest_connections.is_none_or(|most| most >= 8), "guest_connections 至少为 8");
        Ok(())
    }

    /// Where new versions of the program at this path come from, if that is set.
    pub(crate) fn updates(&self, program: PathBuf) -> anyhow::Result<Option<UpdateConfig>> {
        let (Some(source), Some(key)) = (&self.update_source, &self.update_key) else { return Ok(None) };
        UpdateConfig::new(source, key, program).map(Some).map_err(anyhow::Error::msg)
    }

    /// The configured database, if there is one.
    pub(crate) fn database_url(&self) -> anyhow::Result<Option<Secret>> {
        secret(self.database_url.as_ref(), self.database_url_file.as_deref())
    }

    /// The first administrator's password, if one is configured.
    pub(crate) fn admin_password(&self) -> anyhow::Result<Option<Secret>> {
        secret(self.admin_password.as_ref(), self.admin_password_file.as_deref())
    }

    /// The portal of a separate storage host, without a slash at the end.
    pub(crate) fn portal(&self) -> Option<&str> {
        self.portal.as_deref().map(|address| address.trim_end_matches('/'))
    }

    /// The secret that storage hosts and the portal share, if it is set.
    pub(crate) fn portal_secret(&self) -> anyhow::Result<Option<Secret>> {
        let secret = secret(self.portal_secret.as_ref(), self.portal_secret_file.as_deref())?;
        let long = secret.as_ref().is_none_or(|secret| secret.expose().len() >= MIN_SECRET_BYTES);
        ensure!(long, "portal_secret 至少 {MIN_SECRET_BYTES} 个字符");
        let sendable = secret.as_ref().is_none_or(|secret| secret.expose().bytes().all(|byte| byte.is_ascii_graphic()));
        ensure!(sendable, "portal_secret 只能用可见的 ASCII 字符");
        Ok(secret)
    }

    /// Origins of other hosts whose pages may use the disk.
    pub(crate) fn page_origins(&self) -> Vec<String> {
        let portal = self.portal.as_deref().and_then(origin_of);
        portal.into_iter().chain(self.disk_origins.iter().cloned()).collect()
    }

    /// Where the SSH gateway answers; `None`: nowhere. Beside a port that the system chooses it lets the system choose.
    pub(crate) fn ssh_listen(&self) -> Option<SocketAddr> {
        let usual = if self.listen.port() == 0 { 0 } else { SSH_PORT };
        match self.ssh_listen {
            Some(SshListen::Off) => None,
            Some(SshListen::At(address)) => Some(address),
            None => Some(SocketAddr::new(self.listen.ip(), usual)),
        }
    }

    /// The local container engine's socket.
    pub(crate) fn docker_socket(&self) -> &Path {
        let address = self.docker_host.as_deref().unwrap_or("unix:///var/run/docker.sock");
        Path::new(address.strip_prefix("unix://").unwrap_or(address))
    }

    /// Limits of connections for a process with this many file descriptors.
    pub(crate) fn connection_limits(&self, descriptors: usize) -> ConnectionLimits {
        let limits = ConnectionLimits::within(descriptors);
        let wanted = self.guest_connections.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        let guests_per_address = wanted.map_or(limits.guests_per_address, |most| most.min(limits.guests));
        ConnectionLimits { guests_per_address, ..limits }
    }

    /// The effective value of a setting without a source, if it is a single value.
    fn in_force(&self, key: &str) -> Option<String> {
        match key {
            "database_url" if self.database_url_file.is_none() => Some(format!("sqlite://{}", self.sqlite().display())),
            "ssh_listen" => self.ssh_listen().map(|address| address.to_string()),
            "disk_root" => Some(self.disk_root().display().to_string()),
            "docker_host" => Some(format!("unix://{}", self.docker_socket().display())),
            "backup_dir" => Some(self.backups().dir.display().to_string()),
            _ => None,
        }
    }

    /// Where the database lies unless it is elsewhere.
    pub(crate) fn sqlite(&self) -> PathBuf {
        self.data_dir.join("yunlab.db")
    }

    /// Where backups lie that are made by themselves, and how they are made.
    pub(crate) fn backups(&self) -> Folder {
        Folder {
            dir: self.backup_dir.clone().unwrap_or_else(|| self.data_dir.join("backups")),
            data_dir: self.data_dir.clone(),
            keep: self.backup_keep,
            key_file: self.backup_key_file.clone(),
        }
    }

    /// Where the files lie.
    pub(crate) fn disk_root(&self) -> PathBuf {
        self.disk_root.clone().unwrap_or_else(|| self.data_dir.join("disk"))
    }

    /// Where a browser on this machine finds the pages.
    pub(crate) fn origin(&self) -> String {
        self.origin_at(self.listen)
    }

    /// The same, with the port that was assigned.
    pub(crate) fn origin_at(&self, mut address: SocketAddr) -> String {
        let scheme = if self.tls_cert.is_some() { "https" } else { "http" };
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        format!("{scheme}://{address}")
    }
}

/// In the form of browsers: scheme, host and, unless it is the default one, port.
fn origin_of(url: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

fn secret(direct: Option<&Secret>, file: Option<&Path>) -> anyhow::Result<Option<Secret>> {
    let Some(path) = file else { return Ok(direct.cloned()) };
    let text = std::fs::read_to_string(path).with_context(|| format!("读取 {}", path.display()))?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() {
        bail!("{} 是空的", path.display());
    }
    Ok(Some(Secret::new(text)))
}
