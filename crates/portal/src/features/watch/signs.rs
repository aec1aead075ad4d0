//! Signs of mining; pure.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use engine::{ContainerPrograms, Program};
use kernel::rules;

use super::model::FindingKind;
use crate::features::gpus::CardUse;
use crate::features::settings::WatchSettings;

/// Miners by the names of their files.
const NAMES: &[&str] = &[
    "bfgminer",
    "bminer",
    "bzminer",
    "ccminer",
    "cgminer",
    "cpuminer",
    "ethdcrminer64",
    "ethminer",
    "gminer",
    "kawpowminer",
    "lolminer",
    "minerd",
    "miniz",
    "nanominer",
    "nbminer",
    "nheqminer",
    "onezerominer",
    "phoenixminer",
    "progpowminer",
    "srbminer",
    "t-rex",
    "teamredminer",
    "wildrig",
    "xmr-stak",
    "xmrig",
    "xmrminer",
];

/// Parts of command lines: how miners speak to pools, an option of theirs, and large pools.
const STRINGS: &[&str] = &[
    "stratum+tcp://",
    "stratum+ssl://",
    "stratum+tls://",
    "stratum1+tcp://",
    "stratum2+tcp://",
    "--donate-level",
    "2miners.com",
    "antpool.com",
    "ethermine.org",
    "f2pool.com",
    "hashvault.pro",
    "herominers.com",
    "minexmr.com",
    "moneroocean.stream",
    "nanopool.org",
    "nicehash.com",
    "supportxmr.com",
    "unmineable.com",
    "viabtc.com",
    "woolypooly.com",
];

/// Where pools listen.
const PORTS: &[u16] = &[3333, 4444, 5555, 7777, 9999, 14433, 14444];

/// The minutes that a pattern of a card must last.
pub(super) const PATTERN_MINUTES: i64 = 6 * 60;
/// Of these minutes, in percent, this many were measured.
const EVIDENCE: i64 = 80;
/// Percent of utilization on average, and its standard deviation.
const BUSY: f64 = 95.0;
const STEADY: f64 = 2.0;
/// Bytes of a card's memory that miners take.
const SMALL: std::ops::RangeInclusive<i64> = 2 << 30..=8 << 30;
/// How the process names of ordinary computing begin.
const COMPUTING: &[&str] = &["python", "ipython", "pt_", "ray::", "vllm", "jupyter", "torchrun"];

/// As much of a program's line as is kept.
const LONGEST_DETAIL: usize = 500;
/// Addresses that are named as evidence.
const SHOWN_ADDRESSES: usize = 5;

/// A sign of mining in an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    pub(super) kind: FindingKind,
    /// The matched rule: identifies, with the kind, a finding in an instance.
    pub(super) rule: String,
    /// The evidence, one line.
    pub(super) detail: String,
}

/// The signs to look for: built-in ones and those of the settings.
#[derive(Clone, Debug)]
pub(super) struct Signs {
    names: Vec<String>,
    strings: Vec<String>,
    ports: BTreeSet<u16>,
}

impl Signs {
    pub(super) fn new(settings: &WatchSettings) -> Self {
        let all = |known: &[&str], more: &[String]| {
            let more = more.iter().map(|entry| entry.trim().to_lowercase());
            known.iter().map(|&entry| entry.to_owned()).chain(more).collect()
        };
        Self {
            names: all(NAMES, &settings.names),
            strings: all(STRINGS, &settings.strings),
            ports: PORTS.iter().chain(&settings.ports).copied().collect(),
        }
    }

    /// The signs in a container, each rule once.
    pub(super) fn found_in(&self, container: &ContainerPrograms) -> Vec<Evidence> {
        let mut found: Vec<Evidence> = Vec::new();
        let mut add = |kind: FindingKind, rule: &str, detail: String| {
            if !found.iter().any(|one| (one.kind, one.rule.as_str()) == (kind, rule)) {
                found.push(Evidence { kind, rule: rule.to_owned(), detail: rules::as_line(&detail, LONGEST_DETAIL) });
            }
        };
        for program in &container.programs {
            if let Some(name) = self.names.iter().find(|name| is_called(program, name)) {
                add(FindingKind::Name, name, line(program));
            }
            let command = program.arguments.join(" ").to_lowercase();
            if let Some(part) = self.strings.iter().find(|part| command.contains(part.as_str())) {
                add(FindingKind::Command, part, line(program));
            }
        }
        for port in &self.ports {
            let to: Vec<&SocketAddr> =
                container.connected.iter().filter(|end| end.port() == *port && is_public(end.ip())).collect();
            if !to.is_empty() {
                let shown: Vec<String> = to.iter().take(SHOWN_ADDRESSES).map(ToString::to_string).collect();
                add(FindingKind::Port, &port.to_string(), format!("{} 个连接：{}", to.len(), shown.join("、")));
            }
        }
        found
    }
}

fn line(program: &Program) -> String {
    format!("PID {} {}：{}", program.pid, program.file, program.arguments.join(" "))
}

/// Whether a program has this name: its file, process name or first argument is the name, alone or followed by
/// something that is not a letter, such as a version.
fn is_called(program: &Program, name: &str) -> bool {
    let file = program.file.strip_suffix(" (deleted)").unwrap_or(&program.file);
    let started = program.arguments.first().and_then(|first| first.split_whitespace().next()).unwrap_or_default();
    [file, &program.name, started].into_iter().any(|path| {
        let last = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        last.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    })
}

/// Whether it is an address of the Internet: within a lab, these ports may be used for anything.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            let carrier = first == 100 && second & 0xc0 == 64;
            !(ip.is_private() || ip.is_loopback() || ip.is_link_local() || ip.is_unspecified() || carrier)
        }
        IpAddr::V6(ip) => {
            !(ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local())
        }
    }
}

/// Whether a card was used as miners do for hours: almost full and steady utilization, with little and constant memory,
/// by one program that is not ordinary computing. `programs`: those on the card now.
pub(super) fn pattern(card: &CardUse, programs: &[&str]) -> Option<Evidence> {
    let [program] = programs else { return None };
    let computes = COMPUTING.iter().any(|start| program.to_lowercase().starts_with(start));
    if computes || card.minutes * 100 < PATTERN_MINUTES * EVIDENCE {
        return None;
    }
    let minutes = card.minutes as f64;
    let mean = card.sum as f64 / minutes;
    let deviation = (card.squares as f64 / minutes - mean * mean).max(0.0).sqrt();
    let flat = (card.memory_most - card.memory_least) * 20 <= card.memory_most;
    if mean < BUSY || deviation >= STEADY || !flat || !SMALL.contains(&card.memory_most) {
        return None;
    }
    let memory = card.memory_most as f64 / f64::from(1 << 30);
    let hours = PATTERN_MINUTES / 60;
    let detail = format!(
        "{hours} 小时里利用率平均 {mean:.1}%，标准差 {deviation:.1}%，显存一直是 {memory:.1} GB，卡上只有程序 {program}"
    );
    let rule = "steady".to_owned();
    Some(Evidence { kind: FindingKind::Pattern, rule, detail: rules::as_line(&detail, LONGEST_DETAIL) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn program(file: &str, name: &str, arguments: &[&str]) -> ContainerPrograms {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let program = Program { pid: 7, name: name.to_owned(), file: file.to_owned(), arguments };
        ContainerPrograms { programs: vec![program], connected: Vec::new() }
    }

    fn connected(ends: &[&str]) -> ContainerPrograms {
        let connected = ends.iter().map(|end| end.parse().unwrap()).collect();
        ContainerPrograms { programs: Vec::new(), connected }
    }

    /// Kinds and rules of the evidence, with the settings of a new lab.
    fn found(container: &ContainerPrograms) -> Vec<(FindingKind, String)> {
        let signs = Signs::new(&WatchSettings::default());
        signs.found_in(container).into_iter().map(|one| (one.kind, one.rule)).collect()
    }

    #[test]
    fn miners_by_their_names_whatever_they_call_themselves() {
        for (file, name, arguments, rule) in [
            ("/tmp/xmrig", "xmrig", &["./xmrig"][..], "xmrig"),
            ("/dev/shm/XMRig-6.21 (deleted)", "python", &["python", "train.py"], "xmrig"),
            ("/usr/bin/python3", "t-rex", &["python3"], "t-rex"),
            ("", "", &["/opt/SRBMiner-MULTI --algo x"], "srbminer"),
            ("/opt/lolMiner", "lolMiner", &["lolMiner"], "lolminer"),
        ] {
            assert_eq!(found(&program(file, name, arguments)), [(FindingKind::Name, rule.to_owned())], "{file}");
        }
        for (file, name, arguments) in [
            ("/usr/bin/python3.11", "python3", &["python3", "xmrig-report.py"][..]),
            ("/usr/bin/vim", "vim", &["vim", "t-rex.txt"]),
            ("/opt/xmrigger", "xmrigger", &["/opt/xmrigger"]),
            ("/opt/t-rexes", "t-rexes", &["t-rexes"]),
            ("/usr/bin/minerva", "minerva", &["minerva"]),
            ("", "", &[]),
        ] {
            assert!(found(&program(file, name, arguments)).is_empty(), "{file}");
        }
    }

    #[test]
    fn miners_by_what_they_are_told() {
        for (argument, rule) in [
            ("STRATUM+TCP://pool:3333", "stratum+tcp://"),
            ("--donate-level=1", "--donate-level"),
            ("xmr-eu1.nanopool.org:14444", "nanopool.org"),
        ] {
            let container = program("/opt/a", "a", &["./a", "-o", argument]);
            assert_eq!(found(&container), [(FindingKind::Command, rule.to_owned())]);
        }
        assert!(found(&program("/usr/bin/python3", "python3", &["python3", "train.py", "--level", "3"])).is_empty());
    }

    #[test]
    fn pools_by_their_ports_but_not_within_the_lab() {
        let public = connected(&["203.0.113.9:3333", "203.0.113.8:3333", "[2001:db8::1]:14444", "8.8.8.8:443"]);
        assert_eq!(found(&public), [(FindingKind::Port, "3333".to_owned()), (FindingKind::Port, "14444".to_owned())]);
        let lab = connected(&[
            "127.0.0.1:5555",
            "10.1.2.3:5555",
            "192.168.1.2:4444",
            "172.17.0.3:9999",
            "100.64.0.1:3333",
            "169.254.0.1:3333",
            "[::1]:3333",
            "[fd00::1]:3333",
            "[fe80::1]:3333",
        ]);
        assert!(found(&lab).is_empty());
    }

    #[test]
    fn what_the_settings_add_is_found_too() {
        let settings = WatchSettings {
            names: vec![" Digger ".to_owned()],
            strings: vec!["--wallet=".to_owned()],
            ports: [8118].into(),
            ..WatchSettings::default()
        };
        let mut container = program("/opt/digger2", "x", &["digger2", "--Wallet=a"]);
        container.connected = connected(&["203.0.113.9:8118"]).connected;
        let found = Signs::new(&settings).found_in(&container);
        let rules: Vec<&str> = found.iter().map(|one| one.rule.as_str()).collect();
        assert_eq!(rules, ["digger", "--wallet=", "8118"]);
        assert_eq!(found[0].detail, "PID 7 /opt/digger2：digger2 --Wallet=a");
    }

    /// Utilization in percent over these minutes, and memory in GiB.
    fn card(percents: &[i64], minutes: i64, least: i64, most: i64) -> CardUse {
        let each = minutes / i64::try_from(percents.len()).unwrap();
        CardUse {
            minutes,
            sum: percents.iter().sum::<i64>() * each,
            squares: percents.iter().map(|percent| percent * percent).sum::<i64>() * each,
            memory_least: least << 30,
            memory_most: most << 30,
        }
    }

    #[test]
    fn a_card_that_does_the_same_for_hours_for_one_program() {
        let steady = card(&[99, 100], 360, 5, 5);
        let found = pattern(&steady, &["nbminer\u{1b}"]).unwrap();
        assert_eq!((found.kind, found.kind.is_sure()), (FindingKind::Pattern, false));
        assert_eq!(
            found.detail,
            "6 小时里利用率平均 99.5%，标准差 0.5%，显存一直是 5.0 GB，卡上只有程序 nbminer\u{fffd}"
        );
        for (card, programs) in [
            (steady, &["python3"][..]),
            (steady, &["pt_main_thread"]),
            (steady, &["a", "b"]),
            (steady, &[]),
            (card(&[99, 100], 200, 5, 5), &["a"]),
            (card(&[90, 100], 360, 5, 5), &["a"]),
            (card(&[80, 80], 360, 5, 5), &["a"]),
            (card(&[100, 100], 360, 4, 5), &["a"]),
            (card(&[100, 100], 360, 40, 40), &["a"]),
            (CardUse::default(), &["a"]),
        ] {
            assert_eq!(pattern(&card, programs), None, "{card:?} {programs:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_programs_say_is_kept_as_a_line(file in any::<String>(), said in any::<Vec<String>>()) {
            let arguments: Vec<&str> = ["xmrig"].into_iter().chain(said.iter().map(String::as_str)).collect();
            let found = Signs::new(&WatchSettings::default()).found_in(&program(&file, "", &arguments));
            prop_assert!(!found.is_empty());
            for one in found {
                prop_assert!(rules::is_line(&one.detail, LONGEST_DETAIL), "{:?}", one.detail);
            }
        }
    }
}
