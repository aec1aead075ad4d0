//! Networks on a real engine: created once, joined by stopped containers, removed when empty.

use std::num::NonZeroU16;

use engine::{ContainerRef, Engine, Error, NetworkName, NetworkSpec, PortMapping, Protocol};

use crate::support::{GRACE, Lab, spec, words};

impl Lab {
    /// A person's own network, by a letter and one of four parts of the addresses.
    pub(crate) async fn person(&self, word: &str, part: u8) -> NetworkSpec {
        let spec = self.network(word, part);
        self.engine.create_network(&spec).await.expect("a network");
        spec
    }

    fn network(&self, word: &str, part: u8) -> NetworkSpec {
        NetworkSpec {
            name: format!("yunlab-test-{word}").parse().expect("a name"),
            bridge: self.host.bridge(word).parse().expect("a bridge"),
            owner: format!("test/{word}"),
            subnet: self.host.subnet(part).parse().expect("addresses"),
            subnet6: None,
            options: Vec::new(),
        }
    }

    /// A container in a network that serves at its port 80, and optionally at one of the machine's.
    pub(crate) async fn serving(&self, name: &str, network: &NetworkSpec, host: Option<NonZeroU16>) -> ContainerRef {
        let mut wanted = spec(name);
        wanted.network = Some(network.name.clone());
        wanted.command = Some(words(&["/bin/sh", "-c", "exec httpd -f -p 80 -h /tmp"]));
        let container = NonZeroU16::new(80).expect("a port");
        let port = |host| PortMapping { container, host, protocol: Protocol::Tcp, address: None };
        wanted.ports = host.map(port).into_iter().collect();
        self.started(&wanted).await
    }
}

#[tokio::test]
async fn a_network_is_made_once_and_shares_nothing_with_another() {
    let lab = Lab::new();
    let ann = lab.person("a", 0).await;
    let (mut same_bridge, mut same_addresses) = (lab.network("b", 1), lab.network("c", 0));
    same_bridge.bridge = ann.bridge.clone();
    let inside = format!("{}/28", ann.subnet.network());
    for taken in [&ann, &same_bridge, &same_addresses] {
        let made = lab.engine.create_network(taken).await;
        assert!(matches!(made, Err(Error::Conflict(_))), "{taken:?}: {made:?}");
    }
    same_addresses.subnet = inside.parse().unwrap();
    assert!(matches!(lab.engine.create_network(&same_addresses).await, Err(Error::Conflict(_))));

    let found = lab.engine.networks().await.unwrap();
    let made: Vec<_> = found.iter().filter(|network| network.owner.is_some()).collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!((made[0].name.as_str(), made[0].owner.as_deref()), (ann.name.as_str(), Some("test/a")));
    assert_eq!((made[0].bridge.as_deref(), &made[0].subnets), (Some(ann.bridge.as_str()), &vec![ann.subnet.into()]));
    let default = found.iter().find(|network| network.default.is_some()).unwrap();
    assert_eq!(default.bridge.as_deref(), Some(lab.host.default_bridge()));
    assert!(!default.default.as_ref().unwrap().ipv6);

    let id = lab.serving("in-it", &ann, None).await;
    assert!(matches!(lab.engine.remove_network(&ann.name).await, Err(Error::Conflict(_))));
    lab.engine.stop(&id, GRACE).await.unwrap();
    let listed = lab.engine.list().await.unwrap().remove(0);
    assert_eq!(listed.networks, [ann.name.as_str()], "one that stands is still in it");
    lab.engine.remove_network(&ann.name).await.unwrap();
    assert!(matches!(lab.engine.remove_network(&ann.name).await, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_container_moves_while_it_stands_and_follows_a_network_that_was_made_anew() {
    let lab = Lab::new();
    let ann = lab.person("a", 0).await;
    let id = lab.started(&spec("older")).await;
    lab.sh(&id, "echo kept > /root/file").await;
    let networks = async || {
        let found = lab.engine.inspect(&id).await.unwrap();
        found.networks.into_iter().map(|one| one.network).collect::<Vec<_>>()
    };
    assert_eq!(networks().await, [NetworkName::of_default().as_str()]);
    assert!(matches!(lab.engine.join_network(&id, &ann.name).await, Err(Error::Conflict(_))), "not while it runs");
    lab.engine.stop(&id, GRACE).await.unwrap();
    lab.engine.join_network(&id, &ann.name).await.unwrap();
    lab.engine.start(&id).await.unwrap();
    assert_eq!(networks().await, [ann.name.as_str()]);
    assert_eq!(lab.sh(&id, "cat /root/file").await, "kept");
    let address = lab.engine.inspect(&id).await.unwrap().address.unwrap();
    assert!(ipnet::IpNet::V4(ann.subnet).contains(&address), "{address}");

    lab.engine.stop(&id, GRACE).await.unwrap();
    lab.engine.remove_network(&ann.name).await.unwrap();
    lab.person("a", 1).await;
    assert!(lab.engine.start(&id).await.is_err(), "the engine looks for the former one by its id");
    lab.engine.join_network(&id, &ann.name).await.unwrap();
    lab.engine.start(&id).await.unwrap();
    lab.engine.stop(&id, GRACE).await.unwrap();
    lab.engine.join_network(&id, &NetworkName::of_default()).await.unwrap();
    lab.engine.start(&id).await.unwrap();
    assert_eq!(networks().await, [NetworkName::of_default().as_str()]);
}

#[tokio::test]
async fn how_the_machine_is_networked_is_told_and_no_container_passes_for_the_engine() {
    let lab = Lab::new();
    // With the name and the arguments of an engine that keeps the firewall, and the same data.
    let mut hostile = spec("hostile");
    let data = lab.host.folder().join("data").display().to_string();
    let script = format!(
        "printf '#!/bin/sh\\nsleep 1000\\n' >/tmp/dockerd; chmod 755 /tmp/dockerd; \
         exec /tmp/dockerd --data-root={data} --iptables=true"
    );
    hostile.command = Some(words(&["/bin/sh", "-c", &script]));
    lab.started(&hostile).await;
    let found = lab.engine.host_network().await.unwrap();
    assert_eq!(found.keeps_firewall, Some(false), "engines of tests do not");
    let default = lab.host.default_bridge();
    assert!(found.routes.iter().any(|route| route.interface == default && route.gateway.is_none()), "{found:?}");
}
