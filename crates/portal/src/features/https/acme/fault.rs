//! Errors of the ACME server, in words for administrators, with the remedy.

use db_kit::DbError;
use http_kit::ApiError;
use instant_acme::{Error, Problem};
use kernel::rules;

use crate::features::notices::faults;

const PREFIX: &str = "urn:ietf:params:acme:error:";
const LONGEST: usize = 600;

/// A failed try.
#[derive(Debug)]
pub(crate) struct AcmeFault {
    words: String,
    /// The last part of the problem's type; empty: it was none.
    kind: String,
    /// Whether a challenge was refused, not a request.
    of_challenge: bool,
}

impl AcmeFault {
    pub(super) fn new(words: String) -> Self {
        Self { words, kind: String::new(), of_challenge: false }
    }

    /// The problem of a challenge for this name.
    pub(super) fn of_challenge(name: &str, problem: &Problem) -> Self {
        let (kind, detail) = parts(problem);
        Self { words: with_detail(challenge_words(name, &kind), &detail), kind, of_challenge: true }
    }

    fn of_problem(problem: &Problem) -> Self {
        let (kind, detail) = parts(problem);
        let below: Vec<String> = problem.subproblems.iter().filter_map(|below| below.detail.clone()).collect();
        let detail =
            std::iter::once(detail).chain(below).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("；");
        Self { words: with_detail(problem_words(&kind), &detail), kind, of_challenge: false }
    }

    /// One line, in Chinese.
    pub(crate) fn words(&self) -> String {
        rules::as_line(&self.words, LONGEST)
    }

    /// Whether the server reported too many requests.
    pub(crate) fn is_rate_limit(&self) -> bool {
        self.kind == "rateLimited"
    }

    /// Whether the server does not know the account, or does not accept it any more.
    pub(super) fn is_about_account(&self) -> bool {
        !self.of_challenge && matches!(self.kind.as_str(), "accountDoesNotExist" | "unauthorized")
    }
}

fn parts(problem: &Problem) -> (String, String) {
    let kind = problem.r#type.as_deref().unwrap_or_default();
    (kind.strip_prefix(PREFIX).unwrap_or(kind).to_owned(), problem.detail.clone().unwrap_or_default())
}

fn with_detail(words: String, detail: &str) -> String {
    if detail.is_empty() { words } else { format!("{words}（对方的原话：{detail}）") }
}

fn challenge_words(name: &str, kind: &str) -> String {
    match kind {
        "dns" => format!("ACME 服务器查不到 {name} 的地址，请检查域名解析"),
        "connection" => format!(
            "ACME 服务器连不上 http://{name}（80 端口）。请确认域名指向本平台、防火墙放行 80 端口、平台在 80 端口上提供 HTTP"
        ),
        "unauthorized" | "incorrectResponse" => format!(
            "ACME 服务器访问 http://{name} 得到的不是本平台的应答。域名可能指向别的机器，或者前面的代理没有转发 /.well-known/acme-challenge/"
        ),
        "caa" => format!("{name} 的 CAA 记录不允许这个 CA 签发，请修改域名的 CAA 记录"),
        "tls" => format!("{name} 把验证转到了 HTTPS，而那里的证书不能用。请不要转走 /.well-known/acme-challenge/"),
        _ => format!("ACME 服务器没有接受对 {name} 的证明"),
    }
}

fn problem_words(kind: &str) -> String {
    match kind {
        "rateLimited" => "ACME 服务器说申请太频繁，过几个小时会自动再试".to_owned(),
        "rejectedIdentifier" | "unsupportedIdentifier" => {
            "ACME 服务器不给这个域名签发证书。公开的 CA 只认公网的域名，内网的名字请用实验室自己的 CA".to_owned()
        }
        "externalAccountRequired" => "ACME 服务器要求外部账号，请填写它的编号和密钥".to_owned(),
        "userActionRequired" => "ACME 服务器要求先同意新的条款，请按它的说明操作".to_owned(),
        "invalidContact" | "unsupportedContact" => "ACME 服务器不接受填写的邮箱".to_owned(),
        "accountDoesNotExist" => "ACME 服务器不认识平台的账号".to_owned(),
        "unauthorized" => "ACME 服务器不接受平台的账号".to_owned(),
        "caa" => "域名的 CAA 记录不允许这个 CA 签发，请修改域名的 CAA 记录".to_owned(),
        "serverInternal" => "ACME 服务器自己出错了，会自动再试".to_owned(),
        _ => "ACME 服务器拒绝了申请".to_owned(),
    }
}

impl From<Error> for AcmeFault {
    fn from(error: Error) -> Self {
        if let Error::Api(problem) = &error {
            return Self::of_problem(problem);
        }
        let outer: &(dyn std::error::Error + 'static) = match &error {
            Error::Other(inner) => inner.as_ref(),
            _ => &error,
        };
        if let Some(tls) = faults::causes(outer).find_map(faults::tls_of) {
            let words = faults::certificate(tls).unwrap_or_else(|| format!("不能建立 TLS：{tls}"));
            return Self::new(format!("ACME 服务器：{words}，或者在这里填写它的根证书"));
        }
        if let Some(sent) = outer.downcast_ref::<reqwest::Error>() {
            let cause = faults::causes(outer).last().map(ToString::to_string).unwrap_or_default();
            let what = if sent.is_timeout() { "没有及时应答" } else { "连接不上" };
            return Self::new(format!("ACME 服务器{what}：{cause}"));
        }
        let cause = outer.source().map(|source| format!("：{source}")).unwrap_or_default();
        Self::new(format!("ACME 服务器的应答看不懂：{outer}{cause}"))
    }
}

impl From<ApiError> for AcmeFault {
    fn from(error: ApiError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<DbError> for AcmeFault {
    fn from(error: DbError) -> Self {
        ApiError::from(error).into()
    }
}
