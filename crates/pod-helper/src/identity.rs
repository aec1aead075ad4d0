//! Who a program runs as, by the files of the root that it is started in.

use std::fs;

use rustix::process::{Gid, Uid};
use rustix::thread::{
    CapabilitySet, capabilities, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs, set_thread_gid, set_thread_groups, set_thread_uid,
};

/// A user as the kernel knows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    user: u32,
    group: u32,
    groups: Vec<u32>,
    pub(crate) home: String,
}

impl Identity {
    /// Of `user[:group]` in the present root.
    ///
    /// # Errors
    /// When it has no such user or group.
    pub(crate) fn of(name: &str) -> Result<Self, String> {
        // An image without these files has numbers alone.
        let read = |path: &str| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (users, groups) = (read("/etc/passwd").unwrap_or_default(), read("/etc/group").unwrap_or_default());
        Self::among(name, &users, &groups)
    }

    fn among(name: &str, users: &str, groups: &str) -> Result<Self, String> {
        let (user, group) = name.split_once(':').map_or((name, None), |(user, group)| (user, Some(group)));
        let entry = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(|fields| {
            fields.len() >= 6 && (fields[0] == user || (fields[2] == user && user.parse::<u32>().is_ok()))
        });
        let number = |text: &str| text.parse::<u32>().ok();
        let user_number = entry.as_ref().and_then(|fields| number(fields[2])).or_else(|| number(user));
        let user_number = user_number.ok_or_else(|| format!("unable to find user {user}"))?;
        let listed: Vec<Vec<&str>> = groups.lines().map(|line| line.split(':').collect()).collect();
        let group_number = match group {
            Some(group) => {
                let known = listed.iter().find(|fields| fields[0] == group).and_then(|fields| number(fields.get(2)?));
                known.or_else(|| number(group)).ok_or_else(|| format!("unable to find group {group}"))?
            }
            None => entry.as_ref().and_then(|fields| number(fields[3])).unwrap_or(0),
        };
        // A group that is asked for is the only one, as with Docker.
        let mut all = vec![group_number];
        if let (None, Some(entry)) = (group, &entry) {
            let has = |fields: &&Vec<&str>| {
                fields.get(3).is_some_and(|members| members.split(',').any(|one| one == entry[0]))
            };
            all.extend(listed.iter().filter(has).filter_map(|fields| number(fields[2])));
        }
        let home = entry.map_or("/", |fields| fields[5]).to_owned();
        Ok(Self { user: user_number, group: group_number, groups: all, home })
    }

    /// Makes this process that user.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub(crate) fn take(&self) -> Result<(), String> {
        let refused = |error: rustix::io::Errno| format!("can't become user {}: {error}", self.user);
        let groups: Vec<Gid> = self.groups.iter().map(|&group| Gid::from_raw(group)).collect();
        set_thread_groups(&groups).map_err(refused)?;
        set_thread_gid(Gid::from_raw(self.group)).map_err(refused)?;
        set_thread_uid(Uid::from_raw(self.user)).map_err(refused)
    }
}

/// Gives up what only the making of a root needs, for this process and all that it starts.
///
/// # Errors
/// When the kernel refuses.
pub(crate) fn give_up_rights(closed: bool) -> Result<(), String> {
    let refused = |error: rustix::io::Errno| format!("can't give up rights: {error}");
    let mut sets = capabilities(None).map_err(refused)?;
    if sets.permitted.contains(CapabilitySet::SYS_ADMIN) {
        remove_capability_from_bounding_set(CapabilitySet::SYS_ADMIN).map_err(refused)?;
        clear_ambient_capability_set().map_err(refused)?;
        for set in [&mut sets.effective, &mut sets.permitted, &mut sets.inheritable] {
            set.remove(CapabilitySet::SYS_ADMIN);
        }
        set_capabilities(None, sets).map_err(refused)?;
    }
    if closed { set_no_new_privs(true).map_err(refused) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:100::/home/ann:/bin/sh\nbroken\n42:x:7:7::/x:\n";
    const GROUPS: &str = "root:x:0:\nusers:x:100:\nvideo:x:44:bob,ann\nrender:x:105:bobann\nshort\n";

    #[rstest]
    #[case("root", 0, 0, &[0], "/root")]
    #[case("ann", 1000, 100, &[100, 44], "/home/ann")]
    #[case("1000", 1000, 100, &[100, 44], "/home/ann")]
    #[case("ann:video", 1000, 44, &[44], "/home/ann")]
    #[case("ann:7", 1000, 7, &[7], "/home/ann")]
    #[case("2000", 2000, 0, &[0], "/")]
    #[case("2000:3000", 2000, 3000, &[3000], "/")]
    fn users_are_found(
        #[case] name: &str,
        #[case] user: u32,
        #[case] group: u32,
        #[case] groups: &[u32],
        #[case] home: &str,
    ) {
        let wanted = Identity { user, group, groups: groups.to_vec(), home: home.to_owned() };
        assert_eq!(Identity::among(name, USERS, GROUPS), Ok(wanted));
    }

    #[test]
    fn unknown_users_are_refused() {
        for bad in ["bob", "ann:nobody", "", "-1"] {
            assert!(Identity::among(bad, USERS, GROUPS).is_err(), "{bad}");
        }
    }
}
