//! A lab on a virtual machine: the package installed as the manual says, and its users.

use std::path::Path;

use http::Method;
use serde_json::{Value, json};
use tests::{Client, digest};

use super::machine::{Disk, Machine};
use super::{eventually, file_name};

/// The password of the administrator and of all users.
pub(super) const PASSWORD: &str = "chosen2026";
/// On a disk of its own, if the machine has one.
pub(super) const DATA: &str = "/var/lib/yunlab";

/// The disk that the data lie on.
pub(super) fn data_disk(folder: &Path) -> Disk {
    Disk::new(folder, "data", "ext4", 1024, &["-m", "0"])
}

/// The tape with packages.
pub(super) fn tape(folder: &Path, packages: &[&Path]) -> Disk {
    Disk::tape(folder, "tape", packages)
}

/// A package's version with its revision, as its file's name has it.
pub(super) fn version(package: &Path) -> &str {
    file_name(package).split('_').nth(1).expect("a Debian package's name")
}

/// An image for instances, as `testkit::TestEngine` makes it.
pub(super) const IMAGE: &str = r"
set -e
root=$(mktemp -d)
for folder in bin dev etc proc root sys tmp var; do mkdir $root/$folder; done
cp /bin/busybox $root/bin/busybox
printf 'root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/tmp:/bin/sh\n' > $root/etc/passwd
for applet in sh sleep cat echo; do ln -s busybox $root/bin/$applet; done
tar -C $root -c . | docker import - lab/busybox:1 >/dev/null
rm -rf $root";

/// Mounts the disk for the data, if the machine has one, before it is used.
pub(super) fn mount_data(machine: &Machine) {
    machine.must(&format!(
        "mkdir -p {DATA} && echo 'LABEL=data {DATA} ext4 defaults 0 2' >> /etc/fstab && \
         systemctl daemon-reload && mount {DATA}"
    ));
}

/// Installs the package from the tape, as the manual says.
pub(super) async fn install(machine: &Machine, package: &Path) {
    let name = file_name(package);
    machine.must("mkdir /opt/tape && tar -xf /dev/disk/by-id/virtio-tape -C /opt/tape");
    let said = machine.must(&format!("cd /opt/tape && sudo apt-get install -y ./{name}"));
    assert!(said.contains("reset-password admin"), "{said}");
    assert_eq!(installed(machine), version(package));
    healthy(machine).await;
}

/// The version of the installed package.
pub(super) fn installed(machine: &Machine) -> String {
    machine.must("dpkg-query -W -f '${Version}' yunlab")
}

/// Makes the portal reachable for others, by the configuration.
pub(super) async fn listen_everywhere(machine: &Machine) {
    machine.must("sed -i 's/^#listen = .*/listen = \"0.0.0.0:8080\"/' /etc/yunlab/yunlab.toml");
    machine.must("sudo systemctl daemon-reload && sudo systemctl restart yunlab");
    healthy(machine).await;
}

/// Waits until the portal answers.
pub(super) async fn healthy(machine: &Machine) {
    let nobody = machine.anonymous();
    eventually("the portal to answer", async || {
        let answer = nobody.try_send(nobody.request(Method::GET, "/health")).await.ok()?;
        (answer.status == 200).then_some(())
    })
    .await;
}

/// Restarts the service.
pub(super) async fn restart(machine: &Machine) {
    machine.must("systemctl restart yunlab");
    healthy(machine).await;
}

/// The administrator's first sign-in, with the password that the program made up.
pub(super) async fn first_sign_in(machine: &Machine) -> Client {
    let said = machine.must("sudo yunlab admin reset-password admin");
    let made_up = said.trim().rsplit_once('：').expect("a password").1;
    let form = json!({ "username": "admin", "password": made_up, "newPassword": PASSWORD });
    machine.anonymous().post("/api/auth", form).await.is(200);
    machine.anonymous().sign_in("admin", PASSWORD).await
}

/// Ann, who may use the machine's own engine, and its id once it answers.
pub(super) async fn people(machine: &Machine, admin: &Client) -> (Client, String) {
    machine.must(IMAGE);
    let id = eventually("the machine's engine", async || {
        let list = admin.get("/api/servers").await.json();
        let online = list["items"][0]["state"] == "online";
        online.then(|| list["items"][0]["id"].as_str().expect("an id").to_owned())
    })
    .await;
    admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD })).await.is(201);
    let everyone = json!({ "server": id, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    (machine.anonymous().sign_in("ann", PASSWORD).await, id)
}

/// Waits for an instance's state; returns the instance.
pub(super) async fn becomes(who: &Client, id: &str, state: &str) -> Value {
    eventually(state, async || {
        let one = instance(who, id).await;
        assert!(one["state"] != "error" || state == "error", "{one:#}");
        (one["state"] == state).then_some(one)
    })
    .await
}

pub(super) async fn instance(who: &Client, id: &str) -> Value {
    who.get(&format!("/api/instances/{id}")).await.expect(200)
}

/// Makes an instance and waits until it runs.
pub(super) async fn runs(who: &Client, form: Value) -> String {
    let id = who.post("/api/instances", form).await.expect(202)["id"].as_str().expect("an id").to_owned();
    becomes(who, &id, "running").await;
    id
}

/// The acknowledged changes of one user: files with their digests, and groups.
#[derive(Debug, Default)]
pub(super) struct Acknowledged {
    files: Vec<(String, String)>,
    groups: Vec<String>,
}

impl Acknowledged {
    /// Uploads a file and creates a group. `None` if one of them is not answered.
    pub(super) async fn add(&mut self, admin: &Client, path: &str, group: &str, content: String) -> Option<()> {
        let address = format!("/disk/api/resources{path}?override=false");
        let wanted = digest(content.as_bytes());
        let answer = admin.try_send(admin.request(Method::POST, &address).body(content)).await.ok()?;
        answer.is(200);
        self.files.push((path.to_owned(), wanted));
        let form = json!({ "name": group });
        let answer = admin.try_send(admin.request(Method::POST, "/api/groups").json(&form)).await.ok()?;
        answer.is(201);
        self.groups.push(group.to_owned());
        Some(())
    }

    /// Asserts that all of it is there.
    pub(super) async fn check(&self, admin: &Client) {
        for (path, content) in &self.files {
            let answer = admin.download(path).await;
            answer.is(200);
            assert_eq!(&digest(&answer.body), content, "{path}");
        }
        self.check_groups(admin).await;
    }

    /// The groups alone: files are no part of the database's backups.
    pub(super) async fn check_groups(&self, admin: &Client) {
        let list = admin.get("/api/groups?size=200").await.expect(200);
        let found: Vec<&str> =
            list["items"].as_array().expect("groups").iter().filter_map(|one| one["name"].as_str()).collect();
        let lost: Vec<&String> = self.groups.iter().filter(|name| !found.contains(&name.as_str())).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
    }
}

/// Uploads files and creates groups until there is no answer. Calls `done` for each.
pub(super) async fn work(admin: Client, worker: usize, done: impl Fn()) -> Acknowledged {
    let mut all = Acknowledged::default();
    for number in 0.. {
        let (path, name) = (format!("/share/week/{worker}-{number}"), format!("组 {worker}-{number}"));
        let content = path.repeat(1 + number * 997 % 4000);
        if all.add(&admin, &path, &name, content).await.is_none() {
            break;
        }
        done();
    }
    all
}
