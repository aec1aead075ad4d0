//! The network table of the portal, which isolates each user's network from the others' and from the machine. All rules
//! are defined here; callers only list bridges and ports.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use super::{Invalid, checked_text};

/// The prefix of the bridges of users' networks, reserved for them: the rules match it, so that a new bridge is
/// isolated from the start.
pub const BRIDGE_PREFIX: &str = "ylp-";

/// The longest lists that fit into a request.
const MAX_BRIDGES: usize = 2048;
const MAX_OTHERS: usize = 64;
const MAX_SPANS: usize = 512;

checked_text!(
    /// The name of a network interface, 1 to 15 characters for the kernel. Only letters, digits, `.`, `-` and `_`, so
    /// that it is never a wildcard and never ends a quoted word.
    InterfaceName,
    interface_name
);
checked_text!(
    /// The bridge of a person's network: [`BRIDGE_PREFIX`] and up to 11 small letters and digits.
    BridgeName,
    bridge_name
);

fn interface_name(text: &str) -> Result<(), Invalid> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let fine = (1..=15).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if fine { Ok(()) } else { Err(Invalid("not an interface's name")) }
}

fn bridge_name(text: &str) -> Result<(), Invalid> {
    let rest = text.strip_prefix(BRIDGE_PREFIX).unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let fine = (1..=11).contains(&rest.len()) && rest.chars().all(plain);
    if fine { Ok(()) } else { Err(Invalid("not a bridge of ours")) }
}

/// A range of ports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "(NonZeroU16, NonZeroU16)", into = "(NonZeroU16, NonZeroU16)")]
pub struct Span {
    from: NonZeroU16,
    to: NonZeroU16,
}

impl TryFrom<(NonZeroU16, NonZeroU16)> for Span {
    type Error = Invalid;

    fn try_from((from, to): (NonZeroU16, NonZeroU16)) -> Result<Self, Invalid> {
        if from <= to { Ok(Self { from, to }) } else { Err(Invalid("the ports end before they begin")) }
    }
}

impl From<Span> for (NonZeroU16, NonZeroU16) {
    fn from(span: Span) -> Self {
        (span.from, span.to)
    }
}

impl Span {
    /// These ports in as few spans as there can be.
    #[must_use]
    pub fn of(ports: impl IntoIterator<Item = NonZeroU16>) -> Vec<Self> {
        merged(ports.into_iter().map(|port| Self { from: port, to: port }).collect())
    }

    fn words(self) -> String {
        if self.from == self.to { self.from.to_string() } else { format!("{}-{}", self.from, self.to) }
    }
}

/// Sorts and merges adjacent ranges: nft rejects a set with overlapping intervals.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.from.get() <= last.to.get().saturating_add(1) => last.to = last.to.max(span.to),
            _ => merged.push(span),
        }
    }
    merged
}

/// Everything that the table depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Guard {
    bridges: Vec<BridgeName>,
    others: Vec<InterfaceName>,
    tcp: Vec<Span>,
    udp: Vec<Span>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    bridges: Vec<BridgeName>,
    others: Vec<InterfaceName>,
    tcp: Vec<Span>,
    udp: Vec<Span>,
}

impl TryFrom<Unchecked> for Guard {
    type Error = Invalid;

    fn try_from(raw: Unchecked) -> Result<Self, Invalid> {
        Self::new(raw.bridges, raw.others, raw.tcp, raw.udp)
    }
}

/// The table's name, in nft's words.
const TABLE: &str = "inet yunlab";
/// The prefix of an empty chain whose name identifies the table's rules.
const MARK: &str = "made_of_";

impl Guard {
    /// `bridges`: those of users' networks; `others`: the engine's own; `tcp` and `udp`: the ports of the machine that
    /// are open to users' networks, besides DNS.
    ///
    /// # Errors
    /// More entries than fit into a request, or a bridge of a user's network among the others.
    pub fn new(
        mut bridges: Vec<BridgeName>,
        mut others: Vec<InterfaceName>,
        tcp: Vec<Span>,
        udp: Vec<Span>,
    ) -> Result<Self, Invalid> {
        let (tcp, udp) = (merged(tcp), merged(udp));
        if bridges.len() > MAX_BRIDGES || others.len() > MAX_OTHERS || tcp.len().max(udp.len()) > MAX_SPANS {
            return Err(Invalid("more bridges or ports than fit into one table"));
        }
        if others.iter().any(|name| name.as_str().starts_with(BRIDGE_PREFIX)) {
            return Err(Invalid("a bridge of a person's network is no other's"));
        }
        bridges.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        bridges.dedup();
        others.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        others.dedup();
        Ok(Self { bridges, others, tcp, udp })
    }

    /// The bridges of people's networks.
    #[must_use]
    pub fn bridges(&self) -> &[BridgeName] {
        &self.bridges
    }

    /// The script that replaces the table; the kernel applies it atomically.
    #[must_use]
    pub fn script(&self) -> String {
        let chains = self.chains();
        format!("{}table {TABLE} {{\n  chain {MARK}{:016x} {{ }}\n{chains}}}\n", Self::clearing_script(), mark(&chains))
    }

    /// The script that removes the table, if it exists.
    #[must_use]
    pub fn clearing_script() -> String {
        // Deleting a missing table fails, and adding an existing one changes nothing.
        format!("add table {TABLE}\ndelete table {TABLE}\n")
    }

    /// The [`GuardState`] of a table made from this.
    #[must_use]
    pub fn state(&self) -> GuardState {
        let chains = self.chains();
        GuardState { present: true, mark: Some(mark(&chains)), rules: rules(&chains) }
    }

    fn chains(&self) -> String {
        let chain = |hook: &str, rules: &[String]| {
            let rules: String = rules.iter().map(|rule| format!("    {rule}\n")).collect();
            // Before Docker's and firewalld's chains, which packets accepted here still have to pass.
            format!("  chain {hook} {{\n    type filter hook {hook} priority -10; policy accept;\n{rules}  }}\n")
        };
        [chain("forward", &self.forward()), chain("input", &self.input())].concat()
    }

    /// Forwarded packets.
    fn forward(&self) -> Vec<String> {
        let ours = format!("\"{BRIDGE_PREFIX}*\"");
        let mut rules = Vec::new();
        if !self.bridges.is_empty() {
            // Between two instances of one user, where the kernel passes bridged packets to its firewall.
            let same: Vec<String> = self.bridges.iter().map(|name| format!("\"{name}\" . \"{name}\"")).collect();
            rules.push(format!("iifname . oifname {{ {} }} accept", same.join(", ")));
        }
        rules.push(format!("iifname {ours} ip daddr 169.254.0.0/16 drop"));
        rules.push(format!("iifname {ours} ip6 daddr fe80::/10 drop"));
        let between = |from: &str, to: &str| {
            // Published ports, where the engine has no proxy for them.
            let published = format!("iifname {from} oifname {to} ct status dnat accept");
            [published, format!("iifname {from} oifname {to} drop")]
        };
        rules.extend(between(&ours, &ours));
        for other in &self.others {
            let other = format!("\"{other}\"");
            rules.extend(between(&ours, &other));
            rules.extend(between(&other, &ours));
        }
        rules
    }

    /// Packets to the machine itself.
    fn input(&self) -> Vec<String> {
        let ours = format!("\"{BRIDGE_PREFIX}*\"");
        let mut rules = vec![
            format!("iifname != {ours} accept"),
            // The machine's own connections into instances.
            "ct state established,related accept".to_owned(),
            // Required to resolve the machine's IPv6 address, also for DNS and published ports.
            "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept".to_owned(),
            "ip daddr 169.254.0.0/16 drop".to_owned(),
            "ip6 daddr fe80::/10 drop".to_owned(),
            "udp dport 53 accept".to_owned(),
            "tcp dport 53 accept".to_owned(),
        ];
        for (protocol, spans) in [("tcp", &self.tcp), ("udp", &self.udp)] {
            if !spans.is_empty() {
                let ports: Vec<String> = spans.iter().map(|span| span.words()).collect();
                rules.push(format!("{protocol} dport {{ {} }} accept", ports.join(", ")));
            }
        }
        rules.push("drop".to_owned());
        rules
    }
}

/// The comparable part of a table: versions of nft print rules a little differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardState {
    /// Whether the table exists.
    pub present: bool,
    /// The mark of its rules.
    pub mark: Option<u64>,
    /// How many rules are in it now.
    pub rules: u64,
}

impl GuardState {
    /// Parses nft's listing, which is empty without a table.
    #[must_use]
    pub fn read(listing: &str) -> Self {
        let mark = listing.lines().find_map(|line| {
            let name = line.trim().strip_prefix("chain ")?.strip_prefix(MARK)?;
            u64::from_str_radix(name.split_whitespace().next()?, 16).ok()
        });
        Self { present: !listing.trim().is_empty(), mark, rules: rules(listing) }
    }
}

/// Lines that are rules: each ends with its verdict; other lines are not ours.
fn rules(text: &str) -> u64 {
    let frame = |line: &str| {
        matches!(line, "" | "}")
            || ["table ", "chain ", "type filter hook "].iter().any(|start| line.starts_with(start))
    };
    text.lines().map(str::trim).filter(|line| !frame(line)).count() as u64
}

/// FNV-1a. It only distinguishes tables and need not be collision-resistant.
fn mark(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn guard(json: &str) -> Result<Guard, serde_json::Error> {
        serde_json::from_str(json)
    }

    const WHOLE: &str = r#"{"bridges":["ylp-b2","ylp-a1","ylp-a1"],"others":["docker0"],
        "tcp":[[8080,8080],[30001,30001],[30000,30000]],"udp":[[30005,30010]]}"#;

    #[test]
    fn a_table_is_written_in_nfts_words() {
        let script = guard(WHOLE).unwrap().script();
        let mark = format!("chain made_of_{:016x} {{ }}", guard(WHOLE).unwrap().state().mark.unwrap());
        let wanted = r#"add table inet yunlab
delete table inet yunlab
table inet yunlab {
  MARK
  chain forward {
    type filter hook forward priority -10; policy accept;
    iifname . oifname { "ylp-a1" . "ylp-a1", "ylp-b2" . "ylp-b2" } accept
    iifname "ylp-*" ip daddr 169.254.0.0/16 drop
    iifname "ylp-*" ip6 daddr fe80::/10 drop
    iifname "ylp-*" oifname "ylp-*" ct status dnat accept
    iifname "ylp-*" oifname "ylp-*" drop
    iifname "ylp-*" oifname "docker0" ct status dnat accept
    iifname "ylp-*" oifname "docker0" drop
    iifname "docker0" oifname "ylp-*" ct status dnat accept
    iifname "docker0" oifname "ylp-*" drop
  }
  chain input {
    type filter hook input priority -10; policy accept;
    iifname != "ylp-*" accept
    ct state established,related accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    ip daddr 169.254.0.0/16 drop
    ip6 daddr fe80::/10 drop
    udp dport 53 accept
    tcp dport 53 accept
    tcp dport { 8080, 30000-30001 } accept
    udp dport { 30005-30010 } accept
    drop
  }
}
"#;
        assert_eq!(script, wanted.replace("MARK", &mark));
    }

    #[test]
    fn nothing_but_closed_values_is_read() {
        for bad in [
            r#"{"bridges":["docker0"],"others":[],"tcp":[],"udp":[]}"#,
            r#"{"bridges":["ylp-"],"others":[],"tcp":[],"udp":[]}"#,
            r#"{"bridges":["ylp-*"],"others":[],"tcp":[],"udp":[]}"#,
            r#"{"bridges":["ylp-abcdefghijkl"],"others":[],"tcp":[],"udp":[]}"#,
            r#"{"bridges":[],"others":["ylp-a"],"tcp":[],"udp":[]}"#,
            r#"{"bridges":[],"others":["a\" accept"],"tcp":[],"udp":[]}"#,
            r#"{"bridges":[],"others":[],"tcp":[[2,1]],"udp":[]}"#,
            r#"{"bridges":[],"others":[],"tcp":[[0,1]],"udp":[]}"#,
            r#"{"bridges":[],"others":[],"tcp":[["ssh","ssh"]],"udp":[]}"#,
            r#"{"bridges":[],"others":[],"tcp":[],"udp":[],"rule":"accept"}"#,
            r#"{"bridges":[],"others":[],"tcp":[]}"#,
        ] {
            assert!(guard(bad).is_err(), "{bad}");
        }
        let many = |count: usize| (0..count).map(|number| format!("ylp-{number}").parse().unwrap()).collect::<Vec<_>>();
        assert!(Guard::new(many(2048), vec![], vec![], vec![]).is_ok());
        assert!(Guard::new(many(2049), vec![], vec![], vec![]).is_err());
    }

    #[test]
    fn the_largest_table_fits_into_a_request() {
        let bridges = (0..2048).map(|number| format!("ylp-{number:011}").parse().unwrap()).collect();
        let others = (0..64).map(|number| format!("br-{number:012}").parse().unwrap()).collect();
        let spans = Span::of((10_000..11_024).step_by(2).map(|port| NonZeroU16::new(port).unwrap()));
        assert_eq!(spans.len(), 512);
        let guard = Guard::new(bridges, others, spans.clone(), spans).unwrap();
        let request = serde_json::to_string(&crate::Request::SetNetworkGuard { guard }).unwrap();
        assert!(request.len() < crate::MAX_REQUEST_BYTES, "{}", request.len());
    }

    #[test]
    fn a_table_that_somebody_changed_is_another() {
        let wanted = guard(WHOLE).unwrap();
        // As nft lists it.
        let listing = wanted.script().replace(&Guard::clearing_script(), "").replace("{ }", "{\n\t}");
        assert_eq!(GuardState::read(&listing), wanted.state());
        let removed = listing.replacen("    drop\n", "", 1);
        assert_ne!(GuardState::read(&removed), wanted.state());
        let added = listing.replacen("    drop\n", "    tcp dport 22 accept\n    drop\n", 1);
        assert_ne!(GuardState::read(&added), wanted.state());
        assert_ne!(guard(&WHOLE.replace("8080", "8081")).unwrap().state(), wanted.state());
        assert_eq!(GuardState::read(""), GuardState::default());
    }

    proptest! {
        #[test]
        fn an_interface_is_a_plain_word(text in "\\PC{0,17}") {
            let odd = |c: char| c.is_whitespace() || "\"'*;{}$\\/".contains(c);
            if let Ok(name) = text.parse::<InterfaceName>() {
                prop_assert!(!name.as_str().contains(odd) && name.as_str().len() <= 15);
            }
            if let Ok(name) = format!("ylp-{text}").parse::<BridgeName>() {
                prop_assert!(!name.as_str().contains(odd) && name.as_str().len() <= 15);
            }
        }

        /// Spans hold the ports that they were made of and no other, in order and apart.
        #[test]
        fn spans_are_the_ports(ports in prop::collection::btree_set(1_u16..200, 0..100)) {
            let spans = Span::of(ports.iter().filter_map(|port| NonZeroU16::new(*port)));
            let held: Vec<u16> = spans.iter().flat_map(|span| span.from.get()..=span.to.get()).collect();
            prop_assert_eq!(held, ports.into_iter().collect::<Vec<_>>());
            prop_assert!(spans.windows(2).all(|pair| pair[0].to.get() + 1 < pair[1].from.get()));
        }
    }
}
