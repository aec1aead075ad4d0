//! Cards of a container: by UUID or by their device nodes, never by number. To Docker a number means "the first n
//! cards", so every container would get card 0. Where the cluster places workloads, it may also choose the card.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::Invalid;

/// A card for a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its value in the label `yunlab.gpus`; the UUID of an NVIDIA card.
    id: String,
    /// Empty for an NVIDIA card, whose nodes the runtime adds.
    nodes: Vec<DeviceNode>,
    /// Set where the cluster chooses the card.
    any: Option<AnyCard>,
}

/// Any card of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AnyCard {
    model: String,
    except: BTreeSet<String>,
}

/// Which card it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardChoice<'a> {
    /// The one with its id.
    This,
    /// One of a model that the cluster chooses.
    AnyOf {
        /// As the driver of the cards calls it.
        model: &'a str,
        /// The ids of cards that are not to be chosen.
        except: &'a BTreeSet<String>,
    },
}

impl Card {
    /// An NVIDIA card or a part of one, by its UUID, `GPU-…` or `MIG-…`.
    ///
    /// # Errors
    /// Anything else, such as `all` or an index.
    pub fn nvidia(uuid: &str) -> Result<Self, Invalid> {
        let known = ["GPU-", "MIG-"].iter().find_map(|prefix| uuid.strip_prefix(prefix));
        // Older drivers wrote parts of cards as MIG-GPU-<uuid>/<gi>/<ci>.
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '/');
        if !known.is_some_and(|rest| (1..=80).contains(&rest.len()) && rest.chars().all(inner)) {
            return Err(Invalid::new("card", uuid, "is no UUID of an NVIDIA card"));
        }
        Ok(Self { id: uuid.to_owned(), nodes: Vec::new(), any: None })
    }

    /// A card that is its device nodes.
    ///
    /// # Errors
    /// An id with characters that a label's list can't hold, or no node.
    pub fn device(id: &str, nodes: Vec<DeviceNode>) -> Result<Self, Invalid> {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if id.is_empty() || id.len() > 100 || !id.chars().all(inner) {
            return Err(Invalid::new("card", id, "only letters, digits, '-', '_', '.' and ':'"));
        }
        if nodes.is_empty() {
            return Err(Invalid::new("card", id, "has no device node"));
        }
        Ok(Self { id: id.to_owned(), nodes, any: None })
    }

    /// Any NVIDIA card of a model except some, to be chosen by a cluster that places workloads.
    ///
    /// # Errors
    /// A model that is empty, over 100 characters or has control characters.
    pub fn of_model(model: &str, except: BTreeSet<String>) -> Result<Self, Invalid> {
        if model.is_empty() || model.len() > 100 || model.chars().any(char::is_control) {
            return Err(Invalid::new("card", model, "is no model's name"));
        }
        let any = Some(AnyCard { model: model.to_owned(), except });
        Ok(Self { id: String::new(), nodes: Vec::new(), any })
    }

    /// Whether it is this card, or one that the cluster chooses.
    #[must_use]
    pub fn choice(&self) -> CardChoice<'_> {
        match &self.any {
            Some(AnyCard { model, except }) => CardChoice::AnyOf { model, except },
            None => CardChoice::This,
        }
    }

    /// Its value in the label; empty until the cluster has chosen it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its device nodes; empty for an NVIDIA card.
    #[must_use]
    pub fn nodes(&self) -> &[DeviceNode] {
        &self.nodes
    }

    /// Whether the NVIDIA runtime adds it.
    #[must_use]
    pub fn is_nvidia(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A path below `/dev`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceNode(String);

/// The machine's memory, log, terminals, networks, mounts and the devices that every container has are no cards.
const NEVER: [&str; 20] = [
    "autofs",
    "btrfs-control",
    "console",
    "full",
    "fuse",
    "kmem",
    "kmsg",
    "loop-control",
    "mem",
    "null",
    "port",
    "ptmx",
    "random",
    "snapshot",
    "stderr",
    "stdin",
    "stdout",
    "uinput",
    "urandom",
    "zero",
];
/// Nor are folders of disks, and others that belong to the machine.
const NEVER_IN: [&str; 6] = ["disk", "input", "mapper", "net", "pts", "shm"];
/// Disks are not allowed either; a letter or a number follows these prefixes: `sda1`, `nvme0n1`.
const DISKS: [&str; 15] =
    ["dm-", "fd", "hd", "loop", "md", "mmcblk", "nbd", "nvme", "ram", "sd", "sr", "tty", "vd", "xvd", "zram"];

/// Whether a path below `/dev/` is certainly not a card. Administrators must know the rest.
fn is_never_a_card(rest: &str) -> bool {
    let (first, below) = rest.split_once('/').map_or((rest, false), |(first, _)| (first, true));
    let goes_on = |prefix: &&str| {
        let end = first.strip_prefix(*prefix);
        end.is_some_and(|end| end.len() <= 8 && end.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    NEVER.contains(&first) || (below && NEVER_IN.contains(&first)) || (!below && DISKS.iter().any(goes_on))
}

impl DeviceNode {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text names a device below `/dev` that is certainly not a card, such as a disk.
    #[must_use]
    pub fn is_no_card(text: &str) -> bool {
        text.strip_prefix("/dev/").is_some_and(is_never_a_card)
    }
}

impl FromStr for DeviceNode {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let invalid = |why| Invalid::new("device node", text, why);
        let Some(rest) = text.strip_prefix("/dev/") else { return Err(invalid("does not lie below /dev")) };
        let word = |part: &str| {
            !matches!(part, "" | "." | "..")
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        };
        if text.len() > 200 || !rest.split('/').all(word) {
            return Err(invalid("only plain names below /dev"));
        }
        if is_never_a_card(rest) {
            return Err(invalid("is no card"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for DeviceNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_lie_below_dev() {
        for good in ["/dev/davinci0", "/dev/dri/renderD128", "/dev/nvidia-caps/nvidia-cap1"] {
            assert_eq!(good.parse::<DeviceNode>().unwrap().as_str(), good);
        }
        for bad in ["", "/dev", "/dev/", "/dev/../etc/x", "/dev//x", "/etc/x", "/dev/a:b", "/dev/a b", "/dev/mem"] {
            assert!(bad.parse::<DeviceNode>().is_err(), "{bad:?}");
        }
        for own in [
            "sda",
            "sda1",
            "nvme0n1",
            "vda",
            "dm-0",
            "loop0",
            "mapper/control",
            "net/tun",
            "fuse",
            "tty",
            "kmsg",
            "null",
            "zero",
        ] {
            assert!(format!("/dev/{own}").parse::<DeviceNode>().is_err(), "{own:?}");
        }
        for other in
            ["/dev/vdsp_compute_card", "/dev/kfd", "/dev/accel/accel0", "/dev/mdc-accelerator0", "/dev/vfio/12"]
        {
            assert!(other.parse::<DeviceNode>().is_ok(), "{other:?}");
        }
    }

    #[test]
    fn cards_are_never_numbers_or_all() {
        assert!(Card::nvidia("GPU-5f9c0c3e-7a4b-2d61-8f10-3c9ab1d27e44").unwrap().is_nvidia());
        assert!(Card::nvidia("MIG-GPU-5f9c0c3e-7a4b-2d61-8f10-3c9ab1d27e44/1/0").is_ok());
        for bad in ["", "0", "all", "GPU-", "GPU-a,GPU-b", "gpu-0", "GPU-a b"] {
            assert!(Card::nvidia(bad).is_err(), "{bad:?}");
        }
        let node: DeviceNode = "/dev/davinci0".parse().unwrap();
        assert!(!Card::device("npu:0", vec![node.clone()]).unwrap().is_nvidia());
        assert!(Card::device("a,b", vec![node]).is_err());
        assert!(Card::device("npu", Vec::new()).is_err());
    }
}
