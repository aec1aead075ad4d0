//! The programs of the container and what they are connected to, for the portal's watch. Every record ends with a NUL,
//! which nothing in it can contain, and begins with its source, so none can pass for another; the format is that of the
//! engine's `probe`. Each kind has a limit.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use crate::process::Process;

/// Bytes of executable files, and of connections.
const MOST: usize = 512 << 10;
/// Bytes of names and arguments.
const MOST_WORDS: usize = 1 << 20;
/// Arguments of a program, and bytes of each.
const ARGUMENTS: usize = 32;
const ARGUMENT: usize = 200;
/// The kernel's number for a connection that is open.
const ESTABLISHED: &str = "01";

/// Prints all of it.
///
/// # Errors
/// When standard output is closed.
pub(crate) fn print() -> Result<u8, String> {
    let (mut files, mut words) = (Records::new(MOST), Records::new(MOST_WORDS));
    for process in Process::all().filter(|process| !process.is_ours()) {
        let pid = process.pid;
        if let Some(Ok(file)) = process.as_its_user(|| fs::read_link(format!("/proc/{pid}/exe"))) {
            files.add(&format!("{pid}/exe"), file.as_os_str().as_bytes());
        }
        let read = |what: &str| fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default();
        words.add(&format!("{pid}/comm"), read("comm").trim_ascii_end());
        let line = read("cmdline");
        for argument in line.split(|&byte| byte == 0).filter(|argument| !argument.is_empty()).take(ARGUMENTS) {
            words.add(&format!("{pid}/cmdline"), &argument[..argument.len().min(ARGUMENT)]);
        }
    }
    let mut connected = Records::new(MOST);
    for table in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("/proc/self/net/{table}")).unwrap_or_default();
        table.lines().filter_map(remote).for_each(|remote| connected.add("connected", remote.as_bytes()));
    }
    let all = [files.bytes, connected.bytes, words.bytes].concat();
    std::io::stdout().write_all(&all).map_err(|error| error.to_string())?;
    Ok(0)
}

/// The other end of an open connection, as the kernel writes it.
fn remote(line: &str) -> Option<&str> {
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    let [_, _, remote, ESTABLISHED] = fields[..] else { return None };
    Some(remote)
}

/// Records of one kind.
struct Records {
    bytes: Vec<u8>,
    most: usize,
}

impl Records {
    fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    /// Leaves out what does not fit.
    fn add(&mut self, source: &str, value: &[u8]) {
        if self.bytes.len() + source.len() + value.len() + 2 <= self.most {
            self.bytes.extend_from_slice(source.as_bytes());
            self.bytes.push(b':');
            self.bytes.extend_from_slice(value);
            self.bytes.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_connections_count() {
        let table = "  sl  local_address rem_address   st tx_queue\n   0: 0100007F:1F90 0A7100CB:0D05 01 00000000:00000000\n   \
            1: 00000000:0016 00000000:0000 0A 00000000:00000000\n";
        assert_eq!(table.lines().filter_map(remote).collect::<Vec<_>>(), ["0A7100CB:0D05"]);
    }

    #[test]
    fn records_have_a_limit() {
        let mut records = Records::new(12);
        records.add("7/exe", b"/x");
        records.add("8/exe", b"/y");
        assert_eq!(records.bytes, b"7/exe:/x\0");
    }
}
