//! Load of the machine, space on its disks, and its listening ports, from the kernel's own tables.

use std::collections::BTreeSet;

use crate::{CpuTime, MachineUse, Room};

/// Times of all cores, memory, and the room of the file system of each folder in `$@`. Appended to
/// the script that finds `$root`.
pub(super) const USE_COMMAND: &str = r#"head -n 1 /proc/stat
while read -r name kib unit; do
  case $name in MemTotal:|MemAvailable:) echo "$name $kib" ;; esac
done </proc/meminfo
for folder in "$@"; do stat -f -c 'room %S %b %f' -- "$root$folder" 2>/dev/null || echo none; done"#;

/// Listening TCP ports in hexadecimal. Appended to the same script; the kernel shows the ports of the network namespace
/// of the process at `$root`.
pub(super) const PORTS_COMMAND: &str = r#"for table in tcp tcp6; do
  while read -r slot local remote state rest; do
    [ "$state" = 0A ] && echo "${local##*:}"
  done <"${root%/root}/net/$table"
done 2>/dev/null
true"#;

/// Parses the output; `None` if it is malformed.
pub(super) fn machine_use(told: &str) -> Option<MachineUse> {
    let mut lines = told.lines();
    let cpu = cpu_time(lines.next()?)?;
    let mut memory = |name: &str| lines.next()?.strip_prefix(name)?.trim().parse::<u64>().ok()?.checked_mul(1024);
    let total = memory("MemTotal:")?;
    let memory_used = total.saturating_sub(memory("MemAvailable:")?);
    Some(MachineUse { cpu, memory_used, rooms: lines.map(room).collect() })
}

/// `cpu  user nice system idle iowait irq softirq steal guest guest_nice`; guests are in user.
fn cpu_time(line: &str) -> Option<CpuTime> {
    let times: Vec<u64> = line.strip_prefix("cpu ")?.split_whitespace().take(8).map_while(|n| n.parse().ok()).collect();
    let total: u64 = times.iter().sum();
    let idle = times.get(3)? + times.get(4).copied().unwrap_or_default();
    Some(CpuTime { busy: total.saturating_sub(idle), total })
}

fn room(line: &str) -> Option<Room> {
    let mut numbers = line.strip_prefix("room ")?.split(' ').map(str::parse::<u64>);
    let mut number = || numbers.next()?.ok();
    let (block, blocks, free) = (number()?, number()?, number()?);
    Some(Room { total: block.saturating_mul(blocks), used: block.saturating_mul(blocks.saturating_sub(free)) })
}

pub(super) fn ports(told: &str) -> BTreeSet<u16> {
    told.lines().filter_map(|port| u16::from_str_radix(port, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_tells_of_a_machine() {
        let told = "cpu  100 0 50 800 40 0 10 0 7 0\nMemTotal: 1000\nMemAvailable: 250\nroom 4096 100 25\nnone\n";
        let found = machine_use(told).unwrap();
        assert_eq!(found.cpu, CpuTime { busy: 160, total: 1000 });
        assert_eq!(found.memory_used, 750 * 1024);
        assert_eq!(found.rooms, [Some(Room { total: 409_600, used: 307_200 }), None]);
        for strange in ["", "cpu  1 2 3\n", "cpu  1 2 3 4\nMemTotal: much\n", "bash\nsh\n"] {
            assert_eq!(machine_use(strange), None, "{strange:?}");
        }
    }

    #[test]
    fn ports_are_hexadecimal_and_each_is_told_once() {
        assert_eq!(ports("7530\n7530\n0016\nnonsense\n"), BTreeSet::from([22, 30000]));
    }
}
