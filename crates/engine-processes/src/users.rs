//! Who a program runs as, by the root's own list.

use std::fs;
use std::io;

/// `user[:group]`, names or numbers; empty is root. Read from `/etc/passwd` and `/etc/group` of the present root.
pub(crate) fn ids(user: &str) -> io::Result<(u32, u32)> {
    let (user, group) = user.split_once(':').map_or((user, None), |(user, group)| (user, Some(group)));
    let (uid, own_group) = match user.parse::<u32>() {
        _ if user.is_empty() => (0, 0),
        Ok(uid) => {
            let known = line("/etc/passwd", |fields| fields.get(2) == Some(&user));
            (uid, known.as_deref().and_then(third_and_fourth).map_or(0, |ids| ids.1))
        }
        Err(_) => line("/etc/passwd", |fields| fields.first() == Some(&user))
            .as_deref()
            .and_then(third_and_fourth)
            .ok_or_else(|| io::Error::other(format!("no user {user:?}")))?,
    };
    let gid = match group {
        None => own_group,
        Some(group) => match group.parse::<u32>() {
            Ok(gid) => gid,
            Err(_) => line("/etc/group", |fields| fields.first() == Some(&group))
                .and_then(|line| line.split(':').nth(2)?.parse().ok())
                .ok_or_else(|| io::Error::other(format!("no group {group:?}")))?,
        },
    };
    Ok((uid, gid))
}

fn line(file: &str, wanted: impl Fn(&[&str]) -> bool) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find(|line| wanted(&line.split(':').collect::<Vec<_>>())).map(str::to_owned)
}

fn third_and_fourth(line: &str) -> Option<(u32, u32)> {
    let fields: Vec<&str> = line.split(':').collect();
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}
