//! The Linux capabilities that the disk needs to work with files of other owners, as containers write them.

/// Name and bit of each, as in `man 7 capabilities`.
const NEEDED: [(&str, u32); 3] = [("CAP_CHOWN", 0), ("CAP_DAC_OVERRIDE", 1), ("CAP_FOWNER", 3)];

/// Which of them a process lacks, from the text of its `/proc/PID/status`.
#[must_use]
pub fn missing_rights(status: &str) -> Vec<&'static str> {
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let rights = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or_default();
    NEEDED.iter().filter(|(_, bit)| rights >> bit & 1 == 0).map(|(name, _)| *name).collect()
}

/// Which of them this process lacks. Warns of them at the start.
pub(crate) fn warn_of_missing() {
    let missing = missing_rights(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    if !missing.is_empty() {
        tracing::warn!(
            missing = missing.join(" "),
            "the disk lacks capabilities: files that instances write under other owners may be unreadable or \
             undeletable for their users"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::missing_rights;

    #[test]
    fn rights_are_bits_of_the_effective_set() {
        assert!(missing_rights("CapPrm:\t0\nCapEff:\t000001ffffffffff\n").is_empty());
        assert_eq!(missing_rights("CapEff:\t0000000000000008\n"), ["CAP_CHOWN", "CAP_DAC_OVERRIDE"]);
        assert_eq!(missing_rights("").len(), 3);
    }
}
