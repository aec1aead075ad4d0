//! Terminals: a pair of ends, their size and modes.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, Winsize, tcgetattr, tcsetattr,
    tcsetwinsize,
};
use tools::wire::{Size, Terminal};

/// The mode of RFC 4254 that ends the list.
const END: u8 = 0;
/// A control character that is switched off.
const OFF: u8 = 0;

/// Both ends of a new terminal: ours, and the one of the programs.
///
/// # Errors
/// When the instance has no terminals.
pub(super) fn pair(terminal: &Terminal) -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags).or_else(|_| {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        open("/dev/pts/ptmx", flags, Mode::empty())
    })?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?;
    let mut modes = tcgetattr(&theirs)?;
    // A backspace takes a whole character away.
    modes.input_modes |= InputModes::IUTF8;
    terminal.modes.iter().take_while(|(mode, _)| *mode != END).for_each(|one| set(&mut modes, *one));
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    resize(&ours, terminal.size)?;
    Ok((ours, theirs))
}

/// Sets the size, of which the programs are notified.
pub(super) fn resize(terminal: impl AsFd, size: Size) -> Result<(), Errno> {
    let Size { columns, rows, width, height } = size;
    tcsetwinsize(terminal, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: width, ws_ypixel: height })
}

/// The character that ends the input, where the programs read by lines; others take every byte as a key.
pub(super) fn end_of_input(terminal: impl AsFd) -> Option<u8> {
    let modes = tcgetattr(terminal).ok()?;
    modes.local_modes.contains(LocalModes::ICANON).then(|| modes.special_codes[SpecialCodeIndex::VEOF])
}

/// A mode by its number in RFC 4254 §8; unknown ones do nothing, as with sshd.
fn set(modes: &mut Termios, (mode, value): (u8, u32)) {
    use SpecialCodeIndex as Key;
    let keys = [
        (1, Key::VINTR),
        (2, Key::VQUIT),
        (3, Key::VERASE),
        (4, Key::VKILL),
        (5, Key::VEOF),
        (6, Key::VEOL),
        (7, Key::VEOL2),
        (8, Key::VSTART),
        (9, Key::VSTOP),
        (10, Key::VSUSP),
        (12, Key::VREPRINT),
        (13, Key::VWERASE),
        (14, Key::VLNEXT),
        (18, Key::VDISCARD),
    ];
    let input = [
        (30, InputModes::IGNPAR),
        (31, InputModes::PARMRK),
        (32, InputModes::INPCK),
        (33, InputModes::ISTRIP),
        (34, InputModes::INLCR),
        (35, InputModes::IGNCR),
        (36, InputModes::ICRNL),
        (37, InputModes::IUCLC),
        (38, InputModes::IXON),
        (39, InputModes::IXANY),
        (40, InputModes::IXOFF),
        (41, InputModes::IMAXBEL),
        (42, InputModes::IUTF8),
    ];
    let local = [
        (50, LocalModes::ISIG),
        (51, LocalModes::ICANON),
        (53, LocalModes::ECHO),
        (54, LocalModes::ECHOE),
        (55, LocalModes::ECHOK),
        (56, LocalModes::ECHONL),
        (57, LocalModes::NOFLSH),
        (58, LocalModes::TOSTOP),
        (59, LocalModes::IEXTEN),
        (60, LocalModes::ECHOCTL),
        (61, LocalModes::ECHOKE),
        (62, LocalModes::PENDIN),
    ];
    let output = [
        (70, OutputModes::OPOST),
        (71, OutputModes::OLCUC),
        (72, OutputModes::ONLCR),
        (73, OutputModes::OCRNL),
        (74, OutputModes::ONOCR),
        (75, OutputModes::ONLRET),
    ];
    if let Some((_, key)) = keys.iter().find(|(number, _)| *number == mode) {
        // 255 is a key that there is not.
        modes.special_codes[*key] = u8::try_from(value).ok().filter(|key| *key != u8::MAX).unwrap_or(OFF);
    } else if let Some((_, one)) = input.iter().find(|(number, _)| *number == mode) {
        modes.input_modes.set(*one, value != 0);
    } else if let Some((_, one)) = local.iter().find(|(number, _)| *number == mode) {
        modes.local_modes.set(*one, value != 0);
    } else if let Some((_, one)) = output.iter().find(|(number, _)| *number == mode) {
        modes.output_modes.set(*one, value != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_the_client() {
        let size = Size { columns: 100, rows: 30, ..Size::default() };
        let modes = vec![(3, 8), (1, 255), (53, 0), (200, 7), (END, 0), (51, 0)];
        let (ours, theirs) = pair(&Terminal { term: Vec::new(), size, modes }).unwrap();
        let set = tcgetattr(&theirs).unwrap();
        assert_eq!((set.special_codes[SpecialCodeIndex::VERASE], set.special_codes[SpecialCodeIndex::VINTR]), (8, OFF));
        assert!(!set.local_modes.contains(LocalModes::ECHO));
        assert!(set.local_modes.contains(LocalModes::ICANON), "after the end of the list");
        assert!(set.input_modes.contains(InputModes::IUTF8));
        assert_eq!(rustix::termios::tcgetwinsize(&theirs).unwrap().ws_col, 100);
        assert_eq!(end_of_input(&ours), Some(4));
    }
}
