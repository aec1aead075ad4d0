//! The settings of HTTPS, their form, and when a certificate is due; pure.

use std::time::Duration;

use db_kit::Record;
use http_kit::ApiResult;
use kernel::{Secret, Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::names;
use crate::check::Check;
use crate::features::directory::well_formed_ca;

/// The directory that is offered first.
pub(super) const LETS_ENCRYPT: &str = "https://acme-v02.api.letsencrypt.org/directory";
const LONGEST_CA: usize = 64 * 1024;
const LONGEST_LINE: usize = 500;

/// The pauses after failed tries; the last one repeats. Let's Encrypt refuses a name for an hour after five failures.
const PAUSES: [Duration; 6] = [
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(6 * 3600),
    Duration::from_secs(12 * 3600),
];
/// The pause after the server reports too many requests.
const RATE_LIMITED: Duration = Duration::from_secs(3 * 3600);

/// Where the certificate comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HttpsWay {
    /// The portal gets none: there are certificate files, a reverse proxy, or no HTTPS.
    #[default]
    Off,
    /// An ACME server.
    Acme,
    /// The CA of the lab.
    LabCa,
}

/// The settings.
#[derive(Clone, Debug, Default)]
pub(super) struct HttpsSettings {
    pub(super) way: HttpsWay,
    pub(super) names: Vec<String>,
    pub(super) port: Option<u16>,
    pub(super) redirect: bool,
    pub(super) acme: AcmeServer,
}

/// How the ACME server is reached.
#[derive(Clone, Debug, Default)]
pub(super) struct AcmeServer {
    pub(super) directory: String,
    pub(super) email: String,
    pub(super) ca_certificate: String,
    pub(super) eab_key_id: String,
    pub(super) eab_key: Secret,
}

/// What administrators fill in.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct HttpsForm {
    way: HttpsWay,
    /// DNS names and IP addresses by which people open the portal, the main one first.
    #[schema(max_items = 20)]
    names: Vec<String>,
    /// The public port of HTTPS; null: the port that the portal listens on.
    #[schema(minimum = 1, maximum = 65535)]
    port: Option<i64>,
    /// Whether pages that are opened over plain HTTP are opened again over HTTPS.
    redirect: bool,
    /// The directory of the ACME server.
    #[schema(max_length = 500)]
    directory: String,
    /// Where the ACME server sends warnings; may be empty.
    #[schema(max_length = 254)]
    email: String,
    /// Certificates in PEM that the ACME server is trusted by instead of the system's; empty: the system's.
    #[schema(max_length = 65536)]
    ca_certificate: String,
    /// The key identifier of an external account binding; empty: none.
    #[schema(max_length = 500)]
    eab_key_id: String,
    /// Its key in base64url; left out: the one that is kept for this directory and key identifier stays.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 500)]
    eab_key: Option<Secret>,
}

impl HttpsForm {
    /// Checks the form; `kept` are the settings so far.
    ///
    /// # Errors
    /// 422 with all faults.
    pub(super) fn over(self, kept: &HttpsSettings) -> ApiResult<HttpsSettings> {
        let mut check = Check::default();
        let names = parsed_names(&self.names, self.way, &mut check);
        let (directory, email) = (self.directory.trim(), self.email.trim());
        let (ca, key_id) = (self.ca_certificate.trim(), self.eab_key_id.trim());
        let acme = self.way == HttpsWay::Acme;
        let port = self.port.map(|port| u16::try_from(port).unwrap_or_default());
        check
            .that(port != Some(0), "port", "应为 1 到 65535 之间的整数")
            .that(!acme || !directory.is_empty(), "directory", "请填写 ACME 服务器的目录地址")
            .that(directory.is_empty() || is_directory(directory), "directory", "应为 https:// 开头的地址")
            .that(email.is_empty() || rules::is_email(email), "email", "应为邮箱地址")
            .that(ca.len() <= LONGEST_CA, "caCertificate", "最多 64 KB")
            .that(ca.is_empty() || well_formed_ca(ca), "caCertificate", "应为 PEM 格式的证书")
            .that(rules::is_line(key_id, LONGEST_LINE), "eabKeyId", "最多 500 个字，不能有控制字符");
        let before = &kept.acme;
        let same = (directory, key_id) == (before.directory.as_str(), before.eab_key_id.as_str());
        let eab_key = match self.eab_key {
            _ if key_id.is_empty() => Secret::default(),
            Some(key) => key,
            None if same => before.eab_key.clone(),
            None => Secret::default(),
        };
        check.that(key_id.is_empty() || !eab_key.expose().is_empty(), "eabKey", "请填写外部账号的密钥").that(
            super::acme::eab_key_bytes(&eab_key).is_some(),
            "eabKey",
            "应为 base64url 编码的密钥",
        );
        check.finish()?;
        let acme = AcmeServer {
            directory: directory.to_owned(),
            email: email.to_owned(),
            ca_certificate: ca.to_owned(),
            eab_key_id: key_id.to_owned(),
            eab_key,
        };
        Ok(HttpsSettings { way: self.way, names, port, redirect: self.redirect, acme })
    }
}

fn parsed_names(texts: &[String], way: HttpsWay, check: &mut Check) -> Vec<String> {
    if way == HttpsWay::Off && texts.is_empty() {
        return Vec::new();
    }
    let (names, mut faults) = names::with_faults(texts);
    if way == HttpsWay::Acme {
        faults.extend(names.iter().filter_map(|name| names::refused_by_acme(name)));
    }
    for fault in &faults {
        check.that(false, "names", fault);
    }
    names
}

fn is_directory(text: &str) -> bool {
    text.len() <= LONGEST_LINE && url::Url::parse(text).is_ok_and(|url| url.scheme() == "https" && url.has_host())
}

/// How the tries to get a certificate went.
#[derive(Clone, Debug, Default, Record)]
#[record(table = "https_tries")]
pub(super) struct Tries {
    pub(super) asked: Option<Timestamp>,
    pub(super) started: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) failures: i64,
    pub(super) error: String,
    pub(super) next_try: Option<Timestamp>,
}

/// The certificate that there is, as far as a decision about it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Present {
    pub(super) names: Vec<String>,
    pub(super) source: String,
    pub(super) renew_after: Timestamp,
}

/// Whether to order a certificate now. `source`: its future issuer.
pub(super) fn is_due(
    settings: &HttpsSettings,
    source: &str,
    present: Option<&Present>,
    tries: &Tries,
    now: Timestamp,
) -> bool {
    if settings.way == HttpsWay::Off {
        return false;
    }
    if tries.asked.is_some() {
        return true;
    }
    let good = present.is_some_and(|present| {
        present.names == settings.names && present.source == source && now < present.renew_after
    });
    !good && tries.next_try.is_none_or(|at| at <= now)
}

/// The pause after this number of failures in a row.
pub(super) fn pause(failures: i64, rate_limited: bool) -> Duration {
    let index = usize::try_from(failures.max(1) - 1).unwrap_or(usize::MAX).min(PAUSES.len() - 1);
    let pause = PAUSES[index];
    if rate_limited { pause.max(RATE_LIMITED) } else { pause }
}

/// When a certificate is renewed: after two thirds of its lifetime.
pub(super) fn renew_after(not_before: Timestamp, not_after: Timestamp) -> Timestamp {
    let lifetime = (not_after.as_millis() - not_before.as_millis()).max(0);
    Timestamp::from_millis(not_before.as_millis().saturating_add(lifetime / 3 * 2))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn at(day: u32) -> Timestamp {
        Timestamp::from_millis(1_795_168_800_000).plus(DAY * day)
    }

    fn settings() -> HttpsSettings {
        HttpsSettings { way: HttpsWay::Acme, names: vec!["lab.cn".to_owned()], ..HttpsSettings::default() }
    }

    fn present(names: &[&str], source: &str) -> Present {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Present { names, source: source.to_owned(), renew_after: at(60) }
    }

    #[rstest]
    #[case::none_yet(None, Tries::default(), 0, true)]
    #[case::good(Some(present(&["lab.cn"], "a")), Tries::default(), 59, false)]
    #[case::old(Some(present(&["lab.cn"], "a")), Tries::default(), 60, true)]
    #[case::other_names(Some(present(&["old.cn"], "a")), Tries::default(), 0, true)]
    #[case::other_server(Some(present(&["lab.cn"], "b")), Tries::default(), 0, true)]
    #[case::failed_lately(None, Tries { next_try: Some(at(2)), ..Tries::default() }, 1, false)]
    #[case::pause_over(None, Tries { next_try: Some(at(2)), ..Tries::default() }, 2, true)]
    #[case::asked_in_a_pause(None, Tries { asked: Some(at(1)), next_try: Some(at(9)), ..Tries::default() }, 1, true)]
    #[case::asked_though_good(Some(present(&["lab.cn"], "a")), Tries { asked: Some(at(0)), ..Tries::default() }, 0, true)]
    fn when_one_is_ordered(#[case] found: Option<Present>, #[case] tries: Tries, #[case] day: u32, #[case] due: bool) {
        assert_eq!(is_due(&settings(), "a", found.as_ref(), &tries, at(day)), due);
        let off = HttpsSettings { way: HttpsWay::Off, ..settings() };
        assert!(!is_due(&off, "a", found.as_ref(), &tries, at(day)), "nothing is ordered while it is off");
    }

    #[test]
    fn pauses_grow_and_have_an_end() {
        let hour = 3600;
        let seconds = |failures, limited| pause(failures, limited).as_secs();
        assert_eq!((seconds(0, false), seconds(1, false), seconds(2, false)), (60, 60, 300));
        assert_eq!((seconds(6, false), seconds(i64::MAX, false)), (12 * hour, 12 * hour));
        assert_eq!((seconds(1, true), seconds(6, true)), (3 * hour, 12 * hour));
        // Fewer than five in the first hour.
        let in_first_hour = (1..)
            .scan(0, |sum, n| {
                *sum += seconds(n, false);
                Some(*sum)
            })
            .take_while(|sum| *sum < hour);
        assert!(in_first_hour.count() < 4);
    }

    #[test]
    fn renewed_after_two_thirds() {
        assert_eq!(renew_after(at(0), at(90)), at(60));
        assert_eq!(renew_after(at(9), at(0)), at(9), "a certificate without a lifetime");
    }

    fn form(change: impl FnOnce(&mut HttpsForm)) -> HttpsForm {
        let mut form = HttpsForm {
            way: HttpsWay::Acme,
            names: vec!["Lab.cn".to_owned(), "lab.cn".to_owned()],
            port: None,
            redirect: false,
            directory: LETS_ENCRYPT.to_owned(),
            email: String::new(),
            ca_certificate: String::new(),
            eab_key_id: String::new(),
            eab_key: None,
        };
        change(&mut form);
        form
    }

    #[test]
    fn a_form_is_checked_whole() {
        let fine = form(|_| {}).over(&HttpsSettings::default()).unwrap();
        assert_eq!(fine.names, ["lab.cn"], "one spelling, each once");
        let faults = |change: fn(&mut HttpsForm)| {
            let error = form(change).over(&HttpsSettings::default()).unwrap_err();
            error.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(faults(|form| form.names.clear()), ["names"]);
        assert_eq!(faults(|form| form.names = vec!["10.0.0.1".to_owned()]), ["names"]);
        assert_eq!(faults(|form| form.directory = "http://ca.lab".to_owned()), ["directory"]);
        assert_eq!(faults(|form| form.port = Some(70_000)), ["port"]);
        assert_eq!(faults(|form| form.eab_key_id = "key-1".to_owned()), ["eabKey"]);
        assert_eq!(faults(|form| form.ca_certificate = "none".to_owned()), ["caCertificate"]);
        assert!(
            form(|form| {
                form.way = HttpsWay::LabCa;
                form.names = vec!["10.0.0.1".to_owned()];
            })
            .over(&HttpsSettings::default())
            .is_ok()
        );
    }

    #[test]
    fn a_kept_key_goes_to_its_directory_only() {
        let acme = AcmeServer {
            directory: LETS_ENCRYPT.to_owned(),
            eab_key_id: "key-1".to_owned(),
            eab_key: Secret::new("c2VjcmV0"),
            ..AcmeServer::default()
        };
        let kept = HttpsSettings { acme, ..HttpsSettings::default() };
        let with_key = |directory: &'static str| {
            form(move |form| {
                form.eab_key_id = "key-1".to_owned();
                form.directory = directory.to_owned();
            })
        };
        assert_eq!(with_key(LETS_ENCRYPT).over(&kept).unwrap().acme.eab_key.expose(), "c2VjcmV0");
        assert!(with_key("https://other.example/directory").over(&kept).is_err());
    }
}
