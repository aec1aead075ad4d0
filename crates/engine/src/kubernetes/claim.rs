//! Cards: what a workload asks of the cluster's scheduler, by Dynamic Resource Allocation, and what it got.

use k8s_openapi::api::resource::v1::{ResourceClaim, ResourceSlice};
use serde_json::{Value, json};

use super::anchor::Anchor;
use super::names;
use crate::{Card, CardChoice, Invalid};

/// The driver of NVIDIA's cards, and their class.
pub(super) const NVIDIA: &str = "gpu.nvidia.com";
/// The class of parts of its cards.
const NVIDIA_PARTS: &str = "mig.nvidia.com";
/// Cards that one expression excludes: the API takes 10 KiB of each, and 32 expressions.
const IN_ONE: usize = 100;
/// What a device plugin counts them as, and the node's label for their model.
pub(super) const COUNTED: &str = "nvidia.com/gpu";
pub(super) const COUNTED_MODEL: &str = "nvidia.com/gpu.product";

/// A claim as it was seen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) namespace: String,
    pub(super) name: String,
    /// The devices that it was given.
    pub(super) given: Vec<Device>,
    /// The ids of the pods that use them.
    pub(super) pods: Vec<String>,
}

/// A device of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Device {
    pub(super) driver: String,
    pub(super) pool: String,
    pub(super) name: String,
}

impl Claim {
    pub(super) fn of(object: &ResourceClaim) -> Self {
        let status = object.status.as_ref();
        let given = status.and_then(|status| status.allocation.as_ref()?.devices.as_ref()?.results.as_ref());
        let device = |one: &k8s_openapi::api::resource::v1::DeviceRequestAllocationResult| Device {
            driver: one.driver.clone(),
            pool: one.pool.clone(),
            name: one.device.clone(),
        };
        let pods = status.and_then(|status| status.reserved_for.as_ref());
        Self {
            namespace: object.metadata.namespace.clone().unwrap_or_default(),
            name: object.metadata.name.clone().unwrap_or_default(),
            given: given.into_iter().flatten().map(device).collect(),
            pods: pods.into_iter().flatten().map(|one| one.uid.clone()).collect(),
        }
    }
}

/// The cards of a node, as its driver publishes them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    /// Empty for devices that are of no node.
    pub(super) node: String,
    pub(super) cards: Vec<SliceCard>,
}

/// A card that a driver publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SliceCard {
    pub(super) device: Device,
    pub(super) uuid: String,
    pub(super) model: String,
    /// Bytes.
    pub(super) memory: u64,
    pub(super) driver_version: String,
    pub(super) pci: String,
}

impl Slice {
    pub(super) fn of(object: &ResourceSlice) -> Self {
        let spec = &object.spec;
        let devices = spec.devices.iter().flatten();
        let card = |one: &k8s_openapi::api::resource::v1::Device| {
            let attribute = |name: &str| {
                let found = one.attributes.as_ref().and_then(|all| all.get(name));
                let text = found.and_then(|found| found.string.clone().or_else(|| found.version.clone()));
                text.unwrap_or_default()
            };
            let memory = one.capacity.as_ref().and_then(|all| all.get("memory"));
            SliceCard {
                device: Device { driver: spec.driver.clone(), pool: spec.pool.name.clone(), name: one.name.clone() },
                uuid: attribute("uuid"),
                model: attribute("productName"),
                memory: memory.map_or(0, |memory| super::quantity::bytes(&memory.value.0)),
                driver_version: attribute("driverVersion"),
                pci: attribute("resource.kubernetes.io/pciBusID"),
            }
        };
        // Other drivers' devices, such as network cards, are no cards to people.
        let cards = if spec.driver == NVIDIA { devices.map(card).collect() } else { Vec::new() };
        Self { node: spec.node_name.clone().unwrap_or_default(), cards }
    }
}

/// The claim of a workload; `None` without cards, and where the cluster only counts them.
///
/// # Errors
/// A card that only a machine's own engine can give.
pub(super) fn claim(anchor: &Anchor, cards: &[Card]) -> Result<Option<Value>, Invalid> {
    if cards.is_empty() || anchor.made.counted_model.is_some() {
        return Ok(None);
    }
    let requests = cards.iter().enumerate().map(|(at, card)| request(at, card));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": anchor.base,
            "labels": {
                names::INSTANCE: anchor.id.as_str(),
                names::GENERATION: anchor.generation.to_string(),
                names::TENANT: anchor.tenant,
            },
            "ownerReferences": anchor.as_owner(),
        },
        "spec": {"devices": {"requests": requests}},
    })))
}

fn request(at: usize, card: &Card) -> Result<Value, Invalid> {
    let attribute = |name: &str| format!("device.attributes['{NVIDIA}'].{name}");
    let (class, wanted) = match card.choice() {
        CardChoice::This if card.is_nvidia() => {
            let class = if card.id().starts_with("MIG-") { NVIDIA_PARTS } else { NVIDIA };
            (class, vec![format!("{} == {}", attribute("uuid"), quoted(card.id()))])
        }
        CardChoice::This => {
            return Err(Invalid::new("card", card.id(), "is device nodes of a machine, which no cluster gives"));
        }
        CardChoice::AnyOf { model, except } => {
            let mut wanted = vec![format!("{} == {}", attribute("productName"), quoted(model))];
            let except: Vec<String> = except.iter().map(|uuid| quoted(uuid)).collect();
            let without = |some: &[String]| format!("!({} in [{}])", attribute("uuid"), some.join(", "));
            wanted.extend(except.chunks(IN_ONE).map(without));
            (NVIDIA, wanted)
        }
    };
    // All of them must hold.
    let selectors: Vec<Value> = wanted.iter().map(|one| json!({"cel": {"expression": one}})).collect();
    Ok(json!({"name": format!("card-{at}"), "exactly": {"deviceClassName": class, "selectors": selectors}}))
}

/// A string of the Common Expression Language.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for character in text.chars() {
        if matches!(character, '\'' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expressions(card: &Card) -> Vec<String> {
        let request = request(0, card).unwrap();
        let selectors = request["exactly"]["selectors"].as_array().unwrap().iter();
        selectors.map(|one| one["cel"]["expression"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn cards_are_asked_for_by_uuid_or_model() {
        let card = Card::nvidia("GPU-1-2").unwrap();
        assert_eq!(expressions(&card), ["device.attributes['gpu.nvidia.com'].uuid == 'GPU-1-2'"]);
        let except = ["GPU-1", "GPU-2"].map(str::to_owned).into();
        let any = Card::of_model("NVIDIA H100 80GB HBM3", except).unwrap();
        assert_eq!(
            expressions(&any),
            [
                "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H100 80GB HBM3'",
                "!(device.attributes['gpu.nvidia.com'].uuid in ['GPU-1', 'GPU-2'])"
            ]
        );
        let part = Card::nvidia("MIG-x").unwrap();
        assert_eq!(request(0, &part).unwrap()["exactly"]["deviceClassName"], NVIDIA_PARTS);
        let nodes = Card::device("npu:0", vec!["/dev/davinci0".parse().unwrap()]).unwrap();
        assert!(request(0, &nodes).is_err());
    }

    #[test]
    fn many_excluded_cards_fit_into_a_claim() {
        let except = (0..1600).map(|at| format!("GPU-{at:08x}-0000-0000-0000-000000000000")).collect();
        let all = expressions(&Card::of_model("NVIDIA H100", except).unwrap());
        assert!(all.len() <= 32 && all.iter().all(|one| one.len() <= 10 << 10), "{}", all.len());
    }

    #[test]
    fn a_model_stays_a_string_whatever_it_is_called() {
        assert_eq!(quoted(r"a' || true || '\"), r"'a\' || true || \'\\'");
    }
}
