//! The cards that a node picked for the container, where the cluster only counted them. Which they are, nothing but the
//! container knows, and how it does depends on how the node's device plugin was set up.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

/// The usual way: a list for the container runtime.
const LIST: &str = "NVIDIA_VISIBLE_DEVICES";
/// The same as names of files, where containers may not set variables.
const FILES: &str = "/var/run/nvidia-container-devices";
/// What NVIDIA's driver says of each card of the machine.
const CARDS: &str = "/proc/driver/nvidia/gpus";

/// Prints their UUIDs, one a line; none where they can't be found.
///
/// # Errors
/// When standard output is closed.
pub(crate) fn print() -> Result<u8, String> {
    let list = std::env::var(LIST).unwrap_or_default();
    let mut all = uuids(list.split(','));
    if all.is_empty() {
        all = uuids(names(FILES).iter().map(String::as_str));
    }
    if all.is_empty() {
        let cards = names(CARDS).into_iter().map(|card| format!("{CARDS}/{card}/information"));
        let cards: Vec<String> = cards.filter_map(|path| fs::read_to_string(path).ok()).collect();
        all = by_nodes(&names("/dev"), &cards);
    }
    let lines: String = all.iter().map(|uuid| format!("{uuid}\n")).collect();
    std::io::stdout().write_all(lines.as_bytes()).map_err(|error| error.to_string())?;
    Ok(0)
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

fn uuids<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let is_one = |word: &&str| word.starts_with("GPU-") || word.starts_with("MIG-");
    words.map(str::trim).filter(is_one).map(str::to_owned).collect()
}

/// The cards whose device nodes, `nvidia<number>`, are in the container.
fn by_nodes(nodes: &[String], cards: &[String]) -> BTreeSet<String> {
    let has = |number: &str| nodes.iter().any(|node| node.strip_prefix("nvidia") == Some(number));
    let here = cards.iter().filter(|card| field(card, "Device Minor").is_some_and(has));
    uuids(here.filter_map(|card| field(card, "GPU UUID")))
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_start().strip_prefix(':')?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_found_by_their_nodes() {
        let card = |uuid: &str, minor: u8| {
            format!("Model: \t\t NVIDIA A100\nIRQ:   \t\t 1\nGPU UUID: \t {uuid}\nBus Type: \t PCIe\nDevice Minor: \t {minor}\n")
        };
        let cards = [card("GPU-a", 0), card("GPU-b", 1), card("GPU-c", 10)];
        let nodes = ["null", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm"].map(str::to_owned);
        assert_eq!(by_nodes(&nodes, &cards).into_iter().collect::<Vec<_>>(), ["GPU-b", "GPU-c"]);
    }

    #[test]
    fn a_list_of_all_names_none() {
        for list in ["all", "void", "none", "0,1", ""] {
            assert!(uuids(list.split(',')).is_empty(), "{list}");
        }
        assert_eq!(uuids("GPU-b, GPU-a".split(',')).len(), 2);
    }
}
