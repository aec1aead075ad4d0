//! The names in a certificate: DNS names and IP addresses, normalized; without I/O.

use std::net::IpAddr;

/// More names than a lab has.
const MOST_NAMES: usize = 20;
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// Parses a name as people write it: an IP address, or a DNS name, which may be in Chinese (IDNA).
///
/// # Errors
/// A message in Chinese.
pub(super) fn parse(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('.');
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(address.to_canonical().to_string());
    }
    if text.contains('*') {
        return Err(format!("{text}：不支持通配符，请逐个填写域名"));
    }
    let wrong = || format!("{text}：应为域名或 IP 地址，不含 http:// 和端口");
    let Ok(url::Host::Domain(name)) = url::Host::parse(text) else { return Err(wrong()) };
    if is_dns_name(&name) { Ok(name) } else { Err(wrong()) }
}

/// Parses the names of a list, each once.
///
/// # Errors
/// A message in Chinese about the first invalid name, or about the list as a whole.
pub(super) fn all(texts: &[String]) -> Result<Vec<String>, String> {
    let (names, faults) = with_faults(texts);
    faults.into_iter().next().map_or(Ok(names), Err)
}

/// Parses and deduplicates a list of names. Returns also the faults, in Chinese.
pub(super) fn with_faults(texts: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut names, mut faults) = (Vec::new(), Vec::new());
    if texts.is_empty() {
        faults.push("请至少填写一个域名".to_owned());
    }
    if texts.len() > MOST_NAMES {
        faults.push(format!("最多 {MOST_NAMES} 个"));
    }
    for text in texts {
        match parse(text) {
            Ok(name) if names.contains(&name) => {}
            Ok(name) => names.push(name),
            Err(fault) => faults.push(fault),
        }
    }
    (names, faults)
}

fn is_dns_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LONGEST_LABEL).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= LONGEST_NAME && name.split('.').all(is_label)
}

/// Why a public ACME server with an http-01 challenge certifies no such name; `None` if it may.
pub(super) fn refused_by_acme(name: &str) -> Option<String> {
    if name.parse::<IpAddr>().is_ok() {
        return Some(format!("{name}：ACME 只能用于域名，IP 地址请用实验室自己的 CA"));
    }
    if !name.contains('.') {
        return Some(format!("{name}：ACME 只能用于完整的域名，例如 lab.example.edu.cn；内网请用实验室自己的 CA"));
    }
    None
}

/// Suffixes under which anyone can register domains: a CA for one could sign for all of them. Names of a single label,
/// which include all top-level domains, are checked without a list.
const PUBLIC_SUFFIXES: [&str; 7] = ["ac.cn", "com.cn", "edu.cn", "gov.cn", "mil.cn", "net.cn", "org.cn"];
/// Every top-level domain of a country has two.
const COUNTRY_LETTERS: usize = 2;

/// Checks that a CA of the lab may be made for these names, on the machine with this host name: it may sign for all
/// names below them, too.
///
/// # Errors
/// A message in Chinese about the first that is refused.
pub(super) fn check_for_ca(names: &[String], host: &str) -> Result<(), String> {
    names.iter().find_map(|name| refused_by_ca(name, host)).map_or(Ok(()), Err)
}

fn refused_by_ca(name: &str, host: &str) -> Option<String> {
    if name.parse::<IpAddr>().is_ok() || name == "localhost" {
        return None;
    }
    if PUBLIC_SUFFIXES.contains(&name) {
        return Some(format!(
            "{name}：这是公共的域名后缀，CA 就能给它下面的所有网站签发证书。请填写完整的域名，例如 lab.example.edu.cn"
        ));
    }
    let own = host.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_own = name == own && name.len() > COUNTRY_LETTERS;
    (!name.contains('.') && !is_own).then(|| {
        format!(
            "{name}：没有点的名字可能是 cn、com 这样的顶级域名，CA 就能给它下面的所有网站签发证书。请填写完整的域名、\
             IP 地址，或这台机器的主机名 {own}"
        )
    })
}

/// The name as written in a URL.
pub(super) fn in_address(name: &str) -> String {
    if name.contains(':') { format!("[{name}]") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Lab.Example.edu.cn", Some("lab.example.edu.cn"))]
    #[case(" lab ", Some("lab"))]
    #[case("lab.example.", Some("lab.example"))]
    #[case("实验室.cn", Some("xn--qbtm5249b.cn"))]
    #[case("10.0.0.5", Some("10.0.0.5"))]
    #[case("[fd00::1]", Some("fd00::1"))]
    #[case("::ffff:10.0.0.5", Some("10.0.0.5"))]
    #[case("*.lab.cn", None)]
    #[case("http://lab.cn", None)]
    #[case("lab.cn:8443", None)]
    #[case("lab cn", None)]
    #[case("-lab.cn", None)]
    #[case("a..b", None)]
    #[case("under_score.cn", None)]
    #[case("", None)]
    fn names_in_one_spelling(#[case] text: &str, #[case] name: Option<&str>) {
        assert_eq!(parse(text).ok().as_deref(), name, "{text:?}");
    }

    #[rstest]
    #[case("lab.example.edu.cn", true)]
    #[case("example.cn", true)]
    #[case("10.0.0.5", true)]
    #[case("fd00::1", true)]
    #[case("localhost", true)]
    #[case("gpu01", true)]
    #[case("gpu02", false)]
    #[case("cn", false)]
    #[case("com", false)]
    #[case("edu.cn", false)]
    #[case("com.cn", false)]
    fn no_ca_is_made_for_names_of_everybody(#[case] name: &str, #[case] fine: bool) {
        let checked = check_for_ca(&["lab.example.cn".to_owned(), name.to_owned()], "GPU01.example.cn");
        assert_eq!(checked.is_ok(), fine, "{checked:?}");
        assert!(check_for_ca(&["us".to_owned()], "us").is_err());
    }

    #[test]
    fn a_list_has_each_name_once_and_all_of_its_faults() {
        let texts = ["LAB.cn", "lab.cn.", "*.lab.cn", "a b"].map(str::to_owned);
        let (names, faults) = with_faults(&texts);
        assert_eq!((names, faults.len()), (vec!["lab.cn".to_owned()], 2));
        assert_eq!(all(&texts), Err(faults[0].clone()));
        let many: Vec<String> = (0..=MOST_NAMES).map(|number| format!("gpu{number}.cn")).collect();
        assert!(all(&[]).is_err() && all(&many).is_err() && all(&many[1..]).is_ok());
    }

    #[test]
    fn what_acme_certifies() {
        assert_eq!(refused_by_acme("lab.example.cn"), None);
        assert!(refused_by_acme("lab").is_some_and(|why| why.contains("完整的域名")));
        assert!(refused_by_acme("fd00::1").is_some_and(|why| why.contains("IP 地址")));
        assert_eq!(in_address("fd00::1"), "[fd00::1]");
        assert_eq!(in_address("lab"), "lab");
    }
}
