//! The rows of the database, as written by File Browser 2.0 to 2.63. Missing fields have their default values, and Go's
//! `null` is an empty list.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct User {
    /// Counted from 1.
    pub id: u64,
    /// Any text.
    pub username: String,
    /// A bcrypt hash.
    pub password: String,
    /// Their folder, from the server's root.
    pub scope: String,
    /// A language.
    pub locale: String,
    /// They can't change their password.
    pub lock_password: bool,
    /// `list`, `mosaic` or `mosaic gallery`.
    pub view_mode: String,
    /// Whether one click opens.
    pub single_click: bool,
    /// Since 2.50.
    pub redirect_after_copy_move: Option<bool>,
    /// The user's rights.
    #[serde(deserialize_with = "or_none")]
    pub perm: Permissions,
    /// Programs that they may run.
    #[serde(deserialize_with = "or_none")]
    pub commands: Vec<String>,
    /// How they see a folder.
    #[serde(deserialize_with = "or_none")]
    pub sorting: Sorting,
    /// After the global ones.
    #[serde(deserialize_with = "or_none")]
    pub rules: Vec<Rule>,
    /// Whether names that begin with a dot are left out.
    pub hide_dotfiles: bool,
    /// Whether times are written out.
    pub date_format: bool,
    /// The editor's colours.
    pub ace_editor_theme: String,
}

/// The rights of a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Permissions {
    /// Everything, and administration.
    pub admin: bool,
    /// Running commands.
    pub execute: bool,
    /// New files and folders.
    pub create: bool,
    /// Renaming and moving.
    pub rename: bool,
    /// Replacing content.
    pub modify: bool,
    /// Deleting.
    pub delete: bool,
    /// Making share links.
    pub share: bool,
    /// Reading content.
    pub download: bool,
}

/// How a folder is sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Sorting {
    /// `name`, `size` or `modified`.
    pub by: String,
    /// The other way round for names: `false` is A to Z.
    pub asc: bool,
}

/// Allows or denies a part of a user's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// Whether `regexp` counts.
    pub regex: bool,
    /// Allow, or deny.
    pub allow: bool,
    /// Relative to the scope of the user it applies to.
    pub path: String,
    /// None where `path` counts.
    #[serde(deserialize_with = "or_none")]
    pub regexp: Regexp,
}

/// A regular expression as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Regexp {
    /// In the syntax of Go.
    pub raw: String,
}

/// A share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Link {
    /// Names it in addresses.
    pub hash: String,
    /// From its owner's scope.
    pub path: String,
    /// Its owner.
    #[serde(rename = "userID")]
    pub user_id: u64,
    /// Seconds since 1970; 0 = never.
    pub expire: i64,
    /// A bcrypt hash; empty for none.
    pub password_hash: String,
}

/// For all users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Settings {
    /// Whether strangers may make accounts.
    pub signup: bool,
    /// `json`, `proxy`, `hook` or `noauth`.
    pub auth_method: String,
    /// How its pages present themselves.
    #[serde(deserialize_with = "or_none")]
    pub branding: Branding,
    /// Hooks by their event.
    #[serde(deserialize_with = "or_none")]
    pub commands: BTreeMap<String, Option<Vec<String>>>,
    /// The shell that runs commands.
    #[serde(deserialize_with = "or_none")]
    pub shell: Vec<String>,
    /// Before each user's own.
    #[serde(deserialize_with = "or_none")]
    pub rules: Vec<Rule>,
}

/// How its pages present themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Branding {
    /// Instead of the program's name.
    pub name: String,
    /// A folder of pages' parts.
    pub files: String,
    /// `light` or `dark`.
    pub theme: String,
    /// `#rrggbb`.
    pub color: String,
}

/// The server's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Server {
    /// The folder of all files.
    pub root: String,
    /// Before every path of an address.
    #[serde(rename = "baseURL")]
    pub base_url: String,
    /// Whether commands may be run at all.
    pub enable_exec: bool,
}

impl Settings {
    /// Whether a command is run on some event.
    #[must_use]
    pub fn has_hooks(&self) -> bool {
        self.commands.values().flatten().any(|commands| !commands.is_empty())
    }
}

/// Go writes `null` for missing lists and maps.
fn or_none<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Link, Server, Settings, User};

    /// Written by 2.11: without later fields, and with Go's `null`.
    #[test]
    fn rows_of_an_old_version_are_read() {
        let user: User = serde_json::from_str(
            r#"{"id":2,"username":"ann","password":"$2a$10$x","scope":"./users/ann","locale":"zh-cn","lockPassword":false,
            "viewMode":"mosaic","perm":{"admin":false,"execute":true,"create":true,"rename":true,"modify":true,
            "delete":true,"share":true,"download":true},"commands":null,"sorting":{"by":"name","asc":false},
            "rules":[{"regex":false,"allow":false,"path":"/private","regexp":null}]}"#,
        )
        .unwrap();
        assert_eq!((user.rules[0].path.as_str(), user.commands.len(), user.single_click), ("/private", 0, false));
        assert_eq!((user.redirect_after_copy_move, user.perm.download), (None, true));
        let link: Link = serde_json::from_str(r#"{"hash":"a","path":"/d/","userID":2,"expire":0}"#).unwrap();
        assert!(link.password_hash.is_empty() && link.user_id == 2);
        let settings = r#"{"key":"eA==","signup":false,"createUserDir":false,"defaults":{},"authMethod":"proxy",
            "branding":{"name":"","disableExternal":false,"files":""},"commands":{"after_save":null},"shell":null,
            "rules":null}"#;
        let settings: Settings = serde_json::from_str(settings).unwrap();
        assert!(!settings.has_hooks() && settings.rules.is_empty() && settings.auth_method == "proxy");
        let server: Server = serde_json::from_str(r#"{"root":".","baseURL":"/fb","enableExec":true}"#).unwrap();
        assert_eq!((server.base_url.as_str(), server.enable_exec), ("/fb", true));
    }
}
