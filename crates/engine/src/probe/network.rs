//! How a machine is networked: its routes, and whether its engine keeps the firewall, from the arguments and the
//! settings of the engine's own process.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use ipnet::Ipv4Net;
use serde::Deserialize;

use crate::{HostNetwork, Route};

/// Appended to the script that finds `$root`. A process counts as an engine's only in the machine's own root and under
/// the machine's root account, so that no container's program passes for one. Line ends become blanks, which JSON
/// ignores.
pub(super) const COMMAND: &str = r#"for at in /proc/[0-9]*; do
  read -r name <"$at/comm" && [ "$name" = dockerd ] && [ "$at/root" -ef "$root" ] || continue
  while read -r key uid rest; do [ "$key" = Uid: ] && break; done <"$at/status"
  [ "$uid" = 0 ] || continue
  echo "engine:$(tr '\0\n' '\037 ' <"$at/cmdline")"
  file=$(tr '\0' '\n' <"$at/cmdline" | sed -n 's/^--config-file=//p; /^--config-file$/{n;p;}' | tail -n 1)
  echo "settings:$(head -c 65536 -- "$root${file:-/etc/docker/daemon.json}" | tr '\n' ' ')"
done 2>/dev/null
sed 's/^/route:/' "${root%/root}/net/route""#;

/// The default data folder of an engine.
const DATA_ROOT: &str = "/var/lib/docker";
/// Flags of a route that is in use, and of one through a gateway.
const UP: u32 = 1;
const GATEWAY: u32 = 2;

/// Parses the output, for the engine with its data at `data_root`.
pub(super) fn host_network(told: &str, data_root: &str) -> HostNetwork {
    let (mut engines, mut routes) = (Vec::new(), Vec::new());
    for line in told.lines() {
        if let Some(arguments) = line.strip_prefix("engine:") {
            engines.push((arguments.split('\u{1f}').collect::<Vec<_>>(), Settings::default()));
        } else if let (Some(text), Some((_, settings))) = (line.strip_prefix("settings:"), engines.last_mut()) {
            *settings = serde_json::from_str(text).unwrap_or_default();
        } else if let Some(words) = line.strip_prefix("route:") {
            routes.extend(route(words));
        }
    }
    let keeps = |(arguments, settings): &(Vec<&str>, Settings)| {
        let said = flag(arguments, &["--iptables"]).map(|value| !is_false(value));
        said.or(settings.iptables).unwrap_or(true)
    };
    let is_its = |(arguments, settings): &(Vec<&str>, Settings)| {
        let said = flag(arguments, &["--data-root", "--graph", "-g"]).map(str::to_owned);
        let said = said.or_else(|| settings.data_root.clone()).unwrap_or_else(|| DATA_ROOT.to_owned());
        // The data root of a user namespace has a longer path.
        Path::new(data_root).starts_with(said)
    };
    let its = engines.iter().find(|one| is_its(one));
    let only = || if engines.len() == 1 { engines.first() } else { None };
    HostNetwork { keeps_firewall: its.or_else(only).map(keeps), routes }
}

#[derive(Debug, Default, Deserialize)]
struct Settings {
    iptables: Option<bool>,
    #[serde(rename = "data-root", alias = "graph")]
    data_root: Option<String>,
}

/// The last value of a flag, as `--name=value` or `--name value`; a flag without a value is on.
fn flag<'a>(arguments: &[&'a str], names: &[&str]) -> Option<&'a str> {
    let mut values = arguments.iter().enumerate().filter_map(|(at, word)| {
        let (name, value) = word.split_once('=').map_or((*word, None), |(name, value)| (name, Some(value)));
        let next = || arguments.get(at + 1).copied().filter(|next| !next.starts_with('-'));
        names.contains(&name).then(|| value.or_else(next).unwrap_or_default())
    });
    values.next_back()
}

/// As the engine's own library reads truth.
fn is_false(word: &str) -> bool {
    matches!(word, "0" | "f" | "F" | "false" | "FALSE" | "False")
}

/// Parses `Iface Destination Gateway Flags RefCnt Use Metric Mask …`, addresses in the machine's byte order, which is
/// little-endian wherever there are cards. `None` for the heading and for default routes.
fn route(words: &str) -> Option<Route> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let hex = |at: usize| u32::from_str_radix(words.get(at)?, 16).ok();
    let address = |number: u32| Ipv4Addr::from(number.swap_bytes());
    let flags = hex(3)?;
    let to = Ipv4Net::with_netmask(address(hex(1)?), address(hex(7)?)).ok()?.trunc();
    if flags & UP == 0 || to.prefix_len() == 0 {
        return None;
    }
    let gateway = if flags & GATEWAY == 0 { None } else { Some(IpAddr::V4(address(hex(2)?))) };
    Some(Route { interface: (*words.first()?).to_owned(), to, gateway })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTES: &str = "route:Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
        route:eth0\t00000000\t0100570A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n\
        route:eth0\t0000570A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n\
        route:eth0\t0000000A\t0100570A\t0003\t0\t0\t0\t000000FF\t0\t0\t0\n";

    fn keeps(told: &str) -> Option<bool> {
        host_network(told, "/var/lib/docker").keeps_firewall
    }

    #[test]
    fn routes_are_read_without_the_default_one() {
        let found = host_network(ROUTES, "/var/lib/docker");
        let routes: Vec<_> = found.routes.iter().map(|route| (route.to.to_string(), route.gateway.is_some())).collect();
        assert_eq!(routes, [("10.87.0.0/24".to_owned(), false), ("10.0.0.0/8".to_owned(), true)]);
        assert_eq!(found.keeps_firewall, None, "no engine was seen");
    }

    #[test]
    fn an_engine_keeps_the_firewall_unless_it_is_told_otherwise() {
        let engine = |arguments: &str, settings: &str| {
            format!("engine:/usr/bin/dockerd\u{1f}{}\u{1f}\nsettings:{settings}\n", arguments.replace(' ', "\u{1f}"))
        };
        for (arguments, settings, wanted) in [
            ("-H fd://", "", true),
            ("-H fd://", r#"{"iptables": true}"#, true),
            ("-H fd://", r#"{ "iptables" : false, "dns": ["10.0.0.2"] }"#, false),
            ("-H fd://", "not json", true),
            ("--iptables=false", "", false),
            ("--iptables=0", "", false),
            ("--iptables=true", "", true),
            ("--iptables --debug", "", true),
            ("--ip6tables=false", "", true),
        ] {
            assert_eq!(keeps(&engine(arguments, settings)), Some(wanted), "{arguments} {settings}");
        }
    }

    #[test]
    fn of_several_engines_that_with_the_data_counts() {
        let told = "engine:dockerd\u{1f}--data-root\u{1f}/a\u{1f}--iptables=false\nsettings:\n\
            engine:dockerd\nsettings:{\"data-root\":\"/b\"}\n";
        assert_eq!(host_network(told, "/a").keeps_firewall, Some(false));
        assert_eq!(host_network(told, "/b/100000.100000").keeps_firewall, Some(true));
        assert_eq!(host_network(told, "/c").keeps_firewall, None);
    }
}
