//! Which container a process of the machine runs in, by its control group.

use std::collections::HashMap;

use crate::GpuProcess;

/// For each process: its number, its control groups and its name, each ended by a NUL, which none of them can contain.
pub(super) const COMMAND: &str = r#"for pid in "$@"; do
  printf '%s\0' "$pid"
  cat "/proc/$pid/cgroup" 2>/dev/null; printf '\0'
  cat "/proc/$pid/comm" 2>/dev/null; printf '\0'
done"#;

/// Adds names and containers to processes. A process that ended meanwhile is left out.
pub(super) fn placed(processes: Vec<GpuProcess>, told: &[u8]) -> Vec<GpuProcess> {
    let told: Vec<_> = told.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let (records, _) = told.as_chunks::<3>();
    let known: HashMap<u32, (&str, &str)> = records
        .iter()
        .filter_map(|[pid, groups, name]| Some((pid.parse().ok()?, (groups.as_ref(), name.trim_end()))))
        .collect();
    let place = |mut process: GpuProcess| {
        let (groups, name) = known.get(&process.pid).filter(|(groups, _)| !groups.is_empty())?;
        process.name = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        process.container = container(groups);
        Some(process)
    };
    processes.into_iter().filter_map(place).collect()
}

/// The first id on any path: an engine within a container is that container's business. Paths are
/// `/docker/<id>`, `/system.slice/docker-<id>.scope` and the like.
fn container(groups: &str) -> Option<String> {
    groups.lines().find_map(|line| {
        let path = line.splitn(3, ':').nth(2)?;
        let words = path.split(|c: char| !c.is_ascii_alphanumeric());
        let is_id =
            |word: &&str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        words.into_iter().find(is_id).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_by_the_paths_of_both_versions() {
        let (outer, inner) = ("0a".repeat(32), "1b".repeat(32));
        for groups in [
            format!("12:memory:/docker/{outer}\n1:name=systemd:/docker/{outer}\n"),
            format!("0::/system.slice/docker-{outer}.scope\n"),
            format!("0::/../docker-{outer}.scope/init\n"),
            format!("0::/docker/{outer}/docker/{inner}\n"),
            format!("4:pids:/kubepods.slice/cri-containerd-{outer}.scope\n"),
        ] {
            assert_eq!(container(&groups).as_ref(), Some(&outer), "{groups}");
        }
        for groups in ["", "0::/\n", "0::/user.slice/user-1000.slice/session-3.scope\n"] {
            assert_eq!(container(groups), None, "{groups}");
        }
    }

    #[test]
    fn a_name_can_not_pass_for_a_record() {
        let id = "0a".repeat(32);
        let process =
            |pid| GpuProcess { uuid: "GPU-a".to_owned(), pid, memory: None, name: String::new(), container: None };
        let told =
            format!("7\x000::/docker/{id}\n\0python\n8\n0::/docker/x\n\x008\x000::/\n\0bad\x1bname\n\x009\0\0\0");
        let placed = placed(vec![process(7), process(8), process(9)], told.as_bytes());
        assert_eq!(placed.len(), 2, "the third ended: {placed:?}");
        assert_eq!((placed[0].container.as_ref(), placed[0].name.as_str()), (Some(&id), "python?8?0::/docker/x"));
        assert_eq!((placed[1].container.as_ref(), placed[1].name.as_str()), (None, "bad?name"));
    }
}
