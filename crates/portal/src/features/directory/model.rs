//! A directory's person, its answers to a bind, and the report of a check.

use std::time::Duration;

use kernel::{Timestamp, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::features::settings::LdapSettings;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// An entry, read with the attributes of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) dn: String,
    /// The name for the platform; empty when the entry has none.
    pub(crate) username: String,
    /// `None`, as for the next two, if the entry has no value that the platform accepts.
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) phone: Option<String>,
    /// The platform's groups to which the entry's groups are mapped.
    pub(crate) groups: Vec<i64>,
    /// The first day, counted from 1970, on which the account is over.
    pub(super) ends: Option<i64>,
}

impl Person {
    /// From the values of attributes, whose names are case-insensitive. Groups are looked up separately.
    pub(super) fn new(dn: String, settings: &LdapSettings, values: impl Fn(&str) -> Vec<String>) -> Self {
        let first = |attribute: &str| values(attribute).into_iter().next().unwrap_or_default().trim().to_owned();
        let taken = |attribute: &str, is_fine: fn(&str) -> bool| {
            Some(first(attribute)).filter(|value| !value.is_empty() && is_fine(value))
        };
        let attributes = &settings.attributes;
        // RFC 2307: days since 1970; negative is never.
        let last_day = first(LAST_DAY).parse().ok().filter(|day: &i64| *day >= 0);
        Self {
            dn,
            username: first(&attributes.username),
            name: taken(&attributes.name, |text| rules::is_line(text, 40)),
            email: taken(&attributes.email, rules::is_email),
            phone: taken(&attributes.phone, rules::is_mainland_phone),
            groups: Vec::new(),
            ends: last_day.map(|day| day.saturating_add(1)),
        }
    }

    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        let today = now.as_seconds() / i64::try_from(DAY.as_secs()).unwrap_or(i64::MAX);
        self.ends.is_some_and(|day| day <= today)
    }
}

/// The attribute with an account's last day.
pub(super) const LAST_DAY: &str = "shadowExpire";
/// The attribute with a person's groups, in directories that have it.
pub(super) const MEMBER_OF: &str = "memberOf";

/// Why the directory refuses a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Unknown name or wrong password.
    WrongCredentials,
    /// The account's time is over.
    AccountExpired,
    /// The password expired, or was set by an administrator and must be changed.
    PasswordExpired,
    /// After too many wrong passwords, or by an administrator.
    Locked,
    /// Switched off there.
    Disabled,
}

/// The meaning of an answer to a bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Yes,
    No(Refusal),
    /// An answer that says nothing about the person.
    Failed,
}

impl Bound {
    /// From the result code, the diagnostic text (Active Directory's reason) and the password policy's error
    /// ([`policy_error`]).
    pub(super) fn read(code: u32, text: &str, policy: Option<u8>) -> Self {
        let by_policy = match policy {
            Some(0 | 2) => Some(Refusal::PasswordExpired),
            Some(1) => Some(Refusal::Locked),
            _ => None,
        };
        match code {
            0 => by_policy.map_or(Self::Yes, Self::No),
            // Invalid credentials.
            49 => Self::No(by_policy.or_else(|| active_directory(text)).unwrap_or(Refusal::WrongCredentials)),
            // No such object; inappropriate authentication: the entry has no password.
            32 | 48 => Self::No(Refusal::WrongCredentials),
            // Constraint violation: 389 Directory Server after too many tries.
            19 => Self::No(Refusal::Locked),
            // Unwilling to perform: 389 Directory Server and FreeIPA for a disabled account.
            53 => Self::No(Refusal::Disabled),
            _ => Self::Failed,
        }
    }
}

/// `80090308: LdapErr: DSID-0C090439, comment: AcceptSecurityContext error, data 775, v4563`
fn active_directory(text: &str) -> Option<Refusal> {
    let (_, rest) = text.split_once(", data ")?;
    Some(match rest.split(',').next()?.trim() {
        "532" | "773" => Refusal::PasswordExpired,
        "701" => Refusal::AccountExpired,
        "533" => Refusal::Disabled,
        "775" => Refusal::Locked,
        _ => return None,
    })
}

/// The error in a password policy response control (draft-behera-ldap-password-policy): 0 the
/// password has expired, 1 the account is locked, 2 the password must be changed first.
pub(super) fn policy_error(control: &[u8]) -> Option<u8> {
    let [0x30, _, content @ ..] = control else { return None };
    let after_warning = match content {
        [0xa0, length, rest @ ..] => rest.get(usize::from(*length)..)?,
        _ => content,
    };
    match after_warning {
        [0x81, 1, error, ..] => Some(*error),
        _ => None,
    }
}

/// Settings that need not be saved yet, and a user to look up.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LdapCheck {
    pub(super) ldap: LdapSettings,
    /// Left out or empty: only whether people can be found at all.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub(super) username: String,
}

/// The outcome of a check of the settings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LdapReport {
    /// Whether every step succeeded.
    pub(super) ok: bool,
    /// In the order in which they were taken; a failed connection, bind or search is the last.
    pub(super) steps: Vec<LdapStep>,
    pub(super) person: Option<LdapPerson>,
}

/// One step.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LdapStep {
    pub(super) step: Step,
    pub(super) ok: bool,
    /// For people, in Chinese.
    pub(super) message: String,
}

impl LdapStep {
    pub(super) fn done(step: Step, message: impl Into<String>) -> Self {
        Self { step, ok: true, message: message.into() }
    }

    pub(super) fn failed(step: Step, message: impl Into<String>) -> Self {
        Self { step, ok: false, message: message.into() }
    }
}

/// Steps of a conversation with the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Step {
    Connect,
    /// Only for `ldaps://` and StartTLS.
    Tls,
    Bind,
    Search,
    User,
    Groups,
}

/// The user found, as the platform would import them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LdapPerson {
    pub(super) dn: String,
    pub(super) username: String,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) phone: String,
    /// The platform's groups.
    pub(super) groups: Vec<i64>,
}

impl From<Person> for LdapPerson {
    fn from(person: Person) -> Self {
        let Person { dn, username, name, email, phone, groups, .. } = person;
        let text = Option::unwrap_or_default;
        Self { dn, username, name: text(name), email: text(email), phone: text(phone), groups }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_directories_answer_to_a_bind() {
        let no = Bound::No;
        let windows = |data: &str| {
            format!("80090308: LdapErr: DSID-0C090439, comment: AcceptSecurityContext error, data {data}, v4563")
        };
        for (code, text, policy, expected) in [
            (0, String::new(), None, Bound::Yes),
            (0, String::new(), Some(2), no(Refusal::PasswordExpired)),
            (49, String::new(), None, no(Refusal::WrongCredentials)),
            (49, String::new(), Some(0), no(Refusal::PasswordExpired)),
            (49, String::new(), Some(1), no(Refusal::Locked)),
            (49, windows("52e"), None, no(Refusal::WrongCredentials)),
            (49, windows("532"), None, no(Refusal::PasswordExpired)),
            (49, windows("533"), None, no(Refusal::Disabled)),
            (49, windows("701"), None, no(Refusal::AccountExpired)),
            (49, windows("775"), None, no(Refusal::Locked)),
            (19, String::new(), None, no(Refusal::Locked)),
            (53, String::new(), None, no(Refusal::Disabled)),
            (51, String::new(), None, Bound::Failed),
        ] {
            assert_eq!(Bound::read(code, &text, policy), expected, "{code} {text} {policy:?}");
        }
    }

    #[test]
    fn password_policy_controls() {
        assert_eq!(policy_error(&[0x30, 0x00]), None);
        assert_eq!(policy_error(&[0x30, 0x03, 0x81, 0x01, 0x01]), Some(1));
        assert_eq!(policy_error(&[0x30, 0x08, 0xa0, 0x03, 0x81, 0x01, 0x05, 0x81, 0x01, 0x02]), Some(2));
        for broken in [&[][..], &[0x30], &[0x30, 0x03, 0xa0, 0xff], &[0x30, 0x01, 0x81], &[0x04, 0x00]] {
            assert_eq!(policy_error(broken), None);
        }
    }

    #[test]
    fn only_values_that_the_platform_takes() {
        let settings = LdapSettings::default();
        let person = |values: &[(&str, &str)]| {
            let values: Vec<(String, String)> =
                values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            Person::new("uid=a".to_owned(), &settings, |wanted| {
                values.iter().filter(|(name, _)| name == wanted).map(|(_, value)| value.clone()).collect()
            })
        };
        let taken = person(&[("uid", " zhangmin "), ("cn", "张敏"), ("mail", "min@lab.cn"), ("shadowExpire", "20000")]);
        assert_eq!((taken.username.as_str(), taken.name.as_deref()), ("zhangmin", Some("张敏")));
        let day = |n: i64| Timestamp::from_millis(n * 24 * 3600 * 1000);
        assert!(!taken.is_over(day(20_000)) && taken.is_over(day(20_001)));
        let odd = person(&[
            ("cn", "a\u{202e}b"),
            ("mail", "nobody"),
            ("telephoneNumber", "+86 10 1"),
            ("shadowExpire", "-1"),
        ]);
        assert_eq!((odd.name.clone(), odd.email.clone(), odd.phone.clone()), (None, None, None));
        assert!(!odd.is_over(day(99_999)) && odd.username.is_empty());
    }
}
