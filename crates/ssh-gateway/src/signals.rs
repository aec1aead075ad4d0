//! Signals between SSH, which has names, and the program in the instance, which has numbers.

use russh::Sig;
use tools::wire::{signal_name, signal_number};

/// The number of a signal that a client sends.
pub(crate) fn number(signal: &Sig) -> Option<u8> {
    signal_number(match signal {
        Sig::ABRT => "ABRT",
        Sig::ALRM => "ALRM",
        Sig::FPE => "FPE",
        Sig::HUP => "HUP",
        Sig::ILL => "ILL",
        Sig::INT => "INT",
        Sig::KILL => "KILL",
        Sig::PIPE => "PIPE",
        Sig::QUIT => "QUIT",
        Sig::SEGV => "SEGV",
        Sig::TERM => "TERM",
        Sig::USR1 => "USR1",
        // OpenSSH's own names have its domain.
        Sig::Custom(name) => name.split('@').next().unwrap_or_default(),
    })
}

/// A signal by its number, if SSH has a name for it.
pub(crate) fn named(number: u8) -> Option<Sig> {
    Some(match signal_name(number)? {
        "ABRT" => Sig::ABRT,
        "ALRM" => Sig::ALRM,
        "FPE" => Sig::FPE,
        "HUP" => Sig::HUP,
        "ILL" => Sig::ILL,
        "INT" => Sig::INT,
        "KILL" => Sig::KILL,
        "PIPE" => Sig::PIPE,
        "QUIT" => Sig::QUIT,
        "SEGV" => Sig::SEGV,
        "TERM" => Sig::TERM,
        "USR1" => Sig::USR1,
        "USR2" => Sig::Custom("USR2".to_owned()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (signal, expected) in [(Sig::HUP, 1), (Sig::INT, 2), (Sig::KILL, 9), (Sig::TERM, 15)] {
            assert_eq!(number(&signal), Some(expected));
            assert_eq!(named(expected).as_ref().and_then(number), Some(expected));
        }
        assert_eq!(number(&Sig::Custom("INFO@openssh.com".to_owned())), None);
        assert_eq!(number(&Sig::Custom("USR2".to_owned())), Some(12));
        assert!(named(7).is_none(), "BUS has no name in RFC 4254");
    }
}
