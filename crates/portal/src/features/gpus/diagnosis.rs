//! Decides whether a card is faulty, from what its driver and the kernel's log report; pure.

use std::collections::HashMap;

use engine::{DriverRefusal, GpuReading, GpuReport, GpuTrouble, RowRemap, pci_place};

use super::model::{GpuKind, GpuRow};
use super::model_outages::OutageReason;
use super::xid;

/// About half a minute: a driver that is being reloaded, or busy, fails for a moment.
const FAILED_IN_A_ROW: u32 = 6;
/// Limit of a fault's detail, the same as for text that administrators enter.
pub(super) const MOST_CHARACTERS: usize = 200;

/// Why a card is out of order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) reason: OutageReason,
    /// In a sentence.
    pub(crate) detail: String,
}

impl Finding {
    pub(super) fn new(reason: OutageReason, detail: impl AsRef<str>) -> Self {
        Self { reason, detail: line(detail.as_ref()) }
    }
}

/// Shortens a driver's message to one line of bounded length.
pub(super) fn line(words: &str) -> String {
    let line = words.split(char::is_control).collect::<Vec<_>>().join(" ");
    line.trim().chars().take(MOST_CHARACTERS).collect()
}

/// The result of one reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CardLook {
    Fine,
    Faulty(Finding),
    /// It could not be read this time, and why.
    Unreadable(String),
}

/// How often in a row each card could not be read, by their UUIDs.
#[derive(Debug, Default)]
pub(crate) struct Streaks(HashMap<String, u32>);

impl Streaks {
    fn fine(&mut self, uuid: &str) {
        self.0.remove(uuid);
    }

    /// Whether that is a fault by now.
    fn failed(&mut self, uuid: &str) -> bool {
        let streak = self.0.entry(uuid.to_owned()).or_default();
        *streak = streak.saturating_add(1);
        *streak >= FAILED_IN_A_ROW
    }

    /// Counts anew, as for another machine.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

pub(super) fn look_at(reading: &GpuReading) -> CardLook {
    match reading.trouble {
        Some(GpuTrouble::Lost) => CardLook::Faulty(lost()),
        Some(GpuTrouble::NeedsReset) => {
            CardLook::Faulty(Finding::new(OutageReason::NeedsReset, "驱动说这张卡需要重置（GPU requires reset）"))
        }
        Some(GpuTrouble::Unreadable) => CardLook::Unreadable("驱动读不出显存、利用率或温度".to_owned()),
        None => match reading.uncorrected_errors {
            Some(errors) if errors > 0 => CardLook::Faulty(memory_errors(errors, reading.lifetime_uncorrected_errors)),
            _ => CardLook::Fine,
        },
    }
}

fn lost() -> Finding {
    Finding::new(OutageReason::Lost, "显卡从总线上掉线（GPU is lost），通常要重启服务器")
}

fn memory_errors(errors: u64, lifetime: Option<u64>) -> Finding {
    let lifetime = lifetime.map(|all| format!("，出厂以来共 {all} 个")).unwrap_or_default();
    Finding::new(OutageReason::MemoryErrors, format!("显存有 {errors} 个不可纠正的 ECC 错误{lifetime}，需要重置"))
}

/// Returns the faults of a machine's cards, by the cards' ids. A card that is gone altogether is missing, not faulty.
pub(crate) fn of_report(known: &[GpuRow], report: &GpuReport, streaks: &mut Streaks) -> Vec<(String, Finding)> {
    let mut found = Vec::new();
    for card in known.iter().filter(|card| card.kind == GpuKind::Nvidia) {
        match look_of(card, report) {
            None => {}
            Some(CardLook::Fine) => streaks.fine(&card.uuid),
            Some(CardLook::Faulty(finding)) => found.push((card.id.clone(), finding)),
            Some(CardLook::Unreadable(why)) if streaks.failed(&card.uuid) => {
                let detail = format!("连续读不到显卡的数据：{why}");
                found.push((card.id.clone(), Finding::new(OutageReason::Unreadable, detail)));
            }
            Some(CardLook::Unreadable(_)) => {}
        }
    }
    found
}

fn look_of(card: &GpuRow, report: &GpuReport) -> Option<CardLook> {
    match &report.refusal {
        Some(_) if card.missing => return None,
        Some(DriverRefusal::Hangs) => return Some(CardLook::Unreadable("nvidia-smi 没有应答".to_owned())),
        Some(DriverRefusal::Says(words)) => return Some(CardLook::Unreadable(words.clone())),
        None => {}
    }
    if let Some(reading) = report.gpus.iter().find(|reading| reading.uuid == card.uuid) {
        return Some(look_at(reading));
    }
    let failed = report.failed.iter().find(|failed| !card.pci.is_empty() && failed.pci == card.pci)?;
    let is_lost = failed.words.contains("GPU is lost");
    Some(if is_lost { CardLook::Faulty(lost()) } else { CardLook::Unreadable(failed.words.clone()) })
}

pub(super) fn of_remap(remap: &RowRemap) -> Option<Finding> {
    if remap.failed == Some(true) {
        Some(Finding::new(OutageReason::RowsFailed, "坏掉的显存没有备用的可以替换，通常要返修"))
    } else if remap.pending == Some(true) {
        Some(Finding::new(OutageReason::RowsPending, "坏掉的显存等待替换，重置后生效"))
    } else {
        None
    }
}

/// `None` for an Xid that is no fault of the card.
pub(super) fn of_xid(code: i64, words: &str) -> Option<Finding> {
    if !xid::class_of(code, words).is_fault() {
        return None;
    }
    let meaning = match xid::meaning(code) {
        "" => words,
        meaning => meaning,
    };
    let means = if meaning.is_empty() { String::new() } else { format!("：{meaning}") };
    Some(Finding::new(OutageReason::Xid, format!("Xid {code}{means}")))
}

/// PCI address of a reading's card; empty if the reading has none.
pub(crate) fn place_of(reading: &GpuReading) -> String {
    pci_place(&reading.pci).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use engine::FailedGpu;

    use super::*;

    fn reading(trouble: Option<GpuTrouble>, errors: Option<u64>) -> GpuReading {
        GpuReading {
            index: 0,
            uuid: "GPU-a".to_owned(),
            model: "A100".to_owned(),
            pci: "00000000:17:00.0".to_owned(),
            memory_total: 80 << 30,
            memory_used: Some(0),
            utilization: Some(0),
            memory_utilization: Some(0),
            temperature: Some(30),
            power: Some(50.0),
            power_limit: Some(400.0),
            fan: None,
            uncorrected_errors: errors,
            lifetime_uncorrected_errors: Some(7),
            trouble,
            mig: false,
        }
    }

    fn card() -> GpuRow {
        GpuRow {
            id: "c1".to_owned(),
            server: "s1".to_owned(),
            uuid: "GPU-a".to_owned(),
            position: 0,
            kind: GpuKind::Nvidia,
            model: "A100".to_owned(),
            memory_total: 80 << 30,
            device_nodes: Vec::new(),
            excluded: false,
            fault: String::new(),
            missing: false,
            external: String::new(),
            pci: "0000:17:00".to_owned(),
        }
    }

    fn told(gpus: Vec<GpuReading>) -> GpuReport {
        GpuReport { gpus, ..GpuReport::default() }
    }

    fn reasons(report: &GpuReport, streaks: &mut Streaks) -> Vec<OutageReason> {
        of_report(&[card()], report, streaks).into_iter().map(|(_, finding)| finding.reason).collect()
    }

    #[test]
    fn what_the_driver_says_for_sure_counts_at_once() {
        for (reading, reason) in [
            (reading(Some(GpuTrouble::NeedsReset), None), Some(OutageReason::NeedsReset)),
            (reading(Some(GpuTrouble::Lost), None), Some(OutageReason::Lost)),
            (reading(None, Some(2)), Some(OutageReason::MemoryErrors)),
            (reading(None, Some(0)), None),
            (reading(None, None), None),
        ] {
            assert_eq!(reasons(&told(vec![reading]), &mut Streaks::default()), Vec::from_iter(reason));
        }
        let CardLook::Faulty(finding) = look_at(&reading(None, Some(2))) else { panic!("no fault") };
        assert_eq!(finding.detail, "显存有 2 个不可纠正的 ECC 错误，出厂以来共 7 个，需要重置");
    }

    #[test]
    fn one_failed_reading_is_no_fault_and_several_in_a_row_are() {
        let mut streaks = Streaks::default();
        let failing = told(vec![reading(Some(GpuTrouble::Unreadable), None)]);
        for _ in 1..FAILED_IN_A_ROW {
            assert_eq!(reasons(&failing, &mut streaks), []);
        }
        assert_eq!(reasons(&told(vec![reading(None, None)]), &mut streaks), []);
        for _ in 1..FAILED_IN_A_ROW {
            assert_eq!(reasons(&failing, &mut streaks), [], "counted anew");
        }
        assert_eq!(reasons(&failing, &mut streaks), [OutageReason::Unreadable]);
    }

    #[test]
    fn a_driver_that_fails_or_hangs_and_a_card_that_it_complains_of_count_the_same() {
        let says = GpuReport {
            refusal: Some(DriverRefusal::Says("NVIDIA-SMI has failed".to_owned())),
            ..GpuReport::default()
        };
        let hangs = GpuReport { refusal: Some(DriverRefusal::Hangs), ..GpuReport::default() };
        let failed = |pci: &str, words: &str| GpuReport {
            failed: vec![FailedGpu { pci: pci.to_owned(), words: words.to_owned() }],
            ..GpuReport::default()
        };
        for report in [says, hangs, failed("0000:17:00", "Unknown Error")] {
            let mut streaks = Streaks::default();
            for _ in 1..FAILED_IN_A_ROW {
                assert_eq!(reasons(&report, &mut streaks), []);
            }
            assert_eq!(reasons(&report, &mut streaks), [OutageReason::Unreadable]);
        }
        let lost = failed("0000:17:00", "GPU is lost.  Reboot the system");
        assert_eq!(reasons(&lost, &mut Streaks::default()), [OutageReason::Lost]);
        let other = failed("0000:65:00", "Unknown Error");
        let mut streaks = Streaks::default();
        for _ in 0..2 * FAILED_IN_A_ROW {
            assert_eq!(reasons(&other, &mut streaks), [], "a card that is not told of at all is missing");
        }
    }

    #[test]
    fn rows_and_xids() {
        let remap = |pending, failed| RowRemap { uuid: "GPU-a".to_owned(), pending, failed };
        let reason = |finding: Option<Finding>| finding.map(|finding| finding.reason);
        assert_eq!(reason(of_remap(&remap(Some(true), Some(false)))), Some(OutageReason::RowsPending));
        assert_eq!(reason(of_remap(&remap(Some(true), Some(true)))), Some(OutageReason::RowsFailed));
        assert_eq!(of_remap(&remap(Some(false), None)), None);
        assert_eq!(of_xid(79, "x").unwrap().detail, "Xid 79：显卡从总线上掉线");
        assert_eq!(of_xid(31, "x"), None);
        assert_eq!(of_xid(155, "").unwrap().detail, "Xid 155");
    }

    #[test]
    fn a_detail_is_one_line_of_so_many_characters() {
        let long = Finding::new(OutageReason::Unreadable, format!("a\nb\u{1b}[1m{}", "长".repeat(400)));
        assert!(long.detail.starts_with("a b [1m长") && long.detail.chars().count() == MOST_CHARACTERS);
    }
}
