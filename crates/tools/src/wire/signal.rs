//! Signals by the names that SSH has for them, and some more, without `SIG`. Their numbers are those of Linux on x86-64
//! and arm64.

const SIGNALS: [(&str, u8); 20] = [
    ("ABRT", 6),
    ("ALRM", 14),
    ("BUS", 7),
    ("CONT", 18),
    ("FPE", 8),
    ("HUP", 1),
    ("ILL", 4),
    ("INT", 2),
    ("KILL", 9),
    ("PIPE", 13),
    ("QUIT", 3),
    ("SEGV", 11),
    ("STOP", 19),
    ("SYS", 31),
    ("TERM", 15),
    ("TRAP", 5),
    ("TSTP", 20),
    ("USR1", 10),
    ("USR2", 12),
    ("WINCH", 28),
];

/// The number of a signal.
#[must_use]
pub fn signal_number(name: &str) -> Option<u8> {
    SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
}

/// The name of a signal.
#[must_use]
pub fn signal_name(number: u8) -> Option<&'static str> {
    SIGNALS.iter().find(|(_, known)| *known == number).map(|(name, _)| *name)
}
