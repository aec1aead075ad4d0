//! The administrator's choices on the command line, validated.

use std::collections::HashMap;

use anyhow::{Context, bail, ensure};
use filebrowser::{Database, Folder};

use super::Options;

/// Possible destinations of a folder: the spaces of the disk's view.
const SPACES: [&str; 3] = ["home", "share", "groups"];

/// Choices that a plan follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    pub(super) no_admins: bool,
    /// New names by the old ones.
    pub(super) renamed: HashMap<String, String>,
    /// Folders of the File Browser and where they go.
    pub(super) places: Vec<(Folder, Folder)>,
}

impl Choices {
    pub(super) fn read(options: &Options, database: &Database) -> anyhow::Result<Self> {
        let mut choices = Self { no_admins: options.no_admins, ..Self::default() };
        for text in &options.rename {
            let (old, new) = pair(text, "--rename", "旧名=新名")?;
            ensure!(database.users.iter().any(|user| user.username == old), "File Browser 里没有用户 {old}");
            choices.renamed.insert(old.to_owned(), new.to_owned());
        }
        for text in &options.place {
            let (from, to) = pair(text, "--place", "目录=位置")?;
            let to = Folder::new(to);
            let depth = if to.names().first().is_some_and(|space| space == "share") { 1 } else { 2 };
            if !to.names().first().is_some_and(|space| SPACES.contains(&space.as_str())) || to.names().len() < depth {
                bail!("--place 的位置是 share、groups/用户组 或 home/用户名，或者其中的目录，不能是 {to}");
            }
            choices.places.push((Folder::new(from), to));
        }
        Ok(choices)
    }
}

fn pair<'a>(text: &'a str, option: &str, form: &str) -> anyhow::Result<(&'a str, &'a str)> {
    let pair = text.split_once('=').filter(|(one, other)| !one.is_empty() && !other.is_empty());
    pair.with_context(|| format!("{option} 要写成 {form}，不能是 {text}"))
}
