//! Random actions of people and engines in random order: when all is quiet again every row is true, every container has
//! a row, and exactly what is used is reserved.

use std::collections::HashMap;

use db_kit::Sql as _;
use engine::Phase;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

/// Pseudo-random numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

#[rstest]
#[tokio::test]
async fn nothing_is_left_over_and_no_row_lies(#[values(1, 2, 3, 4, 5, 6)] seed: u64) {
    let lab = Lab::new(3).await;
    let id = lab.portal.user("ann").await;
    let quotas = json!({ "instanceLimit": 100, "GPUNumlimit": 100, "CPUPeriodQuota": 0, "memoryLimit": 0 });
    lab.portal.admin().put(&format!("/api/users/{id}"), quotas).await.is(200);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let mut dice = Dice(seed);
    for _ in 0..60 {
        one_thing(&lab, &ann, &mut dice).await;
    }
    lab.cluster.come_back();
    // Every step in progress ends within a few looks.
    for _ in 0..6 {
        lab.look().await;
    }
    check(&lab, &ann).await;
}

async fn one_thing(lab: &Lab, ann: &Client, dice: &mut Dice) {
    let list = ann.get("/api/instances?size=200").await.expect(200);
    let known: Vec<Value> = list["items"].as_array().unwrap().clone();
    let some = (!known.is_empty()).then(|| known[dice.roll(known.len())].clone());
    match (dice.roll(10), some) {
        (0 | 1, _) | (_, None) => {
            let mut form = lab.form(dice.roll(3));
            form["memory"] = json!(1_i64 << 30);
            let status = ann.post("/api/instances", form).await.status.as_u16();
            assert!([202, 422, 503].contains(&status), "{status}");
        }
        (choice @ 2..=5, Some(one)) => {
            let action = ["/start", "/stop", "/restart", "/release"][choice - 2];
            let status = ann.post(&path(&one["id"], action), json!({})).await.status.as_u16();
            assert!([202, 409, 422, 503].contains(&status), "{status}");
        }
        (6, Some(one)) => lab.cluster.lose(one["name"].as_str().unwrap()),
        (7, Some(one)) => lab.cluster.end(one["name"].as_str().unwrap(), 1, false),
        (8, _) => lab.cluster.go_after(dice.roll(4)),
        (_, _) => lab.cluster.come_back(),
    }
    if dice.roll(2) == 0 {
        lab.look().await;
    }
}

async fn check(lab: &Lab, ann: &Client) {
    let list = ann.get("/api/instances?size=200&released=true").await.expect(200);
    let containers: HashMap<String, Phase> = lab.cluster.phases().into_iter().collect();
    let mut leased = 0;
    for one in list["items"].as_array().unwrap() {
        let container = containers.get(one["name"].as_str().unwrap());
        let active = container.is_some_and(|phase| phase.is_active());
        match one["state"].as_str().unwrap() {
            "running" => {
                assert!(active, "says that it runs: {one:#}");
                leased += one["gpus"].as_array().unwrap().len();
            }
            "stopped" | "error" => assert!(!active, "runs all the same: {one:#}"),
            "released" => assert_eq!(container, None, "{one:#}"),
            _ => panic!("still under way: {one:#}"),
        }
        assert_eq!(one["ports"] == json!([]), one["state"] == "released", "{one:#}");
    }
    let open: Vec<&Value> = list["items"].as_array().unwrap().iter().filter(|one| one["state"] != "released").collect();
    for name in containers.keys() {
        assert!(open.iter().any(|one| one["name"] == name.as_str()), "{name} is without a row");
    }
    let taken = lab.card_states().await.iter().filter(|state| *state == "allocated").count();
    assert_eq!(taken, leased, "cards that are taken, and cards of what runs");
    let db = lab.portal.database().await;
    let held = "select count(*) as n from reservations r join instances i on i.id = r.instance_id \
        where r.state = 'granted' and i.state = 'running'";
    let running = list["items"].as_array().unwrap().iter().filter(|one| one["state"] == "running").count();
    assert_eq!(db.number(held, vec![]).await.unwrap(), i64::try_from(running).unwrap());
    let open = db.number("select count(*) as n from reservations where state = 'granted'", vec![]).await.unwrap();
    assert_eq!(open, i64::try_from(running).unwrap(), "reservations of what runs, and no others");
}
