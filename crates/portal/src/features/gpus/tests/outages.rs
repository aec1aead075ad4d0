//! Faulty cards, on a fake engine: how a fault is found, who is notified, and how it ends.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

/// Parts of the scripts that read all cards, one card, row remaps, processes and the kernel's log.
const CARDS: &str = "nvidia-smi -q -d UTILIZATION";
const ONE: &str = "nvidia-smi -q -i";
const ROWS: &str = "--query-remapped-rows";
const PROCESSES: &str = "--query-compute-apps";
const LOG: &str = "/proc/sys/kernel/random/boot_id";

const BOOT: &str = "4f3b9d0e-5a0c-4f0e-9a55-0a4f5a8a1c11";
const NEXT_BOOT: &str = "5f3b9d0e-5a0c-4f0e-9a55-0a4f5a8a1c11";
/// Readings that fail before that is a fault.
const IN_A_ROW: usize = 6;

/// Two NVIDIA cards with their driver's answers.
struct Cards {
    lab: Lab,
    admin: Client,
    /// Ids of the cards.
    ids: Vec<String>,
}

fn line(index: usize, temperature: &str, errors: &str) -> String {
    let (uuid, bus) = [("GPU-aaaa", "17"), ("GPU-bbbb", "65")][index];
    format!(
        "{index}, {uuid}, 00000000:{bus}:00.0, 550.54.15, 81920, 1, 0, 0, {temperature}, 50.00, 400.00, [N/A], \
         {errors}, {errors}, Disabled, NVIDIA A100-SXM4-80GB\n"
    )
}

fn healthy() -> String {
    format!("CUDA Version : 12.4\n{}{}", line(0, "31", "0"), line(1, "32", "0"))
}

fn log(boot: &str, lines: &[(&str, u32, &str)]) -> String {
    let lines = lines.iter().map(|(time, code, words)| {
        format!("<4>[{time}] NVRM: Xid (PCI:0000:17:00): {code}, pid=4711, name=python, {words}\n")
    });
    format!("boot {boot} 5000.00\n{}", lines.collect::<String>())
}

impl Cards {
    async fn new() -> Self {
        Self::with_log(&log(BOOT, &[])).await
    }

    /// The same on a machine whose kernel log has this content at the first reading.
    async fn with_log(log: &str) -> Self {
        let lab = Lab::new(0).await;
        let all = healthy();
        for (script, told) in [(CARDS, &*all), (ONE, &*all), (ROWS, ""), (PROCESSES, ""), (LOG, log)] {
            lab.cluster.script_tells(script, 0, told);
        }
        lab.look().await;
        let mut cards = Self { admin: lab.portal.admin(), lab, ids: Vec::new() };
        cards.measure().await;
        let list = cards.admin.get("/api/gpus").await.expect(200);
        let ids = list["items"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap().to_owned());
        cards.ids = ids.collect();
        assert_eq!(cards.states().await, ["free", "free"]);
        cards
    }

    fn tells(&self, script: &'static str, told: &str) {
        self.lab.cluster.script_tells(script, 0, told);
    }

    async fn measure(&self) {
        self.lab.portal.portal.measure().await.unwrap();
    }

    async fn states(&self) -> Vec<String> {
        self.lab.card_states().await
    }

    async fn card(&self, index: usize) -> Value {
        self.admin.get("/api/gpus").await.expect(200)["items"][index].clone()
    }

    async fn outages(&self, index: usize) -> Vec<Value> {
        let list = self.admin.get(&format!("/api/gpus/{}/outages", self.ids[index])).await.expect(200);
        assert_eq!(list["total"], list["items"].as_array().unwrap().len());
        list["items"].as_array().unwrap().clone()
    }

    /// Number, class and count.
    async fn xids(&self, index: usize) -> Vec<(Value, Value, Value)> {
        let list = self.admin.get(&format!("/api/gpus/{}/xids", self.ids[index])).await.expect(200);
        let facts = |one: &Value| (one["code"].clone(), one["class"].clone(), one["times"].clone());
        let mut xids: Vec<_> = list["items"].as_array().unwrap().iter().map(facts).collect();
        xids.sort_by_key(|(code, ..)| code.as_i64());
        xids
    }

    async fn test(&self, index: usize) -> Value {
        self.admin.post(&format!("/api/gpus/{}/test", self.ids[index]), json!({})).await.expect(200)
    }

    /// Wants these cards and no others.
    fn wants(&self, indexes: &[usize]) -> Value {
        let mut form = self.lab.form(0);
        form.as_object_mut().unwrap().remove("gpuCount");
        form["gpus"] = indexes.iter().map(|index| self.ids[*index].clone()).collect();
        form
    }
}

/// Titles of a person's notices about cards, the oldest first.
async fn told(who: &Client) -> Vec<String> {
    let list = who.get("/api/notices?size=100").await.expect(200);
    let of_cards = list["items"].as_array().unwrap().iter().rev().filter(|one| one["kind"] == "card_fault");
    of_cards.map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

async fn alerts(cards: &Cards, state: &str) -> Value {
    let list = cards.admin.get(&format!("/api/alerts?kind=card_fault&state={state}")).await.expect(200);
    list["total"].clone()
}

#[tokio::test]
async fn a_card_that_needs_a_reset_is_given_to_nobody_until_a_test_run_brings_it_back() {
    let cards = Cards::new().await;
    let ann = cards.lab.portal.as_user("ann").await;
    cards.tells(CARDS, &format!("{}{}", line(0, "31", "0"), line(1, "[GPU requires reset]", "[N/A]")));
    cards.measure().await;
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "faulty"]);
    let card = cards.card(1).await;
    assert!(card["fault"].as_str().unwrap().contains("需要重置"), "{card:#}");
    assert_eq!((&card["outage"]["reason"], &card["memoryTotal"]), (&json!("needs_reset"), &json!(80_i64 << 30)));
    let _ = ann.post("/api/instances", cards.lab.form(2)).await.refused(422, "gpu_unavailable");
    let words = ann.post("/api/instances", cards.wants(&[1])).await.refused(422, "gpu_unavailable");
    assert!(words.contains("1 号卡故障"), "{words}");
    cards.lab.portal.portal.look_for_faults().await.unwrap();
    assert_eq!(alerts(&cards, "firing").await, 1);
    // The reset is done, but an administrator still has to check that it helped.
    cards.tells(CARDS, &healthy());
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "faulty"]);
    let tested = cards.test(1).await;
    assert_eq!(tested["passed"], true, "{tested:#}");
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "free"]);
    let [outage] = &cards.outages(1).await[..] else { panic!("one outage") };
    assert_eq!((&outage["reason"], &outage["seenBy"]), (&json!("needs_reset"), &json!("")));
    assert_eq!((&outage["ending"], &outage["endedBy"]), (&json!("tested"), &json!("admin")));
    assert_eq!(outage["result"], tested["words"]);
    for _ in 0..5 {
        cards.lab.portal.clock.advance(Duration::from_secs(15));
        cards.measure().await;
        cards.lab.portal.portal.look_for_faults().await.unwrap();
    }
    assert_eq!((alerts(&cards, "firing").await, alerts(&cards, "resolved").await), (json!(0), json!(1)));
    ann.post("/api/instances", cards.wants(&[1])).await.is(202);
}

#[tokio::test]
async fn a_test_run_that_finds_something_leaves_the_card_out_of_order() {
    let cards = Cards::new().await;
    cards.tells(CARDS, &format!("{}{}", line(0, "31", "0"), line(1, "32", "3")));
    cards.measure().await;
    assert_eq!(cards.card(1).await["outage"]["reason"], "memory_errors");
    let failing = async |why: &str| {
        let tested = cards.test(1).await;
        assert_eq!(tested["passed"], false, "{tested:#}");
        let words = tested["words"].as_str().unwrap();
        assert!(words.contains(why) && !words.contains('\n') && words.chars().count() <= 200, "{tested:#}");
        assert_eq!(cards.states().await, ["free", "faulty"]);
    };
    cards.tells(ONE, &line(1, "32", "3"));
    failing("不可纠正").await;
    cards.lab.cluster.script_tells(
        ONE,
        15,
        "Unable to determine the device handle for GPU1: 0000:65:00.0: Unknown Error\nNo devices were found",
    );
    failing("Unable to determine").await;
    cards.tells(ONE, &line(0, "31", "0"));
    failing("第 1 次读取失败").await;
    cards.tells(ONE, &healthy());
    cards.tells(ROWS, "GPU-bbbb, 1, 0\n");
    failing("等待替换").await;
    cards.tells(ROWS, "GPU-bbbb, 0, 0\n");
    assert_eq!(cards.test(1).await["passed"], true);
    assert_eq!(cards.outages(1).await.len(), 1, "it was one outage all the time");
    // A lasting fault is found again.
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "faulty"]);
    assert_eq!(cards.outages(1).await.len(), 2);
}

#[tokio::test]
async fn one_failed_reading_is_no_fault_and_several_in_a_row_are() {
    let cards = Cards::new().await;
    let fail = async |times: usize| {
        cards.lab.cluster.script_tells(
            CARDS,
            9,
            "NVIDIA-SMI has failed because it couldn't communicate with the driver",
        );
        for _ in 0..times {
            cards.measure().await;
        }
    };
    fail(IN_A_ROW - 1).await;
    cards.tells(CARDS, &healthy());
    cards.measure().await;
    fail(IN_A_ROW - 1).await;
    assert_eq!(cards.states().await, ["free", "free"]);
    fail(1).await;
    assert_eq!(cards.states().await, ["faulty", "faulty"]);
    let card = cards.card(0).await;
    assert_eq!(card["outage"]["reason"], "unreadable");
    assert!(card["fault"].as_str().unwrap().contains("NVIDIA-SMI has failed"), "{card:#}");
}

#[tokio::test]
async fn an_engine_that_does_not_answer_says_nothing_of_its_cards() {
    let cards = Cards::new().await;
    cards.lab.cluster.go();
    for _ in 0..2 * IN_A_ROW {
        cards.measure().await;
    }
    cards.lab.cluster.come_back();
    cards.lab.look().await;
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "free"]);
}

#[tokio::test]
async fn a_card_that_the_driver_can_not_ask_is_faulty_and_not_missing() {
    let cards = Cards::new().await;
    let complaint = "Unable to determine the device handle for GPU1: 0000:65:00.0: Unknown Error\n";
    cards.lab.cluster.script_tells(CARDS, 15, &format!("{complaint}{}", line(0, "31", "0")));
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "free"]);
    for _ in 1..IN_A_ROW {
        cards.measure().await;
    }
    assert_eq!(cards.states().await, ["free", "faulty"]);
    // A card that is not even listed is missing.
    cards.tells(CARDS, &line(1, "32", "0"));
    cards.measure().await;
    assert_eq!(cards.states().await, ["missing", "faulty"]);
}

#[tokio::test]
async fn rows_that_wait_to_be_replaced_are_a_fault() {
    let cards = Cards::new().await;
    cards.tells(ROWS, "GPU-aaaa, Yes, No\nGPU-bbbb, 1, 1\n");
    cards.measure().await;
    assert_eq!(cards.states().await, ["faulty", "faulty"]);
    assert_eq!(cards.card(0).await["outage"]["reason"], "rows_pending");
    assert_eq!(cards.card(1).await["outage"]["reason"], "rows_failed");
}

#[tokio::test]
async fn xids_of_programs_are_history_and_one_of_the_hardware_is_a_fault_once_in_each_boot() {
    let cards = Cards::new().await;
    let programs =
        [("4980.000001", 31, "x"), ("4981.000000", 13, "x"), ("4982.000000", 43, "x"), ("4983.000000", 45, "x")];
    cards.tells(LOG, &log(BOOT, &programs));
    cards.measure().await;
    cards.tells(LOG, &log(BOOT, &[&programs[..], &[("4984.000000", 45, "x")]].concat()));
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "free"]);
    let app = json!("application");
    let once = |code: u32, times: u32| (json!(code), app.clone(), json!(times));
    assert_eq!(cards.xids(0).await, [once(13, 1), once(31, 1), once(43, 1), once(45, 2)]);
    assert!(cards.xids(1).await.is_empty() && cards.outages(0).await.is_empty());

    let lost = ("4990.000000", 79, "GPU has fallen off the bus.");
    cards.tells(LOG, &log(BOOT, &[lost]));
    cards.measure().await;
    assert_eq!(cards.states().await, ["faulty", "free"]);
    assert_eq!(cards.card(0).await["fault"], "Xid 79：显卡从总线上掉线");
    // Seen before it ran, so it does not fail the run, and does not count again: not even after a restart of the portal.
    assert_eq!(cards.test(0).await["passed"], true);
    cards.measure().await;
    let again = cards.lab.portal.again().await;
    again.reconcile().await.unwrap();
    again.measure().await.unwrap();
    assert_eq!(cards.states().await, ["free", "free"]);
    // The next boot has a log of its own, whose times start again.
    cards.tells(LOG, &log(NEXT_BOOT, &[("   12.000000", 79, "GPU has fallen off the bus.")]));
    cards.measure().await;
    assert_eq!(cards.states().await, ["faulty", "free"]);
    assert_eq!(cards.outages(0).await.len(), 2);
    let fatal = cards.xids(0).await.into_iter().filter(|(code, class, times)| {
        (code.as_i64(), class.as_str(), times.as_i64()) == (Some(79), Some("fatal"), Some(1))
    });
    assert_eq!(fatal.count(), 2, "one of each boot");
}

#[tokio::test]
async fn what_a_log_says_of_long_ago_when_it_is_first_read_is_history() {
    let old = log(BOOT, &[("  100.000000", 79, "GPU has fallen off the bus.")]);
    let cards = Cards::with_log(&old).await;
    let xids = cards.admin.get(&format!("/api/gpus/{}/xids", cards.ids[0])).await.expect(200);
    assert_eq!((&xids["total"], &xids["items"][0]["lastSeen"]), (&json!(1), &json!("2026-11-20T08:38:20.000Z")));
}

#[tokio::test]
async fn a_log_that_can_not_be_read_and_other_machines_cards_change_nothing() {
    let cards = Cards::new().await;
    cards.tells(LOG, &format!("boot {BOOT} 5000.00\nunreadable\n"));
    cards.measure().await;
    cards.tells(LOG, "");
    cards.measure().await;
    let line = "<4>[ 4990.000000] NVRM: Xid (PCI:0000:ca:00): 79, GPU has fallen off the bus.\n";
    cards.tells(LOG, &format!("boot {BOOT} 5000.00\n{line}"));
    cards.measure().await;
    assert_eq!(cards.states().await, ["free", "free"]);
}

#[tokio::test]
async fn whoever_has_an_instance_on_the_card_is_told_and_keeps_it() {
    let cards = Cards::new().await;
    let (ann, bob) = (cards.lab.portal.as_user("ann").await, cards.lab.portal.as_user("bob").await);
    let made = ann.post("/api/instances", cards.wants(&[0])).await.expect(202);
    cards.lab.look().await;
    cards.tells(LOG, &log(BOOT, &[("4990.000000", 48, "DBE")]));
    cards.measure().await;
    cards.lab.look().await;
    let one = cards.lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], &one["gpus"][0]["state"]), (&json!("running"), &json!("faulty")), "{one:#}");
    assert_eq!(one["gpus"][0]["lease"]["mine"], true);
    let name = one["name"].as_str().unwrap();
    assert_eq!(told(&ann).await, [format!("实例 {name} 的显卡故障")]);
    assert!(told(&bob).await.is_empty() && told(&cards.admin).await.is_empty());
    // Once it stops it does not get the card again either.
    ann.post(&path(&made["id"], "/stop"), json!({})).await.is(202);
    cards.lab.look().await;
    let words = ann.post(&path(&made["id"], "/start"), json!({})).await.refused(422, "gpu_unavailable");
    assert!(words.contains("0 号卡故障") && words.contains("更换显卡"), "{words}");
    assert_eq!(cards.test(0).await["passed"], true);
    assert_eq!(told(&ann).await.len(), 1, "nobody has it any more");
    ann.post(&path(&made["id"], "/start"), json!({})).await.is(202);
    cards.lab.look().await;
    cards.admin.put(&format!("/api/gpus/{}", cards.ids[0]), json!({ "fault": "风扇异响" })).await.is(200);
    assert_eq!(cards.test(0).await["passed"], true);
    assert_eq!(told(&ann).await[1..], [format!("实例 {name} 的显卡故障"), format!("实例 {name} 的显卡已恢复")]);
}

#[tokio::test]
async fn administrators_mark_a_card_reword_that_and_end_it_by_hand() {
    let cards = Cards::new().await;
    let card = format!("/api/gpus/{}", cards.ids[1]);
    let mark = async |fault: &str| cards.admin.put(&card, json!({ "fault": fault })).await.is(200);
    let refused = cards.admin.post(&format!("{card}/test"), json!({})).await.refused(409, "gpu_not_faulty");
    assert!(refused.contains("没有故障"), "{refused}");
    mark("风扇异响").await;
    mark("风扇不转").await;
    // Excluding the card meanwhile does not change the fault.
    cards.admin.put(&card, json!({ "excluded": true })).await.is(200);
    assert_eq!(cards.states().await, ["free", "faulty"]);
    let list = cards.admin.get("/api/gpus").await.expect(200);
    assert_eq!((&list["items"][0]["excluded"], &list["items"][1]["excluded"]), (&json!(false), &json!(true)));
    mark("").await;
    mark("").await;
    assert_eq!(cards.states().await, ["free", "excluded"]);
    let [outage] = &cards.outages(1).await[..] else { panic!("one outage") };
    assert_eq!((&outage["reason"], &outage["detail"]), (&json!("manual"), &json!("风扇不转")));
    assert_eq!((&outage["seenBy"], &outage["endedBy"]), (&json!("admin"), &json!("admin")));
    assert_eq!((&outage["ending"], &outage["result"]), (&json!("by_hand"), &json!("")));
    cards.admin.get(&format!("{card}/outages?size=0")).await.is(400);
    cards.admin.get("/api/gpus/nothing/outages").await.is(404);
    cards.admin.post("/api/gpus/nothing/test", json!({})).await.is(404);
    let log = cards.admin.get("/api/logs/operate?size=100").await.expect(200);
    let actions = log["items"].as_array().unwrap().iter().filter(|row| row["action"] == "gpu.update");
    let details: Vec<&Value> = actions.map(|row| &row["detail"]).collect();
    let over = "1 号卡故障已恢复";
    assert_eq!(details, [over, over, "1 号卡停用", "1 号卡故障：风扇不转", "1 号卡故障：风扇异响"]);
}

#[tokio::test]
async fn a_declared_card_passes_when_its_nodes_are_there() {
    let lab = Lab::new(1).await;
    let (admin, card) = (lab.portal.admin(), format!("/api/gpus/{}", lab.cards[0]));
    admin.put(&card, json!({ "fault": "掉卡" })).await.is(200);
    let test = async || admin.post(&format!("{card}/test"), json!({})).await;
    lab.cluster.machine_tells("/dev/card0\n");
    let failed = test().await.expect(200);
    assert_eq!(failed, json!({ "passed": false, "words": "缺少设备节点 /dev/card0" }));
    lab.cluster.go();
    assert_eq!(test().await.status, 503);
    lab.cluster.come_back();
    lab.cluster.machine_tells("");
    assert_eq!(test().await.expect(200)["passed"], true);
    assert_eq!(lab.card_states().await, ["free"]);
}
