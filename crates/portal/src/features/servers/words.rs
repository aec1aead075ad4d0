//! Explains in Chinese why an engine cannot be reached, with advice. The original message of the engine, the kernel or
//! TLS is kept beside it, for details and the log.

use engine::Error;

/// A fault in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EngineFault {
    /// The cause, without a full stop; empty when only the original message explains it.
    pub(crate) words: String,
    /// The advice; empty when there is none.
    pub(crate) advice: &'static str,
    /// The original message, mostly in English.
    pub(crate) original: String,
}

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

#[cfg(test)]
mod tests {
    use engine::{Endpoint, TlsMaterial};
    use kernel::Secret;
    use rstest::rstest;

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
    fn certificates_that_do_not_fit_are_named() {
        let nonsense = TlsMaterial { ca: "x".into(), certificate: "y".into(), key: Secret::new("z") };
        let error = Endpoint::new("tcp://x:2376", Some(&nonsense)).unwrap_err();
        let fault = explain(&error.into());
        assert_eq!(fault.words, "CA 证书不是 PEM 格式的证书");
    }
}
