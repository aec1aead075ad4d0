//! Shares, and their pure rules.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Meta, Moment};
use disk_core::reason::Reason;
use http::HeaderValue;
use kernel::{Timestamp, UserId};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::resources::Collecting;

/// Characters of a hash: 128 bits in URL-safe base64.
const HASH_LENGTH: usize = 22;
/// For links that were imported from a File Browser: 48 bits, so that sent links stay valid.
const IMPORTED_HASH_LENGTH: usize = 8;
/// Of a link that takes files: as many as a folder shows without trouble.
const MOST_FILES: u64 = 10_000;
/// Of a link that takes files: 16 TiB.
const MOST_BYTES: u64 = 1 << 44;
/// SPEC §5.
const MAX_EXPIRES: i64 = 2_147_483_647;

/// Which entry is shared, as opposed to where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) born: Option<Moment>,
}

impl Identity {
    pub(super) fn of(meta: &Meta) -> Self {
        Self { device: meta.device, inode: meta.inode, born: meta.born }
    }

    /// Whether both are the same entry. Inode numbers are reused, times of birth are not. Device numbers change when a
    /// machine finds its disks in another order, so they count only where no time of birth is known.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same_birth = match (self.born, other.born) {
            (Some(one), Some(other)) => one == other,
            (None, None) => self.device == other.device,
            _ => false,
        };
        self.inode == other.inode && same_birth
    }
}

/// The limits of a link that only takes files, and what it has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Collection {
    /// Bytes that visitors may send in all.
    pub(super) max_bytes: u64,
    /// Files that visitors may send in all.
    pub(super) max_files: u64,
    /// Bytes that they have sent.
    pub(super) bytes: u64,
    /// Files that they have sent.
    pub(super) files: u64,
}

impl Collection {
    /// With these limits, and still empty. 400 for limits outside of the allowed range.
    pub(super) fn new(max_bytes: i64, max_files: i64) -> DiskResult<Self> {
        let within = |number: i64, most: u64| u64::try_from(number).ok().filter(|number| (1..=most).contains(number));
        let limits = within(max_bytes, MOST_BYTES).zip(within(max_files, MOST_FILES));
        let (max_bytes, max_files) = limits.ok_or_else(|| DiskError::bad_request(Reason::CapsMalformed))?;
        Ok(Self { max_bytes, max_files, bytes: 0, files: 0 })
    }

    /// Whether it has room for `bytes` in a file besides what is `promised` to uploads under way.
    pub(super) fn has_room(&self, bytes: u64, promised: (u64, u64)) -> bool {
        let (promised_bytes, promised_files) = promised;
        let fits = |taken: u64, promised: u64, more: u64, most: u64| {
            taken.saturating_add(promised).saturating_add(more) <= most
        };
        fits(self.files, promised_files, 1, self.max_files) && fits(self.bytes, promised_bytes, bytes, self.max_bytes)
    }

    /// What visitors see of it.
    pub(super) fn shown(self) -> Collecting {
        Collecting { max_bytes: self.max_bytes, max_files: self.max_files, full: self.is_full() }
    }

    /// Whether one of its limits is reached.
    pub(super) fn is_full(&self) -> bool {
        self.files >= self.max_files || self.bytes >= self.max_bytes
    }
}

/// One link.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub(super) hash: String,
    pub(super) owner_id: UserId,
    pub(super) owner_name: String,
    /// In the owner's view.
    pub(super) path: String,
    /// True names as [`place`] writes them.
    pub(super) place: String,
    pub(super) identity: Identity,
    /// The entry that was about to take its place, when a power cut may have come between.
    pub(super) next: Option<Identity>,
    pub(super) expires: Option<Timestamp>,
    /// The password's hash.
    pub(super) password: Option<String>,
    pub(super) created: Timestamp,
    pub(super) downloads: u64,
    /// Of a link that only takes files.
    pub(super) collection: Option<Collection>,
    pub(super) views: u64,
    pub(super) last_visit: Option<Timestamp>,
}

/// A link as its owner and administrators see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShareLink {
    /// Names the link in addresses.
    hash: String,
    /// What is shared, from its owner's root, decoded.
    path: String,
    /// The owner's number.
    #[serde(rename = "userID")]
    user_id: UserId,
    /// The owner's name; only for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    username: Option<String>,
    /// Seconds since 1970; 0 = never.
    expire: i64,
    /// Whether visitors need a password.
    has_password: bool,
    created: Timestamp,
    /// How often its content was fetched.
    downloads: u64,
    /// How often visitors opened it. The same address counts once in half an hour.
    views: u64,
    /// When visitors last opened it, fetched from it or sent to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_visit: Option<Timestamp>,
    /// Of a link that only takes files: its limits, and what it has taken. Visitors see nothing of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    collect: Option<Collection>,
}

impl Share {
    /// Whether this entry is the shared one.
    pub(super) fn is_of(&self, entry: &Identity) -> bool {
        self.identity.is(entry) || self.next.as_ref().is_some_and(|next| next.is(entry))
    }

    pub(super) fn link(self, for_admin: bool) -> ShareLink {
        ShareLink {
            hash: self.hash,
            path: self.path,
            user_id: self.owner_id,
            username: for_admin.then_some(self.owner_name),
            expire: self.expires.map_or(0, Timestamp::as_seconds),
            has_password: self.password.is_some(),
            created: self.created,
            downloads: self.downloads,
            views: self.views,
            last_visit: self.last_visit,
            collect: self.collection,
        }
    }
}

/// A link that cannot be guessed.
pub(super) fn new_hash() -> DiskResult<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(DiskError::internal)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether this could be a hash.
pub(super) fn is_hash(text: &str) -> bool {
    matches!(text.len(), HASH_LENGTH | IMPORTED_HASH_LENGTH)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// True names as one text: a place below another begins with its text and a slash, and no other place does.
pub(super) fn place(names: &[OsString]) -> String {
    let encoded = names.iter().map(|name| percent_encode(name.as_bytes(), NON_ALPHANUMERIC).to_string());
    encoded.collect::<Vec<_>>().join("/")
}

/// The true names that [`place`] wrote down.
pub(super) fn names_of(place: &str) -> Vec<OsString> {
    place.split('/').map(|name| OsString::from_vec(percent_decode_str(name).collect())).collect()
}

/// The header `Sunset` (RFC 8594): the end of the share. Dates in headers end with the year 9999.
pub(super) fn sunset(expires: Timestamp) -> Option<HeaderValue> {
    const LAST: u64 = 253_402_300_799;
    let seconds = u64::try_from(expires.as_seconds()).ok().filter(|seconds| *seconds <= LAST)?;
    HeaderValue::from_str(&httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))).ok()
}

/// What expiry times are said in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    Seconds,
    Minutes,
    #[default]
    Hours,
    Days,
}

impl Unit {
    fn seconds(self) -> i64 {
        match self {
            Self::Seconds => 1,
            Self::Minutes => 60,
            Self::Hours => 60 * 60,
            Self::Days => 24 * 60 * 60,
        }
    }
}

/// When a link made now expires; 400 for a number outside of the allowed range.
pub(super) fn expiry(now: Timestamp, number: &str, unit: Unit) -> DiskResult<Timestamp> {
    let number = number.trim();
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number = number.parse::<i64>().ok().filter(|number| digits && *number <= MAX_EXPIRES);
    let number = number.ok_or_else(|| DiskError::bad_request(Reason::ExpiresMalformed))?;
    // Whole seconds, as the link shows.
    Ok(Timestamp::from_millis((now.as_seconds() + number * unit.seconds()) * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s265_s266_expiry_is_a_number_of_units() {
        let now = Timestamp::from_millis(1_000_500);
        let table = [
            ("0", Unit::Hours, Some(1000)),
            ("90", Unit::Seconds, Some(1090)),
            ("2", Unit::Minutes, Some(1120)),
            ("1", Unit::Hours, Some(4600)),
            ("2147483647", Unit::Days, Some(1000 + 2_147_483_647 * 86_400)),
            ("2147483648", Unit::Seconds, None),
            ("-1", Unit::Seconds, None),
            ("+1", Unit::Seconds, None),
            ("1.5", Unit::Seconds, None),
            ("ten", Unit::Seconds, None),
            ("99999999999999999999", Unit::Days, None),
        ];
        for (number, unit, expected) in table {
            assert_eq!(expiry(now, number, unit).ok().map(Timestamp::as_seconds), expected, "{number} {unit:?}");
        }
    }

    #[test]
    fn a_header_says_when_it_ends() {
        let said = |seconds: i64| {
            sunset(Timestamp::from_millis(seconds * 1000)).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(said(1_800_000_090).as_deref(), Some("Fri, 15 Jan 2027 08:01:30 GMT"));
        assert_eq!(said(253_402_300_799).as_deref(), Some("Fri, 31 Dec 9999 23:59:59 GMT"));
        assert_eq!(said(253_402_300_800), None);
    }

    #[test]
    fn a_place_is_above_only_what_lies_in_it() {
        let text = |path: &str| place(&path.split('/').map(OsString::from).collect::<Vec<_>>());
        assert!(text("home/ann/a/b").starts_with(&format!("{}/", text("home/ann/a"))));
        assert!(!text("home/ann/ab").starts_with(&format!("{}/", text("home/ann/a"))));
        assert_ne!(text("home/ann/a b"), text("home/ann/a%20b"));
    }

    #[test]
    fn a_place_gives_its_names_back() {
        let names = [b"home".to_vec(), b"a b%20#?".to_vec(), "图".into(), vec![0xff, b'\\']].map(OsString::from_vec);
        assert_eq!(names_of(&place(&names)), names);
    }

    #[test]
    fn an_inode_number_given_out_again_is_another_entry() {
        let born = |seconds| Identity { device: 1, inode: 7, born: Some(Moment { seconds, nanos: 0 }) };
        let unborn = |device| Identity { device, inode: 7, born: None };
        assert!(born(1).is(&Identity { device: 2, ..born(1) }) && !born(1).is(&born(2)));
        assert!(unborn(1).is(&unborn(1)) && !unborn(1).is(&unborn(2)) && !unborn(1).is(&born(1)));
        assert!(!born(1).is(&Identity { inode: 8, ..born(1) }));
    }

    #[test]
    fn a_collection_takes_what_its_limits_say_and_not_a_byte_more() {
        assert!(Collection::new(1, 1).is_ok() && Collection::new(1 << 44, 10_000).is_ok());
        for (bytes, files) in [(0, 1), (1, 0), (-1, 1), (1, -1), ((1 << 44) + 1, 1), (1, 10_001), (i64::MIN, i64::MAX)]
        {
            assert!(Collection::new(bytes, files).is_err(), "{bytes} {files}");
        }
        let half = Collection { bytes: 60, files: 1, ..Collection::new(100, 3).unwrap() };
        assert!(half.has_room(40, (0, 0)) && !half.has_room(41, (0, 0)) && !half.is_full());
        assert!(half.has_room(30, (10, 1)) && !half.has_room(31, (10, 1)) && !half.has_room(0, (0, 2)));
        assert!(!half.has_room(u64::MAX, (u64::MAX, 0)));
        assert!(Collection { files: 3, ..half }.is_full() && Collection { bytes: 100, ..half }.is_full());
    }

    #[test]
    fn hashes_have_128_bits() {
        let hash = new_hash().unwrap();
        assert!(is_hash(&hash) && hash != new_hash().unwrap());
        assert!(is_hash("tgq_-EFD") && !is_hash("abc") && !is_hash(&"/".repeat(HASH_LENGTH)));
    }
}
