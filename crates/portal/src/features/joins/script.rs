//! The setup script (`script/*.sh`) with the values of one join at its head, and the command to paste.

use http_kit::secret_digest;

use super::model::Join;

/// The parts of the script in their order: its own helpers, the engine's configuration, the steps.
const BODY: &str =
    concat!(include_str!("script/common.sh"), include_str!("script/engine.sh"), include_str!("script/steps.sh"));

/// The script and command of a join.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) text: String,
    /// In hexadecimal digits.
    pub(super) sha256: String,
    pub(super) command: String,
}

impl Script {
    /// Deterministic, so that every portal returns the same text.
    pub(super) fn new(join: &Join, token: &str) -> Self {
        let text = format!("{}{BODY}", head(join, token));
        let sha256 = secret_digest(&text);
        let command = command(join, token, &sha256);
        Self { text, sha256, command }
    }
}

/// Every value is of a kind that needs no quotes by the form's rules; they are quoted all the same.
fn head(join: &Join, token: &str) -> String {
    let port = join.port.to_string();
    let values = [
        ("PORTAL", join.portal.as_str()),
        ("PIN", join.pin.as_str()),
        ("AUTHORITY", join.authority.as_str()),
        ("TOKEN", token),
        ("HOST", join.host.as_str()),
        ("PORT", port.as_str()),
        ("STORAGE_PATH", join.storage_path.as_str()),
        ("STORAGE_SOURCE", join.storage_source.as_str()),
    ];
    let lines: String = values.iter().map(|(name, value)| format!("{name}={}\n", quoted(value))).collect();
    format!("#!/bin/sh\n# 把这台机器添加为云实验室的服务器。口令只能用一次，一小时内有效。\n{lines}")
}

/// The token is passed to curl by standard input, because every user of the machine sees programs' arguments. The file
/// contains it too, so it is removed however the command ends. `exit` keeps the status, and it keeps an old dash from
/// replacing the subshell by its last command, which would lose the trap.
fn command(join: &Join, token: &str, sha256: &str) -> String {
    let pin = match join.pin.as_str() {
        "" => String::new(),
        pin => format!(" -k --pinnedpubkey {}", quoted(&format!("sha256//{pin}"))),
    };
    let address = quoted(&format!("{}/api/joins/script", join.portal));
    format!(
        "(f=$(mktemp) && {{ trap 'rm -f \"$f\"' EXIT; trap 'exit 130' HUP INT TERM; \
         printf 'header = \"Authorization: Bearer %s\"\\n' {} | curl -fsS{pin} -K - -o \"$f\" {address} \
         && echo \"{sha256}  $f\" | sha256sum -c - && $(command -v sudo) sh \"$f\"; exit; }})",
        quoted(token)
    )
}

/// Quotes a value as one word of the shell.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quoted("a b$(id)"), "'a b$(id)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
