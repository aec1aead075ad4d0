//! Reports of use through the router, on a ledger that the portal itself adds up.

use std::slice;
use std::time::Duration;

use db_kit::Sql;
use kernel::Clock;
use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

impl Lab {
    /// Advances the clock and runs the duties.
    async fn pass(&self, seconds: u64) {
        self.portal.clock.advance(Duration::from_secs(seconds));
        self.portal.portal.measure().await.unwrap();
    }

    /// Inserts a card's utilization for each minute from now on.
    async fn was_busy(&self, card: &str, minutes: i64, utilization: i64) {
        let database = self.portal.database().await;
        let tx = database.begin().await.unwrap();
        for minute in 0..minutes {
            let sql = "insert into gpu_samples (gpu_id, span, time, utilization) values ($1, 60, $2, $3)";
            let time = self.portal.clock.now().as_millis() + minute * 60_000;
            tx.run(sql, vec![card.into(), time.into(), utilization.into()]).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    /// Signs in anew, because a session would expire during these tests.
    async fn report(&self, who: &str, query: &str) -> Value {
        self.signed_in(who).await.get(&format!("/api/usage?{query}")).await.expect(200)
    }

    async fn signed_in(&self, who: &str) -> Client {
        let password = if who == "admin" { testkit::ADMIN_PASSWORD } else { USER_PASSWORD };
        self.portal.sign_in(who, password).await
    }
}

/// The rows of a report, shortened.
fn rows<const N: usize>(report: &Value, fields: [&str; N]) -> Vec<[Value; N]> {
    let items = report["items"].as_array().unwrap();
    assert_eq!(report["total"], items.len(), "{report:#}");
    items.iter().map(|row| fields.map(|field| row[field].clone())).collect()
}

#[tokio::test]
async fn use_over_midnight_is_split_counted_once_and_kept_when_its_samples_are_gone() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    // At 18:00. One card reports its utilization for two hours, the other never does.
    let one = lab.running(&ann, 2).await;
    lab.was_busy(&lab.cards[0], 120, 50).await;
    lab.pass(8 * HOUR).await;
    let fields = ["period", "heldHours", "usedHours", "unmeasuredHours", "utilization", "instances"];
    let days = "from=2026-11-20&to=2026-11-30&sort=period";
    let friday = json!(["2026-11-20", 12.0, 1.0, 10.0, 50.0, 1]);
    let two_hours = json!(["2026-11-21", 3.93, 0.0, 3.93, null, 1]);
    assert_eq!(json!(rows(&lab.report("ann", days).await, fields)), json!([friday, two_hours]));

    // Once more at the same time, and once more a little later.
    lab.pass(0).await;
    assert_eq!(json!(rows(&lab.report("ann", days).await, fields)), json!([friday, two_hours]));
    lab.pass(5 * MINUTE).await;
    let report = lab.report("ann", days).await;
    assert_eq!(report["until"], "2026-11-20T18:03:00.000Z");
    assert_eq!(json!(rows(&report, fields)[0]), friday);
    assert_eq!(rows(&report, ["heldHours"])[1], [4.1]);

    ann.post(&path(&one["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    // Two months later, without a look in between: nothing is left of the samples.
    lab.pass(60 * 24 * HOUR).await;
    let report = lab.report("ann", days).await;
    assert_eq!(json!(rows(&report, fields)[0]), friday);
    assert_eq!(rows(&report, ["heldHours"])[1], [4.17]);
    let whole = json!({ "heldHours": 16.17, "usedHours": 1.0, "unmeasuredHours": 14.17, "utilization": 50.0,
        "cpuHours": 0.0, "instances": 1 });
    assert_eq!(report["sum"], whole);
    assert_eq!(report["points"].as_array().unwrap().len(), 2);
    let months = lab.report("ann", "from=2026-01-01&to=2026-12-31&by=month").await;
    assert_eq!(
        rows(&months, ["period", "name", "heldHours", "instances"]),
        [[json!("2026-11"), json!("ann"), json!(16.17), json!(1)]]
    );
    let all = lab.report("ann", "from=2026-01-01&to=2026-12-31&by=range").await;
    assert_eq!(rows(&all, ["period"]), [["2026-01-01/2026-12-31"]]);
}

#[tokio::test]
async fn what_was_measured_of_a_day_stays_when_its_samples_go_with_their_card() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.was_busy(&lab.cards[0], 60, 100).await;
    lab.pass(HOUR).await;
    ann.post(&path(&one["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    lab.portal.admin().delete(&format!("/api/gpus/{}", lab.cards[0])).await.is(204);
    lab.pass(HOUR).await;
    let report = lab.report("ann", "from=2026-11-20&to=2026-11-20").await;
    assert_eq!(rows(&report, ["heldHours", "usedHours", "unmeasuredHours"]), [[1.0, 0.97, 0.03]]);
}

#[tokio::test]
async fn everybody_sees_their_own_leaders_their_groups_and_administrators_all() {
    let lab = Lab::new(4).await;
    let (ann, bob, lee) =
        (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await, lab.portal.user("lee").await);
    let id_of = async |who: &str| {
        let found = lab.portal.admin().get(&format!("/api/users?q={who}")).await.expect(200);
        found["items"][0]["id"].as_i64().unwrap()
    };
    let (ann_id, bob_id) = (id_of("ann").await, id_of("bob").await);
    let group = json!({ "name": "计算机视觉", "leaders": [lee], "members": [ann_id] });
    let group = lab.portal.admin().post("/api/groups", group).await.expect(201)["id"].as_i64().unwrap();
    lab.running(&ann, 1).await;
    lab.running(&bob, 2).await;
    lab.pass(HOUR + 2 * MINUTE).await;

    let friday = "from=2026-11-20&to=2026-11-20&sort=name";
    let who = async |viewer: &str, query: &str| rows(&lab.report(viewer, query).await, ["name", "heldHours"]);
    let (anns, bobs) = ([json!("ann"), json!(1.0)], [json!("bob"), json!(2.0)]);
    assert_eq!(who("ann", friday).await, slice::from_ref(&anns));
    assert_eq!(who("bob", friday).await, slice::from_ref(&bobs));
    assert_eq!(who("lee", friday).await, slice::from_ref(&anns));
    assert_eq!(who("admin", friday).await, [anns.clone(), bobs.clone()]);
    // Nor is anything of others in sums, points, files, or behind a filter.
    let seen = lab.report("lee", friday).await;
    assert_eq!((&seen["sum"]["heldHours"], &seen["points"][0]["heldHours"]), (&json!(1.0), &json!(1.0)));
    for viewer in ["ann", "lee"] {
        assert_eq!(who(viewer, &format!("{friday}&person={bob_id}")).await.len(), 0);
        let file = lab.signed_in(viewer).await.get(&format!("/api/usage/export?{friday}")).await.text();
        assert!(file.contains("ann") && !file.contains("bob"), "{file}");
    }
    assert_eq!(who("admin", &format!("{friday}&person={bob_id}")).await, slice::from_ref(&bobs));
    assert_eq!(who("admin", &format!("{friday}&group={group}")).await, slice::from_ref(&anns));
    assert_eq!(who("admin", &format!("{friday}&server={}", lab.server)).await.len(), 2);
    assert_eq!(who("admin", &format!("{friday}&server=x")).await.len(), 0);

    // By group: a leader sees the led groups; administrators see all, and users without a group.
    let groups = format!("{friday}&subject=group");
    let visions = [json!("计算机视觉"), json!(1.0)];
    assert_eq!(who("lee", &groups).await, slice::from_ref(&visions));
    assert_eq!(who("ann", &groups).await.len(), 0);
    assert_eq!(who("admin", &groups).await, [[json!(""), json!(2.0)], visions.clone()]);
    assert_eq!(lab.report("admin", &groups).await["items"][0]["id"], Value::Null);

    // When a member leaves, days before stay with the group, and later ones do not.
    let changed = lab.portal.admin().delete(&format!("/api/groups/{group}/members/{ann_id}")).await;
    changed.is(204);
    lab.pass(24 * HOUR).await;
    let both = "from=2026-11-20&to=2026-11-21&sort=period";
    assert_eq!(rows(&lab.report("lee", both).await, ["period"]), [["2026-11-20"]]);
    assert_eq!(rows(&lab.report("ann", both).await, ["period"]), [["2026-11-20"], ["2026-11-21"]]);
    // The usage of a deleted group stays under its name.
    lab.signed_in("admin").await.delete(&format!("/api/groups/{group}")).await.is(204);
    assert_eq!(who("lee", friday).await.len(), 0);
    let kept = lab.report("admin", "from=2026-11-20&to=2026-11-20&subject=group&sort=name&order=desc").await;
    assert_eq!(kept["items"][0]["name"], "计算机视觉");
}

#[tokio::test]
async fn a_report_is_a_file_for_spreadsheets_that_runs_nothing() {
    let lab = Lab::new(1).await;
    let form = json!({ "username": "ann", "password": USER_PASSWORD, "name": "=1+1" });
    lab.portal.admin().post("/api/users", form).await.is(201);
    let ann = lab.signed_in("ann").await;
    lab.running(&ann, 1).await;
    lab.was_busy(&lab.cards[0], 60, 25).await;
    lab.pass(HOUR + 2 * MINUTE).await;
    let file = ann.get("/api/usage/export?from=2026-11-01&to=2026-11-20&page=7").await;
    file.is(200);
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"usage-2026-11-01-2026-11-20.csv\"");
    let text = file.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "\u{feff}日期,用户名,姓名,占用卡时,实际使用卡时,未测量卡时,平均利用率（%）,CPU 核时,实例数",
            "2026-11-20,ann,'=1+1,1,0.25,0,25,0,1",
        ]
    );
    let groups = lab.portal.admin().get("/api/usage/export?by=month&subject=group").await.text();
    assert!(groups.starts_with("\u{feff}月份,用户组,占用卡时"), "{groups}");
    assert!(groups.contains("\n2026-11,未分组,1,"), "{groups}");
}

#[tokio::test]
async fn instances_without_cards_count_their_processors() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let database = lab.portal.database().await;
    let tx = database.begin().await.unwrap();
    let sql = "insert into instance_samples (instance_id, span, time, cpu) values ($1, 60, $2, 3000000)";
    for minute in 0..30 {
        let time = lab.portal.clock.now().as_millis() + minute * 60_000;
        tx.run(sql, vec![one["id"].as_str().unwrap().into(), time.into()]).await.unwrap();
    }
    tx.commit().await.unwrap();
    lab.pass(HOUR).await;
    let report = lab.report("ann", "").await;
    assert_eq!(rows(&report, ["cpuHours", "instances", "heldHours"]), [[json!(1.5), json!(1), json!(0.0)]]);
}

#[tokio::test]
async fn reports_are_paged_and_sorted_and_nonsense_is_refused() {
    let lab = Lab::new(3).await;
    for (who, cards) in [("ann", 1), ("bob", 2)] {
        let client = lab.portal.as_user(who).await;
        lab.running(&client, cards).await;
    }
    lab.pass(HOUR).await;
    let admin = lab.portal.admin();
    for sort in ["period", "name", "held", "used", "unmeasured", "utilization", "cpu", "instances"] {
        for subject in ["person", "group"] {
            admin.get(&format!("/api/usage?sort={sort}&order=desc&subject={subject}")).await.is(200);
        }
    }
    let second = admin.get("/api/usage?sort=held&order=desc&size=1&page=2").await.expect(200);
    assert_eq!((&second["total"], &second["items"][0]["name"]), (&json!(2), &json!("ann")));
    assert_eq!(second["sum"]["heldHours"], 2.9);
    admin.get("/api/usage?from=2026-11-02&to=2026-11-01").await.faults(&["to"]);
    admin.get("/api/usage?from=2024-11-02&to=2026-11-01").await.faults(&["from"]);
    admin.get("/api/usage?from=2024-11-02&to=2026-11-01&by=month").await.is(200);
    admin.get("/api/usage?from=1990-01-01&by=range").await.faults(&["from"]);
    for nonsense in ["from=2026-02-30", "sort=password", "by=year", "size=0", "to=x"] {
        admin.get(&format!("/api/usage?{nonsense}")).await.is(400);
    }
    let nothing = admin.get("/api/usage?from=1999-01-01&to=1999-01-31").await.expect(200);
    assert_eq!((&nothing["items"], &nothing["sum"]["instances"]), (&json!([]), &json!(0)));
}

/// A8: usage that a clock running ahead had booked in the future is removed, and counting continues from now.
#[tokio::test]
async fn use_that_was_booked_ahead_of_now_is_taken_back() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    lab.running(&ann, 1).await;
    lab.pass(HOUR).await;
    let honest = lab.report("admin", "from=2026-11-01&to=2027-12-31&by=range").await["sum"].clone();

    let database = lab.portal.database().await;
    let tx = database.begin().await.unwrap();
    for day in [20_261_121, 20_261_122, 20_270_103] {
        let sql = "insert into usage_progress (day, until) values ($1, $2)";
        tx.run(sql, vec![i64::from(day).into(), 1_799_000_000_000_i64.into()]).await.unwrap();
        let sql = "insert into usage_days (day, instance_id, user_id, username, server_id, held, measured, used, cpu) \
            select $1, instance_id, user_id, username, server_id, 86400000, 0, 0, 0 from usage_days limit 1";
        tx.run(sql, vec![i64::from(day).into()]).await.unwrap();
    }
    tx.commit().await.unwrap();
    let wrong = lab.report("admin", "from=2026-11-01&to=2027-12-31&by=range").await["sum"]["heldHours"].clone();
    assert_eq!(wrong.as_f64().unwrap(), honest["heldHours"].as_f64().unwrap() + 72.0);

    lab.pass(MINUTE).await;
    let healed = lab.report("admin", "from=2026-11-01&to=2027-12-31&by=range").await;
    // The minute that passed since counts.
    let hours = |of: &Value| of["heldHours"].as_f64().unwrap();
    assert!((hours(&healed["sum"]) - hours(&honest)).abs() < 0.05, "{healed:#}");
    lab.pass(2 * HOUR).await;
    let counted = lab.report("admin", "from=2026-11-01&to=2027-12-31&by=range").await;
    assert!(counted["sum"]["heldHours"].as_f64().unwrap() >= honest["heldHours"].as_f64().unwrap() + 1.9);
}
