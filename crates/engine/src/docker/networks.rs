//! People's networks, and the options that they copy from the default one.

use std::collections::HashMap;

use bollard::models::{
    EndpointSettings, Ipam, IpamConfig, Network as RawNetwork, NetworkConnectRequest, NetworkCreateRequest,
    NetworkDisconnectRequest,
};
use bollard::query_parameters::ListNetworksOptions;

use super::error::within;
use super::{DockerEngine, QUICK, WORK};
use crate::{ContainerRef, DefaultBridge, Error, Membership, Network, NetworkName, NetworkSpec, Result};

/// Label with the network's owner.
const NETWORK: &str = "yunlab.network";
const BRIDGE_NAME: &str = "com.docker.network.bridge.name";
const DEFAULT_BRIDGE: &str = "com.docker.network.bridge.default_bridge";
/// Options that a person's network copies from the default one. Containers of one network see each other in any case.
const TAKEN_OVER: [&str; 3] = [
    "com.docker.network.bridge.enable_ip_masquerade",
    "com.docker.network.bridge.host_binding_ipv4",
    "com.docker.network.driver.mtu",
];

impl DockerEngine {
    pub(super) async fn list_networks(&self) -> Result<Vec<Network>> {
        let found = within(QUICK, self.docker.list_networks(None::<ListNetworksOptions>)).await?;
        Ok(found.into_iter().map(network).collect())
    }

    pub(super) async fn make_network(&self, spec: &NetworkSpec) -> Result<()> {
        match within(WORK, self.docker.create_network(body(spec))).await {
            Ok(_) => Ok(()),
            // Engines answer 403 for a bridge or subnet that another network has, and 409 for a name.
            Err(Error::Rejected(words)) if is_taken(&words) => Err(Error::Conflict(words)),
            Err(Error::Failed(words)) if is_taken(&words) => Err(Error::Conflict(words)),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn delete_network(&self, network: &NetworkName) -> Result<()> {
        match within(WORK, self.docker.remove_network(network.as_str())).await {
            Err(Error::Rejected(words)) if words.contains("has active endpoints") => Err(Error::Conflict(words)),
            done => done,
        }
    }

    /// An engine finds a network by the id that it had at the container's last start, so a network that was recreated
    /// under the same name has to be joined again.
    pub(super) async fn change_network(&self, container: &ContainerRef, network: &NetworkName) -> Result<()> {
        let found = self.inspect_container(container).await?;
        if found.container.state.is_active() {
            return Err(Error::Conflict(format!("container {container} is running")));
        }
        for left in &found.networks {
            let body = NetworkDisconnectRequest { container: container.to_string(), force: Some(true) };
            match within(QUICK, self.docker.disconnect_network(&left.network, body)).await {
                Ok(()) | Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let endpoint = Some(EndpointSettings::default());
        let body = NetworkConnectRequest { container: container.to_string(), endpoint_config: endpoint };
        within(QUICK, self.docker.connect_network(network.as_str(), body)).await
    }
}

fn body(spec: &NetworkSpec) -> NetworkCreateRequest {
    let subnet = |subnet: String| IpamConfig { subnet: Some(subnet), ..IpamConfig::default() };
    let subnets = [Some(subnet(spec.subnet.to_string())), spec.subnet6.map(|six| subnet(six.to_string()))];
    let mut options: HashMap<String, String> =
        spec.options.iter().filter(|(name, _)| TAKEN_OVER.contains(&name.as_str())).cloned().collect();
    options.insert(BRIDGE_NAME.to_owned(), spec.bridge.to_string());
    NetworkCreateRequest {
        name: spec.name.to_string(),
        driver: Some("bridge".to_owned()),
        ipam: Some(Ipam { config: Some(subnets.into_iter().flatten().collect()), ..Ipam::default() }),
        enable_ipv6: Some(spec.subnet6.is_some()),
        options: Some(options),
        labels: Some(HashMap::from([(NETWORK.to_owned(), spec.owner.clone())])),
        ..NetworkCreateRequest::default()
    }
}

fn is_taken(words: &str) -> bool {
    let words = words.to_lowercase();
    ["already exists", "overlap", "conflicts with network"].iter().any(|part| words.contains(part))
}

fn network(raw: RawNetwork) -> Network {
    let options = raw.options.unwrap_or_default();
    let is_bridge = raw.driver.as_deref() == Some("bridge");
    let is_default = is_bridge && options.get(DEFAULT_BRIDGE).is_some_and(|value| value == "true");
    let configs = raw.ipam.and_then(|ipam| ipam.config).unwrap_or_default();
    let taken_over = || {
        let pair =
            |name: &&str| Some(((*name).to_owned(), options.get(*name).filter(|value| !value.is_empty())?.clone()));
        TAKEN_OVER.iter().filter_map(pair).collect()
    };
    let id = raw.id.unwrap_or_default();
    // Engines name a bridge after the network's id by default.
    let unnamed = || format!("br-{}", id.chars().take(12).collect::<String>());
    Network {
        bridge: is_bridge.then(|| options.get(BRIDGE_NAME).cloned().unwrap_or_else(unnamed)),
        owner: raw.labels.and_then(|mut labels| labels.remove(NETWORK)).filter(|owner| !owner.is_empty()),
        subnets: configs.iter().filter_map(|config| config.subnet.as_ref()?.parse().ok()).collect(),
        default: is_default.then(|| DefaultBridge { ipv6: raw.enable_ipv6.unwrap_or_default(), options: taken_over() }),
        name: raw.name.unwrap_or_default(),
        id,
    }
}

/// The networks of a container, by their names.
pub(super) fn memberships(networks: Option<HashMap<String, EndpointSettings>>) -> Vec<Membership> {
    let mut all: Vec<Membership> = networks
        .into_iter()
        .flatten()
        .map(|(network, end)| Membership { network, id: end.network_id.unwrap_or_default() })
        .collect();
    all.sort_by(|one, other| one.network.cmp(&other.network));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_its_own_addresses_and_the_rest_of_the_default_one() {
        let text = r#"{"Name":"bridge","Id":"aa","Driver":"bridge","EnableIPv6":true,
            "IPAM":{"Config":[{"Subnet":"172.17.0.0/16","Gateway":"172.17.0.1"}]},
            "Options":{"com.docker.network.bridge.default_bridge":"true","com.docker.network.bridge.name":"docker0",
            "com.docker.network.bridge.enable_icc":"false","com.docker.network.driver.mtu":"1450"}}"#;
        let found = network(serde_json::from_str(text).unwrap());
        let default = found.default.unwrap();
        assert_eq!((found.bridge.as_deref(), default.ipv6, found.owner), (Some("docker0"), true, None));
        let spec = NetworkSpec {
            name: "yunlab-s-7".parse().unwrap(),
            bridge: "ylp-abc".parse().unwrap(),
            owner: "s/7".to_owned(),
            subnet: "10.87.0.64/26".parse().unwrap(),
            subnet6: Some("fd79:756e:6c61:1::/64".parse().unwrap()),
            options: default.options,
        };
        let body = body(&spec);
        let subnets: Vec<_> = body.ipam.unwrap().config.unwrap().into_iter().filter_map(|one| one.subnet).collect();
        assert_eq!(subnets, ["10.87.0.64/26", "fd79:756e:6c61:1::/64"]);
        let options = body.options.unwrap();
        assert_eq!(options["com.docker.network.driver.mtu"], "1450");
        assert_eq!(options[BRIDGE_NAME], "ylp-abc");
        assert_eq!(options.len(), 2, "instances of one person see each other whatever the default one says");
        assert_eq!((body.enable_ipv6, body.labels.unwrap()[NETWORK].as_str()), (Some(true), "s/7"));
    }

    #[test]
    fn what_another_network_has_is_a_conflict() {
        for words in [
            "network with name yunlab-s-7 already exists",
            "Pool overlaps with other one on this address space",
            "cannot create network aa (ylp-x): conflicts with network bb (ylp-x): networks have same bridge name",
            "invalid pool request: Pool overlaps with other one on this address space",
        ] {
            assert!(is_taken(words), "{words}");
        }
        assert!(!is_taken("operation is not permitted on predefined bridge network"));
    }
}
