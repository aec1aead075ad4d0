//! Reports of NVIDIA's driver in a kernel's log: its Xids, with the boot that they belong to.

use std::time::Duration;

use crate::{KernelXids, XidLine, pci_place};

/// Prints the boot, the time since it, and the driver's lines with their levels. A level above 7 is a line that a
/// program wrote, not the kernel. The log is read by the system call, which needs no device node.
///
/// The kernel writes the same prefix before each line of a message, so lines with the same prefix are one message, and
/// it is the driver's if its first line is. So a line inside another message, such as a name with a line break in it,
/// cannot pass for the driver's. The newest lines of each card and code are kept, so that a code that programs cause in
/// large numbers hides no other.
pub(super) const COMMAND: &str = r#"read -r boot </proc/sys/kernel/random/boot_id && read -r uptime idle </proc/uptime || exit 1
echo "boot $boot $uptime"
{ dmesg -S -r 2>/dev/null || echo unreadable; } | LC_ALL=C awk -v most=200 '
$0 == "unreadable" { line[++lines] = $0; next }
! match($0, /^<[0-7]>\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? /) { begins = ""; next }
{
  said = substr($0, RLENGTH + 1)
  if (substr($0, 1, RLENGTH) != begins) { begins = substr($0, 1, RLENGTH); driver = index(said, "NVRM: ") == 1 }
  if (! driver || index(said, "NVRM: Xid (") != 1) next
  number = substr(said, index(said, "): ") + 3)
  sub(/[^0-9].*/, "", number)
  line[++lines] = substr($0, 1, 400)
  kind[lines] = substr(said, 1, index(said, "): ")) number
  left[kind[lines]]++
}
END { for (at = 1; at <= lines; at++) if (left[kind[at]]-- <= most) print line[at] }'"#;

/// Limit of the text after a code.
const MOST_CHARACTERS: usize = 200;

/// Parses the output; `None` if it is malformed.
pub(super) fn xids(told: &str) -> Option<KernelXids> {
    let mut lines = told.lines();
    let (boot, uptime) = lines.next()?.strip_prefix("boot ")?.split_once(' ')?;
    let is_id = boot.len() == 36 && boot.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let uptime = Duration::try_from_secs_f64(uptime.trim().parse().ok()?).ok()?;
    let mut found = Some(Vec::new());
    for line in lines {
        match (line, &mut found) {
            ("unreadable", _) => found = None,
            (line, Some(found)) => found.extend(xid(line)),
            (_, None) => {}
        }
    }
    is_id.then(|| KernelXids { boot: boot.to_owned(), uptime, lines: found })
}

/// `<4>[ 1234.567890] NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', GPU has fallen off the bus.`, of older drivers
/// without the word `PCI`.
fn xid(line: &str) -> Option<XidLine> {
    let (level, rest) = line.strip_prefix('<')?.split_once('>')?;
    if level.parse::<u8>().ok()? > 7 {
        return None;
    }
    let (time, rest) = rest.strip_prefix('[')?.split_once(']')?;
    let (caller, said) = rest.split_once("NVRM: Xid (")?;
    let caller = caller.trim();
    let is_caller = caller.is_empty() || (caller.starts_with('[') && caller.ends_with(']'));
    if !is_caller {
        return None;
    }
    let (place, said) = said.split_once("): ")?;
    let (code, words) = said.split_once(',').unwrap_or((said, ""));
    Some(XidLine {
        time: since_boot(time.trim())?,
        pci: pci_place(place.strip_prefix("PCI:").unwrap_or(place))?,
        code: code.trim().parse().ok()?,
        words: words.trim().chars().filter(|c| !c.is_control()).take(MOST_CHARACTERS).collect(),
    })
}

fn since_boot(time: &str) -> Option<Duration> {
    let (seconds, micros) = time.split_once('.')?;
    let micros = (micros.len() == 6).then(|| micros.parse().ok()).flatten()?;
    Some(Duration::from_secs(seconds.parse().ok()?) + Duration::from_micros(micros))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "4f3b9d0e-5a0c-4f0e-9a55-0a4f5a8a1c11";

    /// The command's output for such a log, read by this machine's shell.
    fn told_of(log: &str) -> KernelXids {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        std::fs::write(&file, log).unwrap();
        let script = COMMAND.replace("dmesg -S -r", &format!("cat '{}'", file.display()));
        let output = std::process::Command::new("/bin/sh").arg("-c").arg(script).output().unwrap();
        xids(&String::from_utf8(output.stdout).unwrap()).unwrap()
    }

    fn codes_of(log: &str) -> Vec<u32> {
        told_of(log).lines.unwrap().iter().map(|line| line.code).collect()
    }

    #[test]
    fn a_flood_of_one_code_hides_no_other() {
        let mut log = "<4>[    1.000000] NVRM: Xid (PCI:0000:17:00): 79, pid=7, name=a): 13, x\n".to_owned();
        for number in 0..3000 {
            log += &format!("<4>[    2.{number:06}] NVRM: Xid (PCI:0000:17:00): 13, pid=7, name=b): 79, x\n");
        }
        log += "<4>[    3.000000] NVRM: Xid (PCI:0000:17:00): 31, x\n";
        let codes = codes_of(&log);
        assert_eq!((codes.len(), codes[0], codes[1], codes[201]), (202, 79, 13, 31));
    }

    #[test]
    fn a_line_within_anothers_message_is_no_xid() {
        let xid = "NVRM: Xid (PCI:0000:17:00): 79, x";
        let forged = format!("<4>[    1.000001] program: a\n<4>[    1.000001] {xid}\n<4>[    1.000001] NVRM: b\n");
        assert_eq!(codes_of(&format!("{forged}<4>[    1.000001] {xid}\n")), Vec::<u32>::new());
        let own = format!("<4>[    1.000002] NVRM: GPU at PCI:0000:17:00\n<4>[    1.000002] {xid}\n");
        let caller = format!("<4>[    1.000003][    T7] program: a\n<4>[    1.000003][    T8] {xid}\n");
        assert_eq!(codes_of(&format!("{forged}{own}{caller}<12>[    1.000004] {xid}\n")), [79, 79]);
        assert_eq!(codes_of(&format!("<4>[    1.000005] {xid}\n")), [79]);
    }

    #[test]
    fn lines_of_all_drivers_with_their_cards_and_times() {
        let told = format!(
            "boot {BOOT} 5025.50\n\
             <4>[ 1234.567890] NVRM: Xid (PCI:0000:17:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n\
             <4>[ 1300.000001] NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked for remapping, reset gpu to activate.\n\
             <4>[ 1301.000000][ T4711] NVRM: Xid (PCI:0000:CB:00): 31, pid=99, name=python, Ch 00000008, intr 10000000\n\
             <3>[ 1302.500000] NVRM: Xid (0000:03:00): 14, Channel 00000001\n"
        );
        let found = xids(&told).unwrap();
        assert_eq!((found.boot.as_str(), found.uptime), (BOOT, Duration::from_millis(5_025_500)));
        let lines = found.lines.unwrap();
        let facts: Vec<_> = lines.iter().map(|line| (line.pci.as_str(), line.code)).collect();
        assert_eq!(facts, [("0000:17:00", 79), ("0000:10:1c", 63), ("0000:cb:00", 31), ("0000:03:00", 14)]);
        assert_eq!(lines[0].time, Duration::from_micros(1_234_567_890));
        assert!(lines[0].words.ends_with("GPU has fallen off the bus."), "{:?}", lines[0]);
    }

    #[test]
    fn what_a_program_says_is_no_xid() {
        let xid_of = |line: &str| xids(&format!("boot {BOOT} 1.00\n{line}\n")).unwrap().lines.unwrap();
        assert_eq!(xid_of("<4>[    1.000000] NVRM: Xid (PCI:0000:17:00): 79, x").len(), 1);
        for line in [
            "<12>[    1.000000] NVRM: Xid (PCI:0000:17:00): 79, written to the log by a program",
            "<4>[    1.000000] python[7]: segfault NVRM: Xid (PCI:0000:17:00): 79, x",
            "<4>[    1.000000] NVRM: Xid (PCI:GPU-0): 79, x",
            "<4>[    1.000000] NVRM: Xid (PCI:0000:17:00): many, x",
            "<4>[    1.0] NVRM: Xid (PCI:0000:17:00): 79, x",
            "NVRM: Xid (PCI:0000:17:00): 79, x",
            "",
        ] {
            assert_eq!(xid_of(line), [], "{line}");
        }
    }

    #[test]
    fn a_log_that_can_not_be_read_is_told_apart_from_an_empty_one() {
        assert_eq!(xids(&format!("boot {BOOT} 1.00\n")).unwrap().lines, Some(vec![]));
        assert_eq!(xids(&format!("boot {BOOT} 1.00\nunreadable\n")).unwrap().lines, None);
        for strange in ["", "bash\nsh\n", "boot x 1.00\n", "boot 4f3b9d0e-5a0c-4f0e-9a55-0a4f5a8a1c11 soon\n"] {
            assert_eq!(xids(strange), None, "{strange:?}");
        }
    }
}
