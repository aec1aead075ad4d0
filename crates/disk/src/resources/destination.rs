//! Where a copy or a move goes.
//!
//! A query value is percent-encoded once, and a client may declare that (`encoded=1`). File Browser's
//! pages encode each segment and then the whole path again, without declaring it. This is the only
//! place that decodes twice.

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Location, VirtualPath};
use disk_core::reason::Reason;
use disk_core::view::View;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, de};

/// How often a client has percent-encoded the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoded {
    Once,
    Twice,
}

impl<'de> Deserialize<'de> for Encoded {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        match u8::deserialize(source)? {
            1 => Ok(Self::Once),
            2 => Ok(Self::Twice),
            other => Err(de::Error::invalid_value(de::Unexpected::Unsigned(other.into()), &"1 or 2")),
        }
    }
}

/// The interpretations of a destination that are valid paths and differ.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    once: VirtualPath,
    twice: Option<VirtualPath>,
    /// Whether it has the form that File Browser's pages send.
    looks_encoded_twice: bool,
}

impl Readings {
    /// Parses the raw parameter with the encoding that the client declared.
    pub(super) fn parse(raw: Option<&str>, encoded: Option<Encoded>) -> DiskResult<Self> {
        let raw =
            raw.filter(|raw| !raw.is_empty()).ok_or_else(|| DiskError::bad_request(Reason::DestinationMissing))?;
        let only = |path: VirtualPath| Self { once: path, twice: None, looks_encoded_twice: false };
        // A path begins with a slash, which stays encoded only if it was so twice.
        let slash_twice = raw.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("%252f"));
        if slash_twice || encoded == Some(Encoded::Twice) {
            return Ok(only(VirtualPath::parse(&decoded(raw)?)?));
        }
        let once = VirtualPath::parse(raw)?;
        if encoded == Some(Encoded::Once) {
            return Ok(only(once));
        }
        let text = decoded(raw)?;
        let twice = VirtualPath::parse(&text).ok().filter(|twice| *twice != once);
        Ok(Self { once, twice, looks_encoded_twice: !raw.contains('/') && is_encoded(&text) })
    }

    /// Chooses one of the readings. `source` is the name of the copied or moved entry.
    pub(super) fn choose(self, jail: &Jail, view: &View, source: &str) -> VirtualPath {
        let Some(twice) = self.twice else { return self.once };
        let once = self.once;
        let exists = |path: &VirtualPath| exists(jail, view, path);
        // A folder that exists under only one reading decides, then a name that is kept.
        let folders = (exists(&once.parent()), exists(&twice.parent()));
        let names = (once.name() == source, twice.name() == source);
        let is_twice = match (folders, names) {
            ((true, false), _) => false,
            ((false, true), _) => true,
            (_, (true, false)) => false,
            _ if self.looks_encoded_twice => true,
            (_, (false, true)) => !exists(&once),
            _ => !exists(&once) && exists(&twice),
        };
        if is_twice { twice } else { once }
    }
}

fn decoded(raw: &str) -> DiskResult<String> {
    let text = percent_decode_str(raw).decode_utf8();
    Ok(text.map_err(|_| DiskError::bad_request(Reason::PathEncoding))?.into_owned())
}

/// Whether `text` is a path of percent-encoded names: nothing is plain that `encodeURI` encodes,
/// and nothing is encoded that `encodeURIComponent` leaves plain.
fn is_encoded(text: &str) -> bool {
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let fits = match byte {
            b'%' => match (rest.next().and_then(digit), rest.next().and_then(digit)) {
                (Some(high), Some(low)) => !is_unreserved(high * 16 + low),
                _ => false,
            },
            _ => is_unreserved(byte) || b";,/?:@&=+$#".contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Characters that `encodeURIComponent` leaves unencoded.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte)
}

fn exists(jail: &Jail, view: &View, path: &VirtualPath) -> bool {
    let at = |location: Location| jail.entry(&location).is_ok_and(|entry| matches!(entry.meta(), Ok(Some(_))));
    match view.writable(path) {
        Ok(location) if location.fixed => true,
        Ok(location) => at(location),
        Err(_) => false,
    }
}
