//! The first week of a lab, on two machines.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use kernel::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::Client;

use super::join::{joins, leaves, restarts, serves_others};
use super::lab::{self, Acknowledged, DATA, PASSWORD};
use super::machine::{Image, Lan, Machine, PATIENCE};
use super::upgrade::upgrades;
use super::{Watch, eventually};
use crate::package::Release;
use crate::{clock, compute};

/// The concurrent workers while the machine is reset.
const WORKERS: usize = 3;
/// The acknowledged changes before.
const CHANGES: usize = 9;
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
#[ignore = "long: two virtual machines are started, and a week goes by in them"]
async fn the_first_week() {
    let mut watch = Watch::new();
    let Some(image) = Image::get() else { return };
    watch.lap("the image");
    let folder = TempDir::new().expect("a folder");
    let release = Release::get();
    let (package, newer) = (release.deb(), release.newer_deb(folder.path()));
    watch.lap("the packages");
    let (lan, data) = (Lan::new(), lab::data_disk(folder.path()));
    let disks = [lab::tape(folder.path(), &[&package, &newer]), data, image.mirror(folder.path())];
    let (one, other, bare) = (lan.plug(0), lan.plug(1), image.bare());
    let (machine, mut second) =
        tokio::join!(Machine::start(&image, &disks, &one), Machine::start(&bare, &disks[..1], &other));
    watch.lap("two machines start");
    Lan::settle(&machine, 0);
    Lan::settle(&second, 1);
    lab::mount_data(&machine);
    lab::install(&machine, &package).await;
    lab::listen_everywhere(&machine).await;
    watch.lap("the package is installed");

    let mut week = Week::begin(machine).await;
    watch.lap("signed in, and instances run");
    serves_others(&week.machine);
    watch.lap("packages and the network disk are served");
    let remote = joins(&second, &week.admin, &week.ann).await;
    watch.lap("the second machine joins");
    let instances = [(&week.machine, week.running.as_str()), (&second, remote.as_str())];
    upgrades(&week.machine, &newer, (&week.admin, &week.ann), &instances).await;
    watch.lap("the newer package is installed");
    restarts(&mut second, &week.ann, &remote).await;
    watch.lap("the second machine is started again");
    let acknowledged = week.reset_under_load().await;
    watch.lap("reset under load");
    week.disk_is_full(&acknowledged).await;
    watch.lap("the disk is full");
    let backup = week.scheduled_backup(&folder).await;
    watch.lap("the scheduled backup");
    week.clock_is_wrong().await;
    watch.lap("the clock is wrong");
    leaves(&second, &week.ann, &remote).await;
    watch.lap("the second machine leaves");
    drop(week);

    // The first machine is lost.
    lab::install(&second, &newer).await;
    watch.lap("the package is installed on the second machine");
    restored(&second, &backup, &acknowledged).await;
    watch.lap("restored");
    rest_of_the_manual(&second).await;
    watch.lap("the rest of what the manual says of the package");
}

/// The lab on the first machine.
struct Week {
    machine: Machine,
    admin: Client,
    ann: Client,
    /// Instances that were made running and stopped.
    running: String,
    stopped: String,
}

impl Week {
    async fn begin(machine: Machine) -> Self {
        let admin = lab::first_sign_in(&machine).await;
        let doctor = machine.must("sudo yunlab admin doctor");
        assert!(doctor.contains("正常  服务"), "{doctor}");
        let (ann, server) = lab::people(&machine, &admin).await;
        let mut basic = admin.get("/api/settings").await.json()["basic"].clone();
        basic["keepDays"] = json!(7);
        admin.put("/api/settings", json!({ "basic": basic })).await.is(200);

        let now: Timestamp = clock_of(&admin).await["now"].as_str().expect("a time").parse().expect("a time");
        let mut form = compute::form(&server);
        // Ends at once on a signal.
        form["command"] = json!(["sh", "-c", "trap 'exit 143' TERM; sleep 360000 & wait"]);
        let stopped = lab::runs(&ann, form.clone()).await;
        form["stopAt"] = json!(now.plus(DAY).to_string());
        let running = lab::runs(&ann, form).await;
        ann.act(&format!("/api/instances/{stopped}/stop")).await.is(202);
        lab::becomes(&ann, &stopped, "stopped").await;
        eventually("the portal's own container", async || {
            let usage = ann.get(&format!("/api/servers/{server}")).await.json()["usage"].clone();
            (usage["memory"].as_i64() > Some(0)).then_some(())
        })
        .await;
        Self { machine, admin, ann, running, stopped }
    }

    /// Waits until the machine and the lab are up after a reset, and the instance runs again.
    async fn comes_back(&mut self, before: &Value) {
        self.machine.started_again().await;
        lab::healthy(&self.machine).await;
        let again = eventually("the instance to run again", async || {
            let one = lab::instance(&self.ann, &self.running).await;
            assert_ne!(one["state"], "stopped", "{one:#}");
            (one["state"] == "running" && &one["started"] != before).then_some(one)
        })
        .await;
        let states: Vec<&Value> =
            again["history"].as_array().expect("a past").iter().map(|entry| &entry["state"]).collect();
        assert!(!states.contains(&&json!("stopped")), "it never gave back what it has: {states:?}");
    }

    async fn started(&self) -> Value {
        lab::instance(&self.ann, &self.running).await["started"].clone()
    }

    async fn reset_under_load(&mut self) -> Vec<Acknowledged> {
        self.admin.act("/disk/api/resources/share/week/").await.is(200);
        let before = self.started().await;
        let done = Arc::new(AtomicUsize::new(0));
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let (admin, done) = (self.admin.clone(), Arc::clone(&done));
                tokio::spawn(lab::work(admin, worker, move || {
                    done.fetch_add(1, Ordering::Relaxed);
                }))
            })
            .collect();
        eventually("acknowledged changes", async || (done.load(Ordering::Relaxed) >= CHANGES).then_some(())).await;
        self.machine.reset();
        let acknowledged: Vec<Acknowledged> =
            join_all(workers).await.into_iter().map(|worker| worker.expect("a worker ends")).collect();
        self.comes_back(&before).await;
        self.all_is_there(&acknowledged).await;
        acknowledged
    }

    async fn all_is_there(&self, acknowledged: &[Acknowledged]) {
        for one in acknowledged {
            one.check(&self.admin).await;
        }
    }

    /// Fills the disk to the last block, as an instance or a log may do.
    async fn disk_is_full(&self, acknowledged: &[Acknowledged]) {
        self.admin.upload("/share/rubbish", vec![7; 3 << 20]).await.is(200);
        self.machine.must(&format!(
            "cd {DATA}; fallocate -l $(($(df --output=avail -B1 . | tail -n 1) - 4194304)) filler; \
             for size in 65536 4096 1; do dd if=/dev/zero of=filler.$size bs=$size count=100000 2>/dev/null; done; sync; \
             test $(df --output=avail -B1 . | tail -n 1) -eq 0"
        ));
        let admin = self.machine.anonymous().sign_in("admin", PASSWORD).await;
        self.admin.upload("/share/more", vec![7; 1 << 20]).await.is(507);
        // The service starts on it too.
        lab::restart(&self.machine).await;
        let again = self.machine.anonymous().sign_in("ann", PASSWORD).await;
        admin.delete("/disk/api/resources/share/rubbish?permanent=true").await.is(200);
        again.get("/api/instances").await.is(200);
        self.machine.must(&format!("rm {DATA}/filler*"));
        for one in acknowledged {
            one.check(&admin).await;
        }
        eventually("room for uploads", async || {
            (self.admin.upload("/share/more", vec![7; 1 << 20]).await.status == 200).then_some(())
        })
        .await;
    }

    /// The backup that the portal makes an hour after its installation. Returns its file on this machine.
    async fn scheduled_backup(&self, folder: &TempDir) -> PathBuf {
        for _ in 0..2 {
            // Corrections of less than an hour are believed.
            self.machine.must("date -s '+50 minutes'");
            assert_eq!(clock_of(&self.admin).await["trusted"], true);
        }
        // The session is still valid.
        let admin = &self.admin;
        // This requests no backup, only the duty's next check whether one is due.
        admin.act("/api/duties/backup/run").await.is(202);
        let made = eventually("the scheduled backup", async || {
            let list = admin.get("/api/backups").await.expect(200);
            (list["running"].is_null() && list["total"] != 0).then(|| list["items"][0].clone())
        })
        .await;
        assert_eq!(made["outcome"], "good", "{made:#}");
        let name = made["file"].as_str().expect("a name");
        let file = folder.path().join(name);
        fs::write(&file, self.machine.get(&format!("{DATA}/backups/{name}"))).expect("a file");
        file
    }

    /// 40 days ahead: at once, after a restart of the service, and after one of the machine, whose battery clock is
    /// wrong too.
    async fn clock_is_wrong(&mut self) {
        self.machine.must("date -s '+40 days'");
        self.holds("jumped").await;
        lab::restart(&self.machine).await;
        self.holds("the service was restarted").await;

        self.machine.must("hwclock --systohc --utc && sync");
        let before = self.started().await;
        self.machine.reset();
        self.comes_back(&before).await;
        self.holds("the machine was restarted").await;

        let list = self.admin.get("/api/notices?size=200").await.expect(200);
        let notices = list["items"].as_array().expect("notices").clone();
        let told = notices.iter().filter(|one| one["kind"] == "clock").count();
        assert!(told >= 1, "{notices:#?}");

        self.machine.must("date -s '-40 days'");
        eventually("the right time is believed", async || {
            (clock_of(&self.admin).await["trusted"] == true).then_some(())
        })
        .await;
    }

    /// Nothing is stopped or released, though the engine of the same machine has the same time.
    async fn holds(&self, when: &str) {
        let state = eventually("the clock is not believed", async || {
            let state = clock_of(&self.admin).await;
            let witnesses = state["witnesses"].as_array().cloned().unwrap_or_default();
            let agrees =
                |one: &Value| one["kind"] == "engine" && one["aheadMs"].as_i64().is_some_and(|by| by.abs() < 60_000);
            (state["trusted"] == false && witnesses.iter().any(agrees)).then_some(state)
        })
        .await;
        assert!(state["releaseAt"].is_string(), "one other clock alone does not hold it for good: {when}: {state:#}");
        for duty in ["clock", "server-looks"] {
            let ran = clock::run_duty(&self.admin, duty, PATIENCE).await;
            assert_eq!(ran["last"]["error"], Value::Null, "{when}: {ran:#}");
        }
        assert_eq!(clock_of(&self.admin).await["trusted"], false, "{when}");
        let refused = self.admin.act("/api/duties/keep-times/run").await.expect(409);
        assert_eq!(refused["code"], "clock_not_trusted", "{when}");
        assert_eq!(lab::instance(&self.ann, &self.running).await["state"], "running", "{when}");
        assert_eq!(lab::instance(&self.ann, &self.stopped).await["state"], "stopped", "{when}");
    }
}

async fn clock_of(admin: &Client) -> Value {
    admin.get("/api/clock").await.expect(200)
}

/// The database is restored on another machine, as the manual says: into an empty folder, with the service stopped.
async fn restored(machine: &Machine, backup: &std::path::Path, acknowledged: &[Acknowledged]) {
    machine.put(backup, "/root/backup.tar.zst");
    machine.must(&format!("systemctl stop yunlab && find {DATA} -mindepth 1 -delete"));
    let said = machine.must("sudo yunlab admin restore /root/backup.tar.zst");
    assert!(said.contains("已恢复"), "{said}");
    machine.must("systemctl start yunlab");
    lab::healthy(machine).await;
    let admin = machine.anonymous().sign_in("admin", PASSWORD).await;
    let ann = machine.anonymous().sign_in("ann", PASSWORD).await;
    assert_eq!(ann.get("/api/instances").await.expect(200)["total"], 3);
    for one in acknowledged {
        one.check_groups(&admin).await;
    }
    let doctor = machine.must("sudo yunlab admin doctor || true");
    assert!(doctor.contains("正常  数据库"), "{doctor}");
}

/// The service's log and limits, a change of its unit, and the end.
async fn rest_of_the_manual(machine: &Machine) {
    assert!(machine.must("journalctl -u yunlab").contains("已启动"));
    assert!(machine.must("systemctl cat yunlab").contains("AmbientCapabilities="));
    machine.must("mkdir /srv/files && sudo chown yunlab: /srv/files");
    machine.write("/root/editor", "#!/bin/sh\nprintf '[Service]\\nNice=1\\n' > \"$1\"\n");
    machine.must("chmod 755 /root/editor");
    // It wants a terminal.
    machine.must("script -qec 'sudo SYSTEMD_EDITOR=/root/editor systemctl edit yunlab' /dev/null");
    machine.must("sudo systemctl daemon-reload && sudo systemctl restart yunlab");
    lab::healthy(machine).await;
    assert_eq!(machine.must("systemctl show --value --property Nice yunlab").trim(), "1");
    machine.must("sudo apt-get remove -y yunlab");
    machine.must(&format!("test -f {DATA}/yunlab.db && ! systemctl is-active yunlab"));
}
