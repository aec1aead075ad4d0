//! The cards that a foreign container can use, read from its configuration.

use bollard::models::{ContainerInspectResponse, DeviceRequest};

use crate::HeldCards;
use crate::defaults::CARDS;

pub(super) fn cards(container: &ContainerInspectResponse) -> HeldCards {
    let mut held = HeldCards::default();
    let Some(host) = &container.host_config else { return held };
    held.all = host.privileged.unwrap_or_default();
    for request in host.device_requests.iter().flatten().filter(|request| is_for_cards(request)) {
        let named = request.device_ids.iter().flatten();
        named.for_each(|name| add(&mut held, name.rsplit('=').next().unwrap_or(name)));
        match request.count.unwrap_or_default() {
            // Docker passes the first `count` cards.
            count @ 1.. => held.indexes.extend(0..u32::try_from(count).unwrap_or(u32::MAX).min(1024)),
            0 => {}
            _ => held.all = true,
        }
    }
    // The older way: the runtime reads the environment.
    if host.runtime.as_deref() == Some("nvidia") {
        let environment = container.config.iter().filter_map(|config| config.env.as_ref()).flatten();
        let said = environment.filter_map(|line| line.strip_prefix(CARDS)?.strip_prefix('=')).next_back();
        said.unwrap_or_default().split(',').for_each(|name| add(&mut held, name.trim()));
    }
    for node in host.devices.iter().flatten().filter_map(|device| device.path_on_host.as_ref()) {
        // NVIDIA's nodes are numbered as its cards are.
        held.indexes.extend(node.strip_prefix("/dev/nvidia").and_then(|number| number.parse::<u32>().ok()));
        held.nodes.push(node.clone());
    }
    held.indexes.sort_unstable();
    held.indexes.dedup();
    held
}

fn is_for_cards(request: &DeviceRequest) -> bool {
    let driver = request.driver.as_deref().unwrap_or_default();
    let capable = request.capabilities.iter().flatten().flatten().any(|capability| capability == "gpu");
    capable || matches!(driver, "nvidia" | "cdi")
}

fn add(held: &mut HeldCards, name: &str) {
    match name {
        "" | "void" | "none" => {}
        "all" => held.all = true,
        name => match name.parse() {
            Ok(index) => held.indexes.push(index),
            Err(_) => held.uuids.push(name.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> HeldCards {
        cards(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn every_way_to_hold_a_card_is_seen() {
        assert!(of(r#"{"HostConfig":{}}"#).is_empty());
        assert!(of(r#"{"HostConfig":{"Privileged":true}}"#).all);
        assert!(of(r#"{"HostConfig":{"DeviceRequests":[{"Count":-1,"Capabilities":[["gpu"]]}]}}"#).all);
        let counted = of(r#"{"HostConfig":{"DeviceRequests":[{"Count":2,"Capabilities":[["gpu"]]}]}}"#);
        assert_eq!(counted.indexes, [0, 1]);
        let named = of(
            r#"{"HostConfig":{"DeviceRequests":[{"Driver":"nvidia","DeviceIDs":["GPU-a","3"]},{"Driver":"cdi","DeviceIDs":["nvidia.com/gpu=GPU-b"]}]}}"#,
        );
        assert_eq!((named.uuids, named.indexes), (vec!["GPU-a".to_owned(), "GPU-b".to_owned()], vec![3]));
        let older = |value: &str, runtime: &str| {
            of(&format!(
                r#"{{"HostConfig":{{"Runtime":"{runtime}"}},"Config":{{"Env":["A=b","NVIDIA_VISIBLE_DEVICES={value}"]}}}}"#
            ))
        };
        assert_eq!(older("0,2", "nvidia").indexes, [0, 2]);
        assert!(older("all", "nvidia").all);
        assert!(older("void", "nvidia").is_empty());
        assert!(older("all", "runc").is_empty());
        let nodes = of(
            r#"{"HostConfig":{"Devices":[{"PathOnHost":"/dev/nvidia1"},{"PathOnHost":"/dev/nvidiactl"},{"PathOnHost":"/dev/davinci0"}]}}"#,
        );
        assert_eq!((nodes.nodes.len(), nodes.indexes.as_slice()), (3, [1].as_slice()));
        assert!(nodes.holds("", None, &["/dev/davinci0".to_owned()]));
        assert!(!nodes.holds("GPU-a", Some(0), &[]));
    }
}
