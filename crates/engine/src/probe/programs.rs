//! Processes in one container, from the kernel's own tables: no program of a user is run or trusted for it, except for
//! the process's own name.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::{ContainerPrograms, Program};

/// For the container with the id `$1`: executable files, open connections of its network, names and arguments. Every
/// record ends with a NUL, which nothing in it can contain, and begins with its source, so none can pass for another.
/// Each kind has a limit, so a container that starts thousands of programs only fills its own.
pub(super) const COMMAND: &str = r#"cd /proc || exit 1
list=$(grep -lsF -- "$1" [0-9]*/cgroup)
[ -n "$list" ] || exit 0
each() { printf '%s\n' "$list" | sed "s/cgroup\$/$1/"; }
find $(each exe) -maxdepth 0 -printf '%p:%l\0' 2>/dev/null | head -c 524288; printf '\0'
for tables in $(each net); do
  [ -r "$tables/tcp" ] || continue
  cat "$tables/tcp" "$tables/tcp6" 2>/dev/null | while read -r slot local remote state rest; do
    [ "$state" = 01 ] && printf 'connected:%s\0' "$remote"
  done | head -c 524288; printf '\0'
  break
done
{ each comm; each cmdline; } | xargs grep -azoHs -m 32 '^.\{1,200\}' | head -c 1048576; printf '\0'"#;

/// Parses the output; output that was cut off by a limit is only shorter.
pub(super) fn found(told: &[u8]) -> ContainerPrograms {
    let mut programs: BTreeMap<u32, Program> = BTreeMap::new();
    let mut connected = Vec::new();
    for record in told.split(|byte| *byte == 0) {
        let record = String::from_utf8_lossy(record);
        let Some((source, said)) = record.split_once(':') else { continue };
        if source == "connected" {
            connected.extend(address(said));
            continue;
        }
        let Some((pid, what)) = source.split_once('/') else { continue };
        let Ok(pid) = pid.parse() else { continue };
        let program = programs.entry(pid).or_insert_with(|| Program { pid, ..Program::default() });
        match what {
            "exe" => said.clone_into(&mut program.file),
            "comm" if program.name.is_empty() => said.trim_end_matches('\n').clone_into(&mut program.name),
            "cmdline" => program.arguments.push(said.to_owned()),
            _ => {}
        }
    }
    connected.sort_unstable();
    connected.dedup();
    ContainerPrograms { programs: programs.into_values().collect(), connected }
}

/// `0100007F:1F90`, each four bytes in the machine's order, which is little-endian wherever there
/// are cards.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let words = host.as_bytes().as_chunks::<8>().0;
    let word = |at: usize| u32::from_str_radix(std::str::from_utf8(words.get(at)?).ok()?, 16).ok();
    let ip = match host.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?.swap_bytes())),
        32 => {
            let parts = [word(0)?, word(1)?, word(2)?, word(3)?].map(|part| u128::from(part.swap_bytes()));
            Ipv6Addr::from(parts.into_iter().fold(0, |all, part| (all << 32) | part)).to_canonical()
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_the_kernel_writes_them() {
        for (told, address_of) in [
            ("0100007F:1F90", Some("127.0.0.1:8080")),
            ("0A7100CB:0D05", Some("203.0.113.10:3333")),
            ("0000000000000000FFFF00000A7100CB:0D05", Some("203.0.113.10:3333")),
            ("B80D0120000000000000000001000000:115C", Some("[2001:db8::1]:4444")),
            ("0100007F", None),
            ("0100007F:zz", None),
            ("+100007F:1F90:1", None),
            ("一二三四五:0D05", None),
        ] {
            assert_eq!(address(told), address_of.map(|text| text.parse().unwrap()), "{told}");
        }
    }

    #[test]
    fn no_argument_can_pass_for_another_program() {
        let told = "7/exe:/tmp/xmrig (deleted)\x008/exe:/usr/bin/python3\0\0connected:0100007F:1F90\0\0\
            7/comm:python\n\x007/cmdline:python\0\
            7/cmdline:x\n8/cmdline:xmrig\nconnected:0A7100CB:0D05\x008/cmdline:python3\x009/ex";
        let found = found(told.as_bytes());
        assert_eq!(found.connected, ["127.0.0.1:8080".parse().unwrap()]);
        let [seven, eight] = &found.programs[..] else { panic!("{found:?}") };
        assert_eq!((seven.pid, seven.name.as_str(), seven.file.as_str()), (7, "python", "/tmp/xmrig (deleted)"));
        assert_eq!(seven.arguments, ["python", "x\n8/cmdline:xmrig\nconnected:0A7100CB:0D05"]);
        assert_eq!((eight.pid, eight.arguments.len()), (8, 1));
    }
}
