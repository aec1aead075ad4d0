//! What Docker's driver answers, in Chinese: why an engine can't be reached or does not do its work, and what was found
//! on it and on its machine. The original message of the engine, the kernel or TLS is kept beside it, for details and
//! the log.

use engine::{Error, Exit, Finding};
use serde_json::Value;

/// A fault in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineFault {
    /// The cause, without a full stop; empty when only the original message explains it.
    pub(crate) words: String,
    /// The advice; may be empty.
    pub(crate) advice: &'static str,
    /// The original message, mostly in English.
    pub(crate) original: String,
}

/// What to do about a server that can't be reached, when the cause is unknown.
pub(crate) const UNREACHED_ADVICE: &str =
    "检查地址是否正确、Docker 是否在运行、防火墙是否放行；tcp 地址还要检查三个证书是否匹配";
/// What to do about a server that does not answer any more.
pub(crate) const SILENCE_ADVICE: &str = "请检查机器、网络和 Docker";
/// What to do when a server's machine can't be looked at.
const MACHINE_ADVICE: &str = "平台通过名为 yunlab-probe 的容器查看服务器的端口、磁盘和设备。检查 Docker 能否创建使用主机 PID 的容器，以及系统是否有 /bin/sh";
/// The same, for its networks.
const NETWORKS_ADVICE: &str = "平台通过名为 yunlab-probe 的容器查看服务器的网络，请先处理“查看服务器”一项";
/// What to do when an engine refuses the machine helper.
pub(crate) const HELPER_ADVICE: &str = "平台通过短时运行的容器 yunlab-machine-helper 操作服务器。检查 Docker 的授权插件和用户命名空间设置是否禁止它；不需要时可在服务器的设置中关闭";
/// What it means that an engine leaves the firewall alone, and what to do.
const NO_FIREWALL: (&str, &str) = (
    "Docker 没有管理防火墙（iptables 为 false），实例都在 Docker 的默认网络中，可以互相访问，也可以访问服务器自己的服务",
    "去掉 /etc/docker/daemon.json 或启动参数中的 iptables: false 后重启 Docker，实例在下次启动时移入各自的网络",
);
/// What instances can reach while our rules are missing.
const WITHOUT_GUARD: &str = "实例之间由 Docker 隔离，但实例可以访问服务器自己的服务和链路本地地址";
/// How instances are kept from changing a file's project.
pub(crate) const USER_NAMESPACE_ADVICE: &str =
    "需要完全限制时，在 /etc/docker/daemon.json 中设置 userns-remap，让容器使用自己的用户命名空间";
/// Which certificates to renew.
pub(crate) const CERTIFICATES_ADVICE: &str =
    "请看这台服务器的 Docker 证书、CA 证书和客户端证书，换上新的，再到“服务器管理”编辑它";

/// Part of a message of TLS, the kernel or Docker, in lower case; the cause in Chinese; the advice.
type Known = (&'static [&'static str], &'static str, &'static str);

/// The first that fits counts.
const CONNECTION: &[Known] = &[
    (
        &["unknownissuer", "unknown issuer"],
        "容器引擎的证书不是由填写的 CA 证书签发的",
        "请填写签发该服务器证书的 CA；证书换过的话三个证书要一起更新",
    ),
    (
        &["notvalidforname", "not valid for name", "not valid for any names"],
        "容器引擎的证书里没有这个主机名或 IP 地址",
        "请用证书里的名称填写地址，或重新签发包含该地址的证书",
    ),
    (
        &["certificateunknown", "unknownca", "unknown ca", "badcertificate", "bad certificate", "certificate unknown"],
        "容器引擎不接受平台的客户端证书",
        "客户端证书应由服务器 tlscacert 指定的 CA 签发，且用途包含客户端认证",
    ),
    (
        &["certificaterequired", "certificate required"],
        "容器引擎要求客户端证书，平台没有提供",
        "请上传客户端证书和私钥",
    ),
    (&["notvalidyet", "not valid yet"], "容器引擎的证书还没有生效", "请检查平台和服务器的系统时间"),
    (
        &["certificateexpired", "invalid peer certificate: expired", "certificate expired"],
        "证书已过期",
        "请重新签发证书，并检查两边的系统时间",
    ),
    (
        &[
            "handshakefailure",
            "handshake failure",
            "protocolversion",
            "no supported",
            "peerincompatible",
            "peer is incompatible",
        ],
        "与容器引擎协商 TLS 失败",
        "请确认 Docker 版本不低于 20.10，证书的算法是 RSA 或 ECDSA",
    ),
    (
        &["invalidcontenttype", "corrupt message", "http request to an https server", "wrong version number"],
        "该端口没有使用 TLS",
        "请在 daemon.json 中开启 tlsverify；不加密的端口会让任何人控制服务器",
    ),
    (
        &["connection refused", "os error 111)"],
        "连接被拒绝，该地址和端口上没有程序在监听",
        "请确认 Docker 正在运行，并且监听了这个地址和端口",
    ),
    (
        &["no route to host", "os error 113)", "network is unreachable", "os error 101)"],
        "网络不通，找不到服务器",
        "请检查服务器是否开机、地址是否正确、防火墙是否放行",
    ),
    (
        &["failed to lookup", "name or service not known", "name resolution", "no such host"],
        "主机名无法解析",
        "请检查主机名，或改填 IP 地址",
    ),
    (
        &["no answer within", "timed out", "no answer", "os error 110)", "deadline"],
        "连接超时，没有收到应答",
        "请检查防火墙是否放行该端口、服务器是否过载",
    ),
    (
        &[
            "connection reset",
            "os error 104)",
            "broken pipe",
            "os error 32)",
            "eof",
            "connection closed",
            "incomplete message",
        ],
        "连接被中途断开",
        "Docker 可能正在重启，请稍后再试；反复出现时查看服务器上的 journalctl -u docker",
    ),
    (
        &["permission denied", "os error 13)"],
        "没有权限访问 Docker 的套接字",
        "请让运行平台的账号加入 docker 用户组，然后重启平台",
    ),
    (&["no such file", "os error 2)"], "找不到 Docker 的套接字", "请确认 Docker 已安装并正在运行"),
];

/// Settings that are refused before connecting, by the message of the refusal.
const INVALID: &[Known] = &[
    (&["does not belong to the client certificate"], "私钥与客户端证书不是一对", "请上传同一次生成的客户端证书和私钥"),
    (&["is no private key in pem"], "客户端私钥不是 PEM 格式的私钥", "请上传以 BEGIN PRIVATE KEY 开头的文件"),
    (&["ca certificate"], "CA 证书不是 PEM 格式的证书", "请上传以 BEGIN CERTIFICATE 开头的文件"),
    (&["client certificate"], "客户端证书不是 PEM 格式的证书", "请上传以 BEGIN CERTIFICATE 开头的文件"),
    (&["needs tls certificates"], "tcp 地址必须使用证书", "请上传 CA 证书、客户端证书和私钥"),
    (&["engine address"], "容器引擎的地址有误", "应为 unix:///路径 或 tcp://主机:端口"),
];

/// Messages of engines about failed work, by their cause.
const WORK: &[Known] = &[
    (&["no space left on device"], "服务器的磁盘已满", "请清理服务器的磁盘，例如删除不用的镜像"),
    (
        &["could not select device driver"],
        "服务器没有安装 NVIDIA 容器工具",
        "请安装 nvidia-container-toolkit 并重启 Docker",
    ),
    (&["nvidia-container-cli"], "NVIDIA 容器工具启动失败", "请在服务器上运行 nvidia-smi，确认驱动正常"),
    (&["cannot allocate memory"], "服务器内存不足", "请停止一些实例，或换一台服务器"),
    (&["exec format error"], "镜像与服务器的处理器架构不同", "请换成同一架构的镜像"),
    (&["executable file not found"], "镜像里没有启动命令里的程序", "请检查启动命令，或换一个镜像"),
];

fn known(table: &'static [Known], words: &str) -> Option<&'static Known> {
    let words = words.to_lowercase();
    table.iter().find(|(parts, ..)| parts.iter().any(|part| words.contains(part)))
}

/// Explains why an engine did not do its work.
pub(crate) fn explain(error: &Error) -> EngineFault {
    let (table, general, said) = match error {
        Error::Unreachable(said) => (CONNECTION, "容器引擎没有应答", said.clone()),
        Error::Invalid(invalid) => (INVALID, "参数不能用于容器引擎", invalid.to_string()),
        Error::NotFound(said) => (WORK, "容器引擎上没有这个对象", said.clone()),
        Error::NameTaken(said) => (WORK, "容器名称已被占用", said.clone()),
        Error::PortTaken(said) => (WORK, "主机端口已被占用", said.clone()),
        Error::ImageMissing(said) => (WORK, "镜像不存在", said.clone()),
        Error::NoAddresses(range) => {
            let words = format!("网段 {range} 已用完，或与服务器的网络冲突，请联系管理员在基本设置中更换");
            return EngineFault { words, advice: "", original: String::new() };
        }
        Error::Unauthorized(said) => (WORK, "镜像仓库拒绝访问", said.clone()),
        Error::Conflict(said) | Error::Rejected(said) | Error::Failed(said) => (WORK, "", said.clone()),
    };
    let (words, advice) = known(table, &said).map_or((general, ""), |(_, words, advice)| (*words, *advice));
    EngineFault { words: words.to_owned(), advice, original: said.chars().take(500).collect() }
}

impl EngineFault {
    /// The explanation followed by the original message, where there is room for details.
    pub(crate) fn in_detail(&self) -> String {
        if self.words.is_empty() {
            self.original.clone()
        } else {
            format!("{}（原文：{}）", self.words, self.original)
        }
    }
}

/// The usual reason for an exit code that programs do not choose themselves, after a message; empty for others.
pub(crate) fn likely_cause(exit: &Exit) -> &'static str {
    match exit.code {
        // SIGKILL. The engine does not always report an out-of-memory kill soon after the start as one.
        137 => "（被强制终止，可能是内存不足，或服务器重启）",
        // SIGTERM: an engine without live-restore ends everything when it is restarted.
        143 => "（收到终止信号，可能是服务器或 Docker 重启）",
        // Docker's exit code for containers that it finds dead after the machine went down.
        255 => "（可能是服务器断电或重启）",
        _ => "",
    }
}

/// What happened to a program that ended with its server.
pub(crate) fn restarted(exit: &Exit) -> String {
    format!("服务器或 Docker 重启，程序已退出（退出码 {}）", exit.code)
}

/// A finding in words for administrators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingWords {
    /// What was looked at.
    pub(crate) title: &'static str,
    /// What was found.
    pub(crate) detail: String,
    /// What to do; empty when all is well.
    pub(crate) advice: &'static str,
}

/// Puts a finding into words.
pub(crate) fn words_of(finding: &Finding) -> FindingWords {
    let text = |name: &str| finding.text(name);
    let (detail, advice) = match (finding.subject, finding.code) {
        ("engine", code) => (
            format!("Docker {}（API {}）", text("version"), text("api")),
            if code == "too_old" { "升级 Docker 到 20.10 或更新的版本" } else { "" },
        ),
        ("cgroup", "limits_missing") => (
            joined(finding.list("warnings"), "；"),
            "在内核启动参数中加入 cgroup_enable=memory swapaccount=1 后重启服务器",
        ),
        ("cgroup", _) => (format!("cgroup {}，驱动 {}", text("version"), text("driver")), ""),
        ("storage_quota", "unlimited") => (
            format!("存储驱动 {} 不支持（文件系统 {}）", text("driver"), text("backing")),
            "需要限制系统盘时，将 Docker 数据目录放在以 pquota 挂载的 XFS 上，并使用 overlay2",
        ),
        ("storage_quota", _) => (format!("存储驱动 {} 支持", text("driver")), ""),
        ("default_runtime", "gives_cards") => (
            "默认运行时是 nvidia".to_owned(),
            "将 /etc/docker/daemon.json 的 default-runtime 改回 runc 并重启 Docker，否则任何容器都能看到所有显卡",
        ),
        ("default_runtime", _) => (text("runtime").to_owned(), ""),
        ("live_restore", "off") => (
            "live-restore 未开启".to_owned(),
            "在 /etc/docker/daemon.json 中设置 \"live-restore\": true，否则重启或升级 Docker 会停掉所有实例",
        ),
        ("live_restore", _) => ("live-restore 已开启".to_owned(), ""),
        ("ports", code) => ports(finding, code),
        ("storage", code) => storage(text("path"), code),
        ("room", code) => {
            (room(finding), if code == "nearly_full" { "清理不用的镜像和已停止的实例，或扩大磁盘" } else { "" })
        }
        ("machine", _) => (unseen(finding), MACHINE_ADVICE),
        ("instance_networks", code) => networks(finding, code),
        ("network_guard", code) => guard(finding, code),
        ("device_nodes", "missing") => (
            format!("服务器上没有 {}", joined(finding.list("missing"), "、")),
            "检查加速卡的驱动是否已加载；登记有误的卡请删除后重新登记",
        ),
        ("device_nodes", _) => ("都在".to_owned(), ""),
        ("nvidia", code) => nvidia(finding, code),
        (subject, code) => (format!("{subject}：{code}"), ""),
    };
    FindingWords { title: title_of(finding.subject), detail, advice }
}

fn title_of(subject: &'static str) -> &'static str {
    match subject {
        "engine" => "连接容器引擎",
        "cgroup" => "资源限制（cgroup）",
        "storage_quota" => "系统盘大小限制",
        "default_runtime" => "默认运行时",
        "live_restore" => "Docker 重启时保持容器运行",
        "ports" => "实例端口范围",
        "storage" => "网盘",
        "room" => "磁盘空间",
        "device_nodes" => "登记的设备节点",
        "nvidia" => "NVIDIA 容器运行时",
        "machine" => "查看服务器",
        "instance_networks" => "实例网络",
        "network_guard" => "网络隔离规则",
        other => other,
    }
}

fn joined(list: &[Value], between: &str) -> String {
    list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(between)
}

/// Ports that are named in words; the rest is counted.
const NAMED: usize = 5;

fn ports(finding: &Finding, code: &str) -> (String, &'static str) {
    let range = format!("{} 到 {}", finding.number("from"), finding.number("to"));
    let taken = finding.list("taken");
    if taken.is_empty() {
        return (format!("{range}，没有被其他程序占用"), "");
    }
    let word = |one: &Value| format!("{}（{}）", one["port"], one["holder"].as_str().unwrap_or("服务器上的程序"));
    let words: Vec<String> = taken.iter().take(NAMED).map(word).collect();
    let rest = if taken.len() > NAMED { format!(" 等 {} 个", taken.len()) } else { String::new() };
    let advice = match code {
        "all_taken" => "换一个端口范围，或停用占用端口的程序",
        _ => "平台会避开已占用的端口；要全部可用，请换一个端口范围或停用这些程序",
    };
    (format!("{range}，其中已被占用：{}{rest}", words.join("、")), advice)
}

/// Why something could not be looked at.
fn unseen(finding: &Finding) -> String {
    finding.error.as_ref().map(|error| explain(error).in_detail()).unwrap_or_default()
}

fn networks(finding: &Finding, code: &str) -> (String, &'static str) {
    let (text, number) = (|name: &str| finding.text(name), |name: &str| finding.number(name));
    let apart = || {
        format!(
            "每人一个网络，现有 {} 个；网段 {} 可供 {} 人使用，每人最多 {} 个实例",
            number("made"),
            text("range"),
            number("capacity"),
            number("each"),
        )
    };
    match code {
        "unseen" => (unseen(finding), NETWORKS_ADVICE),
        "no_firewall" => (NO_FIREWALL.0.to_owned(), NO_FIREWALL.1),
        "strangers" => (
            format!("有实例在别人的网络中：{}", joined(finding.list("names"), "、")),
            "有人在服务器上直接修改了容器的网络，请重启这些实例",
        ),
        "no_addresses" => (
            format!("网段 {} 没有可用的地址：已用完，或与服务器自己的网络冲突", text("range")),
            "在“基本设置”的“实例网络”中换一个没有使用的网段",
        ),
        "old" => (
            format!("{}；还有 {} 个运行中的实例在旧的网络中", apart(), number("old")),
            "这些实例在下次启动时移入各自的网络；需要立即隔离时，请通知使用者重启实例",
        ),
        "wider_routes" => (
            format!("{}；服务器经网关访问 {}，其中包含这个网段", apart(), joined(finding.list("routes"), "、")),
            "确认内网没有使用这个网段，否则在“基本设置”的“实例网络”中换一个",
        ),
        _ => (apart(), ""),
    }
}

fn guard(finding: &Finding, code: &str) -> (String, &'static str) {
    let words = finding.text("words");
    match code {
        "not_needed" => ("还没有实例网络，不需要规则".to_owned(), ""),
        "kept" => (format!("规则表 inet yunlab 有 {} 条规则，与平台设置的一致", finding.number("rules")), ""),
        "forbidden" => (format!("{words}：{WITHOUT_GUARD}"), "允许这台服务器使用主机助手，平台会设置规则"),
        "changed" => (
            format!("规则表 inet yunlab 刚设置就被改动：{WITHOUT_GUARD}"),
            "检查服务器上是否有其他程序在修改 nftables 的规则表",
        ),
        "tool_missing" => (
            format!("{words}：{WITHOUT_GUARD}"),
            "在服务器上安装 nftables（apt install nftables 或 dnf install nftables）",
        ),
        _ => (format!("{words}：{WITHOUT_GUARD}"), "处理“主机助手”一项，并确认内核支持 nftables"),
    }
}

fn storage(path: &str, code: &str) -> (String, &'static str) {
    match code {
        "none" => (
            "没有设置网盘路径，实例中看不到网盘上的文件".to_owned(),
            "把网盘挂载到这台服务器上（例如 NFS），再编辑服务器填写挂载的路径",
        ),
        "missing" => (format!("服务器上没有 {path}"), "在这台服务器上把网盘挂载到该路径，或编辑服务器改正网盘路径"),
        "other" => (
            format!("服务器上的 {path} 不是网盘：平台写入的文件在那里看不到"),
            "检查挂载是否成功，以及挂载的是不是网盘的根文件夹",
        ),
        "unproved" => (
            format!("服务器上有 {path}；网盘在另一台主机上，平台无法证明它们是同一个存储"),
            "请在网盘上新建一个文件，在实例中确认能看到它",
        ),
        _ => (format!("{path} 与网盘是同一个存储"), ""),
    }
}

fn room(finding: &Finding) -> String {
    let of = |name: &str, disk: &str| {
        let percent = finding.facts.get(name)?.as_u64()?;
        Some(format!("{disk}所在磁盘已用 {percent}%"))
    };
    [of("engine", "容器数据"), of("storage", "网盘")].into_iter().flatten().collect::<Vec<_>>().join("，")
}

fn nvidia(finding: &Finding, code: &str) -> (String, &'static str) {
    const INSTALL: &str = "安装 nvidia-container-toolkit（1.17.8 或更新），执行 nvidia-ctk runtime configure --runtime=docker 后重启 Docker";
    let by = if finding.text("by") == "cdi" { "CDI" } else { "nvidia 运行时" };
    let toolkit = format!("{by}，nvidia-container-toolkit {}", finding.text("toolkit"));
    match code {
        "no_runtime" => ("Docker 没有 nvidia 运行时".to_owned(), INSTALL),
        "unknown_toolkit" => (format!("{by}，没有找到 nvidia-container-toolkit，无法知道版本"), INSTALL),
        "unsafe_toolkit" => {
            (toolkit, "升级 nvidia-container-toolkit 到 1.17.8 或更新：旧版本有容器逃逸漏洞（CVE-2025-23266）")
        }
        _ => (toolkit, ""),
    }
}

#[cfg(test)]
mod tests {
    use engine::{EngineAddress, TlsMaterial, Verdict};
    use kernel::Secret;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case("invalid peer certificate: UnknownIssuer", "不是由填写的 CA")]
    #[case("invalid peer certificate: certificate not valid for name \"10.0.0.7\"", "没有这个主机名")]
    #[case("received fatal alert: CertificateUnknown", "不接受平台的客户端证书")]
    #[case("received fatal alert: BadCertificate", "不接受平台的客户端证书")]
    #[case("invalid peer certificate: certificate expired: verification time 1", "已过期")]
    #[case("received corrupt message of type InvalidContentType", "没有使用 TLS")]
    #[case("Connection refused (os error 111)", "连接被拒绝")]
    #[case("No route to host (os error 113)", "网络不通")]
    #[case("failed to lookup address information: Name or service not known", "无法解析")]
    #[case("no answer within 3 s", "超时")]
    #[case("tls handshake eof", "中途断开")]
    #[case("Permission denied (os error 13)", "没有权限")]
    #[case("No such file or directory (os error 2)", "找不到 Docker")]
    #[case("Too many open files (os error 24)", "没有应答")]
    #[case("something new", "没有应答")]
    fn a_cause_has_chinese_words(#[case] original: &str, #[case] words: &str) {
        let fault = explain(&Error::Unreachable(original.to_owned()));
        assert!(fault.words.contains(words), "{fault:?}");
        assert!(!fault.words.contains(original), "{fault:?}");
        assert_eq!(fault.original, original);
    }

    #[test]
    fn ports_of_others_are_named_up_to_five() {
        let taken: Vec<Value> = (30000..30006).map(|port| json!({ "port": port, "holder": null })).collect();
        let found = Finding::new("ports", "some_taken", Verdict::Warning).with("from", 30000).with("to", 30020);
        let words = words_of(&found.with("taken", taken));
        assert!(words.detail.contains("30004（服务器上的程序） 等 6 个"), "{}", words.detail);
        assert!(!words.advice.is_empty());
    }

    #[test]
    fn certificates_that_do_not_fit_are_named() {
        let nonsense = TlsMaterial { ca: "x".into(), certificate: "y".into(), key: Secret::new("z") };
        let error = EngineAddress::new("tcp://x:2376", Some(&nonsense)).unwrap_err();
        let fault = explain(&error.into());
        assert_eq!(fault.words, "CA 证书不是 PEM 格式的证书");
    }
}
