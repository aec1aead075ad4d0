//! The portal through its front door. Each feature's tests lie in its own folder.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

#[path = "../src/features/access_tokens/tests.rs"]
mod access_tokens;
#[path = "../src/features/accounts/tests.rs"]
mod accounts;
#[path = "../src/features/alerts/tests.rs"]
mod alerts;
#[path = "../src/features/allocations/tests.rs"]
mod allocations;
#[path = "../src/features/announcements/tests.rs"]
mod announcements;
#[path = "../src/features/app_passwords/tests.rs"]
mod app_passwords;
#[path = "../src/features/audit/tests.rs"]
mod audit;
#[path = "../src/authorization_tests.rs"]
mod authorization;
#[path = "../src/features/backups/tests.rs"]
mod backups;
#[path = "../src/features/dashboard/tests.rs"]
mod dashboard;
#[path = "../src/features/datasets/tests.rs"]
mod datasets;
#[path = "../src/features/datasets/tests/carried_over.rs"]
mod datasets_carried_over;
#[path = "../src/features/departures/tests.rs"]
mod departures;
#[path = "../src/features/departures/tests/ends.rs"]
mod departures_ends;
#[path = "../src/features/departures/tests/going_on.rs"]
mod departures_going_on;
#[path = "../src/features/directory/tests.rs"]
mod directory;
#[path = "../src/features/disk_space/tests.rs"]
mod disk_space;
#[path = "../src/features/doors/tests.rs"]
mod doors;
#[path = "../src/features/find/tests.rs"]
mod find;
#[path = "../src/features/fleet/tests.rs"]
mod fleet;
#[path = "../src/features/gpus/tests.rs"]
mod gpus;
#[path = "../src/features/gpus/tests/outages.rs"]
mod gpus_outages;
#[path = "../src/features/groups/tests.rs"]
mod groups;
#[path = "../src/features/groups/tests/invitations.rs"]
mod groups_invitations;
#[path = "../src/features/groups/tests/leaving.rs"]
mod groups_leaving;
#[path = "../src/features/https/tests.rs"]
mod https;
#[path = "../src/features/images/tests/mod.rs"]
mod images;
#[path = "../src/features/instances/tests/mod.rs"]
mod instances;
#[path = "../src/features/joins/tests.rs"]
mod joins;
mod lab;
#[path = "../src/features/logs/tests.rs"]
mod logs;
#[path = "../src/features/machine_helper/tests.rs"]
mod machine_helper;
#[path = "../src/features/notices/tests/mod.rs"]
mod notices;
#[path = "../src/reach/tests.rs"]
mod reach;
#[path = "../src/features/reservations/tests.rs"]
mod reservations;
#[path = "../src/features/reservations/tests/carried_over.rs"]
mod reservations_carried_over;
#[path = "../src/features/retention/tests.rs"]
mod retention;
#[path = "../src/features/session/tests.rs"]
mod session;
#[path = "../src/features/session/tests/sign_ins.rs"]
mod session_sign_ins;
#[path = "../src/features/settings/tests.rs"]
mod settings;
#[path = "../src/features/ssh_keys/tests.rs"]
mod ssh_keys;
mod stored_words;
#[path = "../src/features/terminals/tests.rs"]
mod terminals;
#[path = "../src/features/update/tests.rs"]
mod update;
#[path = "../src/features/usage/tests.rs"]
mod usage;
#[path = "../src/features/users/tests.rs"]
mod users;
#[path = "../src/features/users/tests/first_passwords.rs"]
mod users_first_passwords;
#[path = "../src/features/watch/tests.rs"]
mod watch;
#[path = "../src/features/worksheets/tests.rs"]
mod worksheets;
