//! Parses the output of `nvidia-smi` as comma-separated values: units are fixed and nothing is aligned.

use crate::{FailedGpu, GpuProcess, GpuReading, GpuReport, GpuTrouble, RowRemap, pci_place};

const MIB: u64 = 1 << 20;

/// The query of a card, its columns in the order of [`card`]. The name comes last: only it could contain a comma.
macro_rules! card_query {
    () => {
        "--format=csv,noheader,nounits --query-gpu=index,uuid,pci.bus_id,driver_version,memory.total,memory.used,\
utilization.gpu,utilization.memory,temperature.gpu,power.draw,power.limit,fan.speed,\
ecc.errors.uncorrected.volatile.total,ecc.errors.uncorrected.aggregate.total,mig.mode.current,name"
    };
}

/// Begins every script that queries the driver. A hanging program is killed: the caller has timed out by then, and the
/// container may have few processes.
macro_rules! killed_in_time {
    () => {
        "limit=; command -v timeout >/dev/null 2>&1 && limit='timeout -s KILL 19'\n"
    };
}

/// Exit code of a script whose query was killed.
pub(super) const KILLED: i64 = 137;

/// The header has the newest CUDA version, the query everything else. Some drivers answer nothing at all once one card
/// is lost; then each card is queried by itself, by its address in the driver's own table of cards.
pub(super) const CARDS_COMMAND: &str = concat!(
    killed_in_time!(),
    "$limit nvidia-smi -q -d UTILIZATION | head -n 20 | grep '^CUDA Version' || true
$limit nvidia-smi ",
    card_query!(),
    "
code=$?
case $code in 0|127|137) exit $code ;; esac
for at in /proc/driver/nvidia/gpus/*; do
  [ -d \"$at\" ] || continue
  $limit nvidia-smi -i \"${at##*/}\" ",
    card_query!(),
    "
  [ $? != 137 ] || exit 137
done
exit $code"
);

/// The query of the card `$1` alone, after all its data was read once.
pub(super) const CARD_COMMAND: &str = concat!(
    killed_in_time!(),
    "said=$($limit nvidia-smi -q -i \"$1\" 2>&1) || { printf '%s\\n' \"$said\" | tail -n 3; exit 1; }
exec $limit nvidia-smi -i \"$1\" ",
    card_query!()
);

/// Cards and drivers without row remapping do not support this query.
pub(super) const REMAPS_COMMAND: &str = concat!(
    killed_in_time!(),
    "exec $limit nvidia-smi --format=csv,noheader,nounits \
--query-remapped-rows=gpu_uuid,remapped_rows.pending,remapped_rows.failure"
);

/// Names of processes are not queried here: users choose them, and they could pass for lines.
pub(super) const PROCESSES_COMMAND: &str = concat!(
    killed_in_time!(),
    "exec $limit nvidia-smi --format=csv,noheader,nounits --query-compute-apps=gpu_uuid,pid,used_gpu_memory"
);

/// Either of the toolkit's programs, whichever is installed.
pub(super) const TOOLKIT_COMMAND: &str = "{ nvidia-ctk --version || nvidia-container-cli --version; } 2>/dev/null";

/// `NVIDIA Container Toolkit CLI version 1.17.8`, or `cli-version: 1.17.8`, in the first line.
pub(super) fn toolkit(said: &str) -> Option<String> {
    let version = said.lines().next()?.rsplit(' ').next()?;
    measured(version).map(str::to_owned)
}

/// The cards; their processes come from another question.
pub(super) fn report(said: &str) -> GpuReport {
    let mut report = GpuReport::default();
    for line in said.lines() {
        if let Some(version) = line.strip_prefix("CUDA Version") {
            report.cuda = measured(version.trim_start_matches([' ', ':'])).map(str::to_owned);
        } else if let Some((gpu, driver)) = card(line) {
            if !report.gpus.iter().any(|known| known.uuid == gpu.uuid) {
                report.gpus.push(gpu);
            }
            report.driver = driver;
        }
    }
    report
}

/// Cards that the driver reports an error for instead of figures, as in `Unable to determine the device handle for
/// GPU1: 0000:34:00.0: Unknown Error`.
pub(super) fn failed(said: &str) -> Vec<FailedGpu> {
    const COMPLAINTS: [&str; 3] = ["Unable to determine the device handle", "GPU is lost", "requires reset"];
    let mut failed: Vec<FailedGpu> = Vec::new();
    for line in said.lines().filter(|line| card(line).is_none()) {
        let is_complaint = COMPLAINTS.iter().any(|words| line.contains(words));
        let place = || line.split(|c: char| !c.is_ascii_hexdigit() && c != ':' && c != '.').find_map(place_in);
        let Some(pci) = is_complaint.then(place).flatten() else { continue };
        if !failed.iter().any(|known| known.pci == pci) {
            failed.push(FailedGpu { pci, words: line.trim().chars().filter(|c| !c.is_control()).take(200).collect() });
        }
    }
    failed
}

fn place_in(word: &str) -> Option<String> {
    pci_place(word.trim_end_matches([':', '.']))
}

/// Which cards replace rows of their memory.
pub(super) fn remaps(said: &str) -> Vec<RowRemap> {
    let remap = |line: &str| {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [uuid, pending, failed] = fields.try_into().ok()?;
        let uuid = uuid.starts_with("GPU-").then(|| uuid.to_owned())?;
        Some(RowRemap { uuid, pending: yes(pending), failed: yes(failed) })
    };
    said.lines().filter_map(remap).collect()
}

/// Drivers write numbers or words.
fn yes(field: &str) -> Option<bool> {
    match field {
        "Yes" => Some(true),
        "No" => Some(false),
        number => number.parse::<u64>().ok().map(|number| number > 0),
    }
}

/// Parses one line of the query; `None` for other output, such as a warning.
fn card(line: &str) -> Option<(GpuReading, String)> {
    let fields: Vec<&str> = line.splitn(16, ',').map(str::trim).collect();
    let figures = fields.get(4..15)?.join(",");
    let [
        index,
        uuid,
        pci,
        driver,
        memory_total,
        memory_used,
        utilization,
        memory_utilization,
        temperature,
        power,
        power_limit,
        fan,
        errors,
        lifetime_errors,
        mig,
        model,
    ] = fields.try_into().ok()?;
    let reading = GpuReading {
        index: index.parse().ok()?,
        uuid: uuid.starts_with("GPU-").then(|| uuid.to_owned())?,
        model: model.to_owned(),
        pci: pci.to_owned(),
        // A card that fell off the bus reports no memory, and is still shown.
        memory_total: number::<u64>(memory_total).unwrap_or_default() * MIB,
        memory_used: number::<u64>(memory_used).map(|mib| mib * MIB),
        utilization: number(utilization),
        memory_utilization: number(memory_utilization),
        temperature: number(temperature),
        power: number(power),
        power_limit: number(power_limit),
        fan: number(fan),
        uncorrected_errors: number(errors),
        lifetime_uncorrected_errors: number(lifetime_errors),
        trouble: trouble(&figures, &[memory_total, memory_used, utilization, temperature]),
        mig: mig == "Enabled",
    };
    Some((reading, driver.to_owned()))
}

/// `figures` is everything that the card reported, `needed` the figures that every working card reports. Errors of fans
/// and power occur on healthy cards.
fn trouble(figures: &str, needed: &[&str]) -> Option<GpuTrouble> {
    let says = |words: &str| figures.contains(words);
    if says("is lost") {
        Some(GpuTrouble::Lost)
    } else if says("requires reset") || says("requires restart") {
        Some(GpuTrouble::NeedsReset)
    } else if needed.iter().any(|field| field.contains("Unknown Error") || field.contains("ERR!")) {
        Some(GpuTrouble::Unreadable)
    } else {
        None
    }
}

/// Processes without their names and places.
pub(super) fn processes(said: &str) -> Vec<GpuProcess> {
    let process = |line: &str| {
        let mut fields = line.splitn(3, ',').map(str::trim);
        Some(GpuProcess {
            uuid: fields.next().filter(|uuid| uuid.starts_with("GPU-") || uuid.starts_with("MIG-"))?.to_owned(),
            pid: fields.next()?.parse().ok()?,
            memory: number::<u64>(fields.next()?).map(|mib| mib * MIB),
            name: String::new(),
            container: None,
        })
    };
    said.lines().filter_map(process).collect()
}

fn number<T: std::str::FromStr>(field: &str) -> Option<T> {
    measured(field)?.parse().ok()
}

/// `[N/A]`, `[Not Supported]`, `N/A`, `[Unknown Error]`, `ERR!`, `[GPU requires reset]` are no values.
fn measured(field: &str) -> Option<&str> {
    let field = field.trim();
    field.starts_with(|c: char| c.is_ascii_digit()).then_some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As drivers 525 to 570 write it.
    const CARDS: &str = "\
CUDA Version                              : 12.4
0, GPU-5f9c0c3e-7a4b-2d61-8f10-3c9ab1d27e44, 00000000:17:00.0, 550.54.15, 81920, 40536, 97, 61, 66, 388.12, 400.00, [N/A], 0, 3, Disabled, NVIDIA A100-SXM4-80GB
1, GPU-0b7d0a52-11c9-9a35-6f0e-6b1c55e2f3a9, 00000000:65:00.0, 550.54.15, 24576, 1, 0, 0, 31, 21.50, 350.00, 30, [N/A], [N/A], [N/A], NVIDIA GeForce RTX 3090
2, GPU-77e1c0de-0000-4444-8888-0123456789ab, 00000000:CA:00.0, 550.54.15, [Unknown Error], [Unknown Error], [N/A], [N/A], [GPU requires reset], ERR!, N/A, ERR!, [N/A], [N/A], Enabled, NVIDIA A100-SXM4-80GB
";

    #[test]
    fn whatever_is_asked_is_killed_when_it_hangs() {
        for script in [CARDS_COMMAND, CARD_COMMAND, REMAPS_COMMAND, PROCESSES_COMMAND] {
            assert!(script.starts_with("limit="), "{script}");
            assert_eq!(script.matches("nvidia-smi ").count(), script.matches("$limit nvidia-smi ").count(), "{script}");
        }
    }

    #[test]
    fn cards_with_all_that_they_report() {
        let report = report(CARDS);
        assert_eq!((report.driver.as_str(), report.cuda.as_deref()), ("550.54.15", Some("12.4")));
        assert_eq!(
            report.gpus[0],
            GpuReading {
                index: 0,
                uuid: "GPU-5f9c0c3e-7a4b-2d61-8f10-3c9ab1d27e44".to_owned(),
                model: "NVIDIA A100-SXM4-80GB".to_owned(),
                pci: "00000000:17:00.0".to_owned(),
                memory_total: 80 << 30,
                memory_used: Some(40536 * MIB),
                utilization: Some(97),
                memory_utilization: Some(61),
                temperature: Some(66),
                power: Some(388.12),
                power_limit: Some(400.0),
                fan: None,
                uncorrected_errors: Some(0),
                lifetime_uncorrected_errors: Some(3),
                trouble: None,
                mig: false,
            }
        );
        assert_eq!((report.gpus[1].fan, report.gpus[1].uncorrected_errors), (Some(30), None));
        assert_eq!(report.gpus[1].trouble, None);
    }

    #[test]
    fn what_is_wrong_with_a_card_is_told_apart_from_what_it_does_not_tell() {
        let told = |memory: &str, temperature: &str, fan: &str| {
            let line = format!(
                "0, GPU-a, 00000000:17:00.0, 550.54.15, {memory}, 1, 0, 0, {temperature}, 30, 300, {fan}, 0, 0, [N/A], X\n"
            );
            report(&line).gpus[0].trouble
        };
        assert_eq!(told("81920", "30", "[N/A]"), None);
        assert_eq!(told("81920", "30", "ERR!"), None, "fans of laptops");
        assert_eq!(told("81920", "[N/A]", "[Unknown Error]"), None);
        assert_eq!(told("81920", "ERR!", "30"), Some(GpuTrouble::Unreadable));
        assert_eq!(told("[Unknown Error]", "30", "30"), Some(GpuTrouble::Unreadable));
        assert_eq!(told("[Unknown Error]", "30", "[GPU requires reset]"), Some(GpuTrouble::NeedsReset));
        assert_eq!(told("[GPU is lost]", "[GPU is lost]", "[GPU is lost]"), Some(GpuTrouble::Lost));
    }

    #[test]
    fn cards_that_the_driver_complains_of_are_known_by_their_place() {
        for (said, place) in [
            ("Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error", "0000:41:00"),
            ("Unable to determine the device handle for GPU0000:CB:00.0: Unknown Error", "0000:cb:00"),
            (
                "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\nNo devices were found",
                "0000:34:00",
            ),
            (
                "Unable to determine the device handle for GPU 0000:41:00.0: GPU is lost.  Reboot the system to recover this GPU",
                "0000:41:00",
            ),
        ] {
            let failed = failed(said);
            assert_eq!(failed.len(), 1, "{said}");
            assert_eq!((failed[0].pci.as_str(), failed[0].words.as_str()), (place, said.lines().next().unwrap()));
        }
        for said in [
            "",
            CARDS,
            "WARNING: infoROM is corrupted at gpu 0000:17:00.0",
            "Unable to determine the device handle for GPU1: Unknown Error",
        ] {
            assert_eq!(failed(said), [], "{said}");
        }
    }

    #[test]
    fn each_card_counts_once_when_it_was_asked_again_by_itself() {
        let report = report(&format!("{CARDS}{CARDS}"));
        assert_eq!(report.gpus.len(), 3);
    }

    #[test]
    fn rows_that_are_replaced() {
        let said = "GPU-a, 0, 0\nGPU-b, 1, 0\nGPU-c, Yes, No\nGPU-d, No, Yes\nGPU-e, [N/A], [N/A]\n\
            Field \"gpu_uuid\" is not a valid field to query.\n";
        let told: Vec<_> = remaps(said).into_iter().map(|one| (one.pending, one.failed)).collect();
        let (no, yes) = (Some(false), Some(true));
        assert_eq!(told, [(no, no), (yes, no), (yes, no), (no, yes), (None, None)]);
    }

    #[test]
    fn a_faulty_card_is_shown_without_values() {
        let faulty = &report(CARDS).gpus[2];
        assert_eq!((faulty.index, faulty.memory_total, faulty.memory_used), (2, 0, None));
        assert_eq!((faulty.temperature, faulty.power, faulty.fan), (None, None, None));
        assert_eq!(faulty.trouble, Some(GpuTrouble::NeedsReset));
        assert!(faulty.mig);
    }

    #[test]
    fn the_toolkit_says_its_version_in_the_first_line() {
        for (said, version) in [
            ("NVIDIA Container Toolkit CLI version 1.17.8\ncommit: f202b80a\n", Some("1.17.8")),
            ("cli-version: 1.16.2\nlib-version: 1.16.2\n", Some("1.16.2")),
            ("", None),
        ] {
            assert_eq!(toolkit(said).as_deref(), version, "{said}");
        }
    }

    #[test]
    fn what_is_no_card_is_passed_over() {
        for said in ["", "No devices were found\n", "WARNING: infoROM is corrupted at gpu 0000:17:00.0\n", "0, x, y\n"]
        {
            assert!(report(said).gpus.is_empty(), "{said:?}");
        }
    }

    #[test]
    fn processes_of_cards_and_parts() {
        let said = "GPU-5f9c0c3e-7a4b-2d61-8f10-3c9ab1d27e44, 41234, 40500\nMIG-aa, 7, [N/A]\n[Insufficient Permissions], 1, 1\n";
        let found = processes(said);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].pid, found[0].memory), (41234, Some(40500 * MIB)));
        assert_eq!((found[1].uuid.as_str(), found[1].memory), ("MIG-aa", None));
    }
}
