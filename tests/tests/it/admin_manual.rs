//! Every command in the administrator's manual is run by a test: the table names the test, and a command without an
//! entry fails here. Commands that require nothing but the program are run here, as written in the manual except for
//! paths.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;
use testkit::TestDirectory;
use tests::{Server, Setup, root};

use crate::backup_schedule::made;

const HERE: &str = "admin_manual::the_programs_commands_run_as_they_stand";
const WEEK: &str = "virtual_machine::the_first_week";
const BY_ITSELF: &str = "package::the_program_makes_a_service_of_itself";
const RELEASE: &str = "package::a_release_needs_nothing_but_an_old_glibc";
const IMAGE: &str = "package::the_image_runs_as_an_ordinary_account_with_what_the_disk_needs";
const FILES: &str = "backup_files::the_manuals_recipe_brings_every_byte_back";
const IN_A_MACHINE: &str = "virtual_machine::the_manuals_files_are_backed_up_by_timer_and_snapshot";
const SIGNED: &str = "update::a_release_that_the_program_signed_itself_is_found";
const READ_FIRST: &str = "joins::a_script_that_is_read_first_says_what_it_would_do_and_undoes_what_failed";
const CA_BY_SHELL: &str = "https::a_lab_ca_is_made_from_the_shell_while_the_server_runs";

/// Each command and the test that runs it.
const COMMANDS: &[(&str, &str)] = &[
    ("sudo apt-get install ./yunlab_4.3.29-1_amd64.deb", WEEK),
    ("sudo yunlab admin reset-password admin", WEEK),
    ("sudo yunlab admin doctor", WEEK),
    ("sudo systemctl daemon-reload && sudo systemctl restart yunlab", WEEK),
    ("sudo chown yunlab: 目录", WEEK),
    ("journalctl -u yunlab", WEEK),
    ("systemctl cat yunlab", WEEK),
    ("sudo systemctl edit yunlab", WEEK),
    ("sudo apt-get remove yunlab", WEEK),
    ("tar xf yunlab-4.3.29-1-x86_64-linux.tar.gz && cd yunlab-4.3.29-1-x86_64-linux", BY_ITSELF),
    ("sudo ./yunlab admin install-service --dry-run", "package::installing_as_a_service_says_first_what_it_will_do"),
    ("sudo ./yunlab admin install-service", BY_ITSELF),
    ("sudo /usr/local/bin/yunlab admin reset-password admin", BY_ITSELF),
    ("docker load -i yunlab-4.3.29-1-x86_64-linux.oci.tar", IMAGE),
    // By `docker-compose`, as Debian 12 has it.
    ("docker compose -f compose-4.3.29-1.yml up -d", IMAGE),
    ("docker compose -f compose-4.3.29-1.yml exec yunlab /usr/bin/yunlab admin reset-password admin", IMAGE),
    ("yunlab admin doctor", HERE),
    (
        "ldapsearch -x -ZZ -H ldap://ldap.example.com -D \"cn=reader,dc=example,dc=com\" -W \
         -b \"ou=people,dc=example,dc=com\" \"(uid=zhangmin)\" uid cn mail memberOf",
        "admin_manual::a_directory_is_asked_as_the_manual_says",
    ),
    (
        "openssl s_client -connect ldap.example.com:636 -showcerts </dev/null",
        "admin_manual::a_directory_is_asked_as_the_manual_says",
    ),
    ("yunlab admin reset-password", HERE),
    ("yunlab admin import filebrowser.db --data-dir /srv/yunlab", "import::without_yes_it_only_says_what_it_would_do"),
    (
        "yunlab admin import filebrowser.db --data-dir /srv/yunlab --yes",
        "import::people_come_with_passwords_rights_rules_and_links",
    ),
    ("yunlab admin make-backup-key /etc/yunlab/backup-key.txt", HERE),
    ("age -d -i backup-key.txt 备份.tar.zst.age", HERE),
    ("yunlab admin backup /backup/yunlab-20261122.tar.zst --data-dir /srv/yunlab", HERE),
    ("yunlab admin verify-backup 备份文件 --data-dir /srv/yunlab", HERE),
    (
        "yunlab admin restore /mnt/backup/yunlab/yunlab-20261126T020000000Z.tar.zst.age --key backup-key.txt --data-dir /srv/new",
        HERE,
    ),
    ("yunlab admin confirm-backup-folder --data-dir /srv/yunlab", HERE),
    ("recipe: init", FILES),
    ("recipe: backup", FILES),
    ("recipe: restore", FILES),
    ("apt install restic", FILES),
    ("systemctl enable --now yunlab-backup-files.timer", IN_A_MACHINE),
    ("btrfs subvolume snapshot -r /srv/yunlab/disk /srv/yunlab/disk-snapshot", IN_A_MACHINE),
    ("trap 'btrfs subvolume delete /srv/yunlab/disk-snapshot' EXIT", IN_A_MACHINE),
    ("restic backup --quiet /srv/yunlab/disk-snapshot /srv/yunlab/backups", IN_A_MACHINE),
    ("lvcreate --snapshot --size 50G --name disk-snapshot /dev/vg0/disk", IN_A_MACHINE),
    ("mkdir -p /mnt/disk-snapshot", IN_A_MACHINE),
    ("mount -o ro,nouuid /dev/vg0/disk-snapshot /mnt/disk-snapshot", IN_A_MACHINE),
    ("trap 'umount /mnt/disk-snapshot; lvremove -y /dev/vg0/disk-snapshot' EXIT", IN_A_MACHINE),
    ("restic backup --quiet /mnt/disk-snapshot /srv/yunlab/backups", IN_A_MACHINE),
    ("yunlab admin files-backed-up --data-dir /srv/yunlab", HERE),
    ("yunlab admin support-bundle support.tar.zst --data-dir /srv/yunlab", HERE),
    ("yunlab admin backup move.tar.zst --data-dir /srv/yunlab", "backup::a_backup_moves_to_postgres_and_back"),
    ("yunlab admin restore move.tar.zst --data-dir /srv/yunlab", "backup::a_backup_moves_to_postgres_and_back"),
    ("mkdir -p /srv/releases", SIGNED),
    ("./yunlab admin sign-release /srv/releases --key release.key --notes notes.txt", SIGNED),
    ("scripts/package --revision N --key release.key", RELEASE),
    ("yunlab admin restore 旧数据目录/update/before.tar.zst --data-dir 新数据目录", HERE),
    ("promtool test rules", "prometheus::the_rules_fire_when_they_should_and_the_sample_configuration_is_right"),
    ("yunlab admin ca init lab.example.cn 10.0.0.5", CA_BY_SHELL),
    ("yunlab admin ca init --replace lab.example.cn 10.0.0.5", CA_BY_SHELL),
    ("yunlab admin ca show", "https::openssl_and_curl_accept_the_labs_certificate"),
    (
        "yunlab admin ca issue disk.lab.example.cn --out /etc/disk",
        "https::openssl_and_curl_accept_the_labs_certificate",
    ),
    ("systemctl daemon-reload && systemctl restart docker", WEEK),
    ("sh yunlab-join.sh --dry-run", READ_FIRST),
    ("umount /mnt/yunlab", READ_FIRST),
    ("mv yunlab.previous yunlab", "update::a_newer_version_takes_over_the_running_process"),
    ("chmod 755", IN_A_MACHINE),
    ("rsync -aHAX --delete /srv/yunlab/disk/ /mnt/backup/disk/", "backup_files::rsync_brings_every_byte_back"),
    ("yunlab admin audit verify --data-dir 数据目录", HERE),
    (
        "yunlab disk --portal https://平台地址 --listen 0.0.0.0:8443 --data-dir /srv/yunlab",
        "storage_host::both_speak_tls",
    ),
];

/// Commands that no test can run as written, with the reason.
const NOT_RUN: &[(&str, &str)] = &[
    (
        "./run --data-dir /srv/yunlab",
        "builds a release, which takes minutes; the tests start the binary that they built",
    ),
    (
        "sudo install -d -o 10001 -g 10001 -m 750 /var/lib/yunlab",
        "the test of the image makes the folder itself, elsewhere",
    ),
];

/// Names of commands in sentences that say how something works: there is nothing to run.
const NAMED: &[(&str, &str)] = &[
    ("sudo yunlab …", "how every command begins"),
    ("yunlab admin backup", "that the portal does not learn of its failure"),
    ("docker compose", "the plugin, whose name may be another"),
    ("docker save", "the page of images has the commands, which joins/by_hand.rs runs"),
    ("docker load", "likewise"),
    ("docker import", "likewise"),
    ("docker exec", "what does not come back after a restart"),
    ("docker stop", "what is no restart"),
    ("docker pause", "what suspending is like"),
    ("restic backup", "the line of the recipe that a snapshot replaces"),
    ("yunlab disk", "the storage host's program"),
    ("systemctl reload", "one of the senders of a signal"),
];

/// The first words of commands in the manual's text.
const PROGRAMS: &[&str] = &[
    "sudo",
    "yunlab",
    "./run",
    "./yunlab",
    "scripts/package",
    "apt",
    "apt-get",
    "systemctl",
    "journalctl",
    "openssl",
    "age",
    "promtool",
    "restic",
    "docker",
    "ldapsearch",
    "curl",
    "mv",
    "cp",
    "rm",
    "sh",
    "tar",
    "chmod",
    "mkdir",
    "mount",
    "umount",
    "rsync",
];

fn manual() -> String {
    fs::read_to_string(root().join("docs/ADMIN.md")).expect("the manual")
}

/// A command without its explanation, with single blanks between its words.
fn plain(line: &str) -> String {
    let line = line.split("  #").next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The commands of a fenced block. Configuration, units and other languages have none.
fn commands_of(block: &str) -> Vec<String> {
    let first = block.lines().next().unwrap_or_default().trim();
    let is_setting =
        first.split_once(" = ").is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    if first.starts_with('[') || is_setting {
        return Vec::new();
    }
    let joined = block.replace("\\\n", " ");
    joined.lines().map(plain).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The fenced block that has this in it, without the indentation of the whole.
pub(crate) fn block(with: &str) -> String {
    let manual = manual();
    let mut blocks = manual.split("```").skip(1).step_by(2);
    let block = blocks.find(|block| block.contains(with)).unwrap_or_else(|| panic!("the manual has no {with}"));
    let lines: Vec<&str> = block.lines().skip(1).collect();
    let indentation =
        lines.iter().find(|line| !line.trim().is_empty()).map_or(0, |line| line.len() - line.trim_start().len());
    lines.iter().map(|line| format!("{}\n", line.get(indentation..).unwrap_or_default())).collect()
}

/// All commands of the manual: those in blocks, and those of at least two words in its text.
fn commands() -> Vec<String> {
    let (manual, mut found) = (manual(), Vec::new());
    let (mut block, mut recipe): (Option<(bool, String)>, Option<String>) = (None, None);
    for line in manual.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (block.take(), fence) {
            (None, Some(language)) => block = Some((language.is_empty() || language == "sh", String::new())),
            (Some((of_shell, text)), Some(_)) => match recipe.take() {
                Some(name) => found.push(format!("recipe: {name}")),
                None if of_shell => found.extend(commands_of(&text)),
                None => {}
            },
            (Some((of_shell, text)), None) => block = Some((of_shell, text + line + "\n")),
            (None, None) => {
                if let Some(mark) = line.strip_prefix("<!-- recipe: ") {
                    recipe = mark.strip_suffix(" -->").map(str::to_owned);
                }
                let spans = line.split('`').skip(1).step_by(2);
                let is_command = |span: &&str| {
                    let words: Vec<&str> = span.split_whitespace().collect();
                    words.len() > 1 && PROGRAMS.contains(&words[0])
                };
                found.extend(spans.filter(is_command).map(plain));
            }
        }
    }
    found
}

#[test]
fn every_command_of_the_manual_is_run_by_a_test() {
    let found: BTreeSet<String> = commands().into_iter().collect();
    let known: BTreeSet<String> =
        COMMANDS.iter().chain(NOT_RUN).chain(NAMED).map(|(command, _)| plain(command)).collect();
    let unknown: Vec<&String> = found.difference(&known).collect();
    assert!(unknown.is_empty(), "name the tests that run these: {unknown:#?}");
    let gone: Vec<&String> = known.difference(&found).collect();
    assert!(gone.is_empty(), "the manual has these no more: {gone:#?}");
    for (command, test) in COMMANDS {
        let (module, function) = test.split_once("::").expect("a path");
        let sources = sources(module);
        let has = |text: &str| sources.iter().any(|source| source.contains(text));
        assert!(has(&format!("fn {function}(")), "{command}: there is no test {test}");
        // These take their commands from the manual.
        if module != "admin_manual" && ![FILES, IN_A_MACHINE].contains(test) {
            let missing: Vec<&str> = plain_words(command).filter(|word| !has(word)).collect();
            assert!(missing.is_empty(), "{test} does not run {command}: it lacks {missing:?}");
        }
    }
}

/// The words of a command that its test must have, too: neither paths nor placeholders. Without the dashes of options,
/// and without what a test's helper does for it.
fn plain_words(command: &str) -> impl Iterator<Item = &str> {
    let plain = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let words = command.split_whitespace().filter(plain).map(|word| word.trim_start_matches('-'));
    words.filter(|word| word.len() > 2 && !["yunlab", "data-dir", "mkdir"].contains(word))
}

/// The text of a module's files.
fn sources(module: &str) -> Vec<String> {
    let place = root().join("tests/tests/it").join(module);
    let file = place.with_extension("rs");
    let files: Vec<PathBuf> = match fs::read_dir(&place) {
        Ok(entries) => entries.map(|entry| entry.expect("an entry").path()).collect(),
        Err(_) => vec![file],
    };
    files.iter().map(|file| fs::read_to_string(file).expect("a module")).collect()
}

/// Runs a command in a folder, with the program and its settings in reach, and nothing on its input.
fn shell(dir: &Path, data: &Path, command: &str) -> Output {
    let path = format!("{}:{}", dir.join("bin").display(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("YUNLAB_")) {
        shell.env_remove(name);
    }
    shell.args(["-euc", command]).current_dir(dir).env("PATH", path).env("YUNLAB_DATA_DIR", data);
    shell.stdin(std::process::Stdio::null()).output().expect("a shell")
}

fn of(test: &str) -> impl Iterator<Item = String> {
    commands()
        .into_iter()
        .filter(move |command| COMMANDS.iter().any(|(known, by)| by == &test && &plain(known) == command))
}

#[tokio::test]
async fn the_programs_commands_run_as_they_stand() {
    let server = Server::start(Setup::new()).await;
    let made = made(&server, &server.admin().await).await;
    let (dir, data) = (server.setup().dir().join("manual"), server.setup().data_dir());
    for folder in ["bin", "backup", "mnt", "old/update"] {
        fs::create_dir_all(dir.join(folder)).expect("a folder");
    }
    symlink(server.setup().program(), dir.join("bin/yunlab")).expect("a link");
    fs::copy(&made, dir.join("old/update/before.tar.zst")).expect("a copy");

    let path = |name: &str| dir.join(name).display().to_string();
    let encrypted = path("mnt/yunlab-20261126T020000000Z.tar.zst.age");
    let (mut ran, mut password) = (0, String::new());
    for command in of(HERE) {
        if command.contains(".age") && !Path::new(&encrypted).exists() {
            let made = shell(&dir, &data, &format!("yunlab admin backup {encrypted} --key backup-key.txt"));
            assert!(made.status.success(), "{made:?}");
        }
        let mut script = command.clone();
        for (theirs, ours) in [
            ("/etc/yunlab/backup-key.txt", path("backup-key.txt")),
            ("/mnt/backup/yunlab/yunlab-20261126T020000000Z.tar.zst.age", encrypted.clone()),
            ("备份.tar.zst.age", encrypted.clone()),
            ("备份文件", made.display().to_string()),
            ("旧数据目录", path("old")),
            ("新数据目录", path("newer")),
            ("数据目录", data.display().to_string()),
            ("/backup/", path("backup/")),
            ("/srv/yunlab", data.display().to_string()),
            ("/srv/new", path("new")),
        ] {
            script = script.replace(theirs, &ours);
        }
        // What it is asked for whom stands beside it.
        if script == "yunlab admin reset-password" {
            script += " admin";
        }
        let output = shell(&dir, &data, &script);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command}\n{out}\n{err}");
        if let Some((_, made_up)) = out.trim().rsplit_once('：').filter(|_| script.contains("reset-password")) {
            made_up.clone_into(&mut password);
        }
        ran += 1;
    }
    assert!(ran >= 12, "{ran}");
    let kept = |name: &str| dir.join(name).is_file();
    assert!(kept("support.tar.zst") && kept("backup/yunlab-20261122.tar.zst"), "what they make is there");
    for restored in ["new", "newer"] {
        assert!(dir.join(restored).join("yunlab.db").is_file(), "{restored}");
    }
    let form = json!({ "username": "admin", "password": password, "newPassword": "chosen2026" });
    server.anonymous().post("/api/auth", form).await.is(200);
    let admin = server.sign_in("admin", "chosen2026").await;
    assert!(admin.get("/api/backups").await.expect(200)["lastFiles"].is_object(), "what it was told of is shown");
}

#[test]
fn a_directory_is_asked_as_the_manual_says() {
    let directory = TestDirectory::start();
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("ca.pem"), directory.ca()).expect("a file");
    fs::create_dir(dir.path().join("bin")).expect("a folder");
    // Replaces the terminal prompt for the password.
    let ask = dir.path().join("bin/ldapsearch");
    let script = format!(
        "#!/bin/sh\nprintf %s '{}' > secret\nfor word; do shift; [ \"$word\" != -W ] || word=-y\nset -- \"$@\" \"$word\"\n\
         [ \"$word\" != -y ] || set -- \"$@\" secret; done\nLDAPTLS_CACERT=ca.pem exec /usr/bin/ldapsearch \"$@\"\n",
        TestDirectory::READER_PASSWORD
    );
    fs::write(&ask, script).expect("a script");
    fs::set_permissions(&ask, fs::Permissions::from_mode(0o755)).expect("it may be run");
    let host = |url: &str| url.rsplit_once('/').expect("a URL").1.to_owned();
    let test = "admin_manual::a_directory_is_asked_as_the_manual_says";
    for command in of(test) {
        let script = command
            .replace("ldap://ldap.example.com", &directory.url())
            .replace("ldap.example.com:636", &host(&directory.tls_url()))
            .replace("dc=example,dc=com", "dc=lab");
        let output = shell(dir.path(), dir.path(), &script);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command}\n{out}\n{err}");
        let expected = if command.starts_with("openssl") { "BEGIN CERTIFICATE" } else { "mail: zhangmin@lab.cn" };
        assert!(out.contains(expected), "{command}\n{out}\n{err}");
    }
}
