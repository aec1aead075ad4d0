//! Rules of the one network table that is ours.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::{Invalid, checked_text};

/// The longest table.
const MAX_RULES: usize = 512;

checked_text!(
    /// A network interface's name, as the kernel takes them: 1 to 15 characters. Of those only letters, digits, `.`,
    /// `-` and `_`, so that one never is a wildcard or ends a quoted word.
    InterfaceName,
    interface_name
);

fn interface_name(text: &str) -> Result<(), Invalid> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let fine = (1..=15).contains(&text.len())
        && text.chars().all(plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if fine { Ok(()) } else { Err(Invalid("not an interface's name")) }
}

/// Which packets a rule is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hook {
    /// Those that pass through the machine: of its containers, from and to anywhere.
    Forward,
    /// Those for the machine itself.
    Input,
}

/// One end of a packet's way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Peer {
    /// Its address is in this network.
    Network(IpNet),
    /// It comes in, or goes out, there.
    Interface(InterfaceName),
}

/// What becomes of a packet. An accepted one still has to pass the tables of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Accept,
    Drop,
}

/// One rule; the first that fits decides. A missing end is any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub hook: Hook,
    pub from: Option<Peer>,
    pub to: Option<Peer>,
    pub action: Action,
}

/// A whole table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Rule>", into = "Vec<Rule>")]
pub struct Rules(Vec<Rule>);

impl TryFrom<Vec<Rule>> for Rules {
    type Error = Invalid;

    fn try_from(rules: Vec<Rule>) -> Result<Self, Invalid> {
        if rules.len() > MAX_RULES {
            return Err(Invalid("more than 512 rules"));
        }
        if rules.iter().any(mixes_families) {
            return Err(Invalid("a rule from IPv4 to IPv6 fits nothing"));
        }
        if rules.iter().any(|rule| rule.hook == Hook::Input && matches!(rule.to, Some(Peer::Interface(_)))) {
            return Err(Invalid("a packet for the machine itself goes out nowhere"));
        }
        Ok(Self(rules.into_iter().map(Rule::normal).collect()))
    }
}

impl From<Rules> for Vec<Rule> {
    fn from(rules: Rules) -> Self {
        rules.0
    }
}

fn mixes_families(rule: &Rule) -> bool {
    match (&rule.from, &rule.to) {
        (Some(Peer::Network(from)), Some(Peer::Network(to))) => from.addr().is_ipv4() != to.addr().is_ipv4(),
        _ => false,
    }
}

impl Rule {
    /// Networks begin with their first address, as the kernel shows them.
    fn normal(mut self) -> Self {
        for peer in [&mut self.from, &mut self.to].into_iter().flatten() {
            if let Peer::Network(network) = peer {
                *network = network.trunc();
            }
        }
        self
    }

    /// The rule in nft's words. Everything in them is of a closed type.
    fn words(&self) -> String {
        let from = self.from.as_ref().map(|peer| end(peer, "saddr", "iifname")).unwrap_or_default();
        let to = self.to.as_ref().map(|peer| end(peer, "daddr", "oifname")).unwrap_or_default();
        format!("{from}{to}{}", if self.action == Action::Accept { "accept" } else { "drop" })
    }
}

fn end(peer: &Peer, address: &str, interface: &str) -> String {
    match peer {
        Peer::Network(network) => {
            let family = if network.addr().is_ipv4() { "ip" } else { "ip6" };
            format!("{family} {address} {network} ")
        }
        Peer::Interface(name) => format!("{interface} \"{name}\" "),
    }
}

/// The table's name, in nft's words.
const TABLE: &str = "inet yunlab";

impl Rules {
    /// The rules in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        &self.0
    }

    /// The script that puts this table in the place of the present one, which the kernel takes whole or not at all.
    #[must_use]
    pub fn script(&self) -> String {
        let chain = |hook: Hook, name: &str| {
            let rules: String =
                self.0.iter().filter(|rule| rule.hook == hook).map(|rule| format!("    {}\n", rule.words())).collect();
            format!("  chain {name} {{\n    type filter hook {name} priority -10; policy accept;\n{rules}  }}\n")
        };
        let chains = [chain(Hook::Forward, "forward"), chain(Hook::Input, "input")].concat();
        format!("{}table {TABLE} {{\n{chains}}}\n", Self::clearing_script())
    }

    /// The script that removes the table, whether it is there or not.
    #[must_use]
    pub fn clearing_script() -> String {
        // A table can't be deleted that is not there, and adding one that is there changes nothing.
        format!("add table {TABLE}\ndelete table {TABLE}\n")
    }

    /// Reads the table as nft lists it, with the number of lines that are no rules of ours.
    #[must_use]
    pub fn read(listing: &str) -> (Self, usize) {
        let (mut rules, mut strange, mut hook) = (Vec::new(), 0, None);
        for line in listing.lines().map(str::trim) {
            match line {
                "chain forward {" => hook = Some(Hook::Forward),
                "chain input {" => hook = Some(Hook::Input),
                "" | "}" => {}
                line if line.starts_with("table ") || line.starts_with("type filter hook ") => {}
                line => match hook.and_then(|hook| read_rule(hook, line)) {
                    Some(rule) => rules.push(rule),
                    None => strange += 1,
                },
            }
        }
        (Self(rules), strange)
    }
}

fn read_rule(hook: Hook, line: &str) -> Option<Rule> {
    let mut rule = Rule { hook, from: None, to: None, action: Action::Accept };
    let mut words = line.split_whitespace();
    loop {
        match words.next()? {
            "accept" => break,
            "drop" => {
                rule.action = Action::Drop;
                break;
            }
            "ip" | "ip6" => match words.next()? {
                "saddr" => rule.from = Some(Peer::Network(network(words.next()?)?)),
                "daddr" => rule.to = Some(Peer::Network(network(words.next()?)?)),
                _ => return None,
            },
            "iifname" => rule.from = Some(interface(words.next()?)?),
            "oifname" => rule.to = Some(interface(words.next()?)?),
            _ => return None,
        }
    }
    words.next().is_none().then_some(rule)
}

/// A network of one address is listed without its length.
fn network(word: &str) -> Option<IpNet> {
    word.parse().ok().or_else(|| word.parse::<IpAddr>().ok().map(IpNet::from))
}

fn interface(word: &str) -> Option<Peer> {
    word.trim_matches('"').parse().ok().map(Peer::Interface)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rules(json: &str) -> Result<Rules, serde_json::Error> {
        serde_json::from_str(json)
    }

    #[test]
    fn a_table_is_written_in_nfts_words() {
        let table = rules(
            r#"[{"hook":"forward","from":{"network":"10.1.2.3/16"},"to":{"network":"10.2.0.0/16"},"action":"drop"},
                {"hook":"input","from":{"interface":"docker0"},"to":null,"action":"accept"}]"#,
        )
        .unwrap();
        assert_eq!(
            table.script(),
            "add table inet yunlab\ndelete table inet yunlab\ntable inet yunlab {\n  chain forward {\n    \
             type filter hook forward priority -10; policy accept;\n    \
             ip saddr 10.1.0.0/16 ip daddr 10.2.0.0/16 drop\n  }\n  chain input {\n    \
             type filter hook input priority -10; policy accept;\n    iifname \"docker0\" accept\n  }\n}\n"
        );
    }

    #[test]
    fn rules_that_fit_nothing_or_are_too_many_are_refused() {
        let mixed =
            r#"[{"hook":"forward","from":{"network":"10.0.0.0/8"},"to":{"network":"fd00::/8"},"action":"drop"}]"#;
        let out = r#"[{"hook":"input","from":null,"to":{"interface":"eth0"},"action":"drop"}]"#;
        let more = r#"[{"hook":"input","from":null,"to":null,"action":"drop","comment":"x"}]"#;
        for bad in [mixed, out, more] {
            assert!(rules(bad).is_err(), "{bad}");
        }
        let any = Rule { hook: Hook::Input, from: None, to: None, action: Action::Drop };
        assert!(Rules::try_from(vec![any.clone(); 512]).is_ok());
        assert!(Rules::try_from(vec![any; 513]).is_err());
    }

    #[test]
    fn a_line_of_somebody_else_is_counted_and_not_guessed_at() {
        let listing = "table inet yunlab {\n\tchain forward {\n\t\ttype filter hook forward priority filter - 10; policy accept;\n\
            \t\tip saddr 10.0.0.1 drop\n\t\ttcp dport 22 accept\n\t\tip saddr 10.0.0.1 drop comment \"x\"\n\t}\n}\n";
        let (found, strange) = Rules::read(listing);
        assert_eq!((found.as_slice().len(), strange), (1, 2));
        assert_eq!(found.as_slice()[0].from, Some(Peer::Network("10.0.0.1/32".parse().unwrap())));
    }

    fn a_peer() -> impl Strategy<Value = Option<Peer>> {
        let network = (any::<[u8; 4]>(), 0_u8..=32)
            .prop_map(|(address, length)| Peer::Network(IpNet::new(IpAddr::from(address), length).unwrap()));
        let interface = "[a-z0-9][a-zA-Z0-9._-]{0,14}".prop_map(|name| Peer::Interface(name.parse().unwrap()));
        prop_oneof![Just(None), network.prop_map(Some), interface.prop_map(Some)]
    }

    proptest! {
        /// What is written is what is read, and no name leaves its quotes.
        #[test]
        fn a_table_round_trips(ends in prop::collection::vec((a_peer(), a_peer(), any::<bool>()), 0..20)) {
            let rules = ends.into_iter().map(|(from, to, accept)| {
                let action = if accept { Action::Accept } else { Action::Drop };
                Rule { hook: Hook::Forward, from, to, action }
            });
            let table = Rules::try_from(rules.collect::<Vec<_>>()).unwrap();
            let listing = table.script().replace(&Rules::clearing_script(), "");
            prop_assert_eq!(Rules::read(&listing), (table, 0));
        }

        #[test]
        fn an_interface_is_a_plain_word(text in "\\PC{0,17}") {
            if let Ok(name) = text.parse::<InterfaceName>() {
                let odd = |c: char| c.is_whitespace() || "\"'*;{}$\\/".contains(c);
                prop_assert!(!name.as_str().contains(odd) && name.as_str().len() <= 15);
            }
        }
    }
}
