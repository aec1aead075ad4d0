//! Invitations through the router: leaders invite, people answer.

use std::time::Duration;

use db_kit::Sql;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, USER_PASSWORD};

const DAY: Duration = Duration::from_secs(24 * 3600);
const OWN: &str = "/api/profile/group-invitations";

/// A group that ann leads, and bob, who is in no group.
struct Team {
    portal: TestPortal,
    group: i64,
    ann: Client,
    bob: Client,
    bob_id: i64,
}

impl Team {
    async fn new() -> Self {
        let portal = TestPortal::new().await;
        let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
        let body = json!({ "name": "nlp", "description": "周三组会", "leaders": [ann_id] });
        let group = portal.admin().post("/api/groups", body).await.expect(201)["id"].as_i64().unwrap();
        let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
        Self { portal, group, ann, bob, bob_id }
    }

    /// Advances the clock, and signs all of them in again.
    async fn later(&mut self, by: Duration) {
        self.portal.clock.advance(by);
        self.ann = self.portal.sign_in("ann", USER_PASSWORD).await;
        self.bob = self.portal.sign_in("bob", USER_PASSWORD).await;
    }

    fn members(&self) -> String {
        format!("/api/groups/{}/members", self.group)
    }

    fn pending(&self) -> String {
        format!("/api/groups/{}/invitations", self.group)
    }

    fn answer(&self, word: &str) -> String {
        format!("{OWN}/{}/{word}", self.group)
    }

    /// How many ann's invitation of bob reached.
    async fn invite(&self) -> Value {
        let answer = self.ann.post(&self.members(), json!({ "users": [self.bob_id] })).await.expect(200);
        assert_eq!(answer["changed"], 0);
        answer["invited"].clone()
    }

    async fn accept(&self) -> testkit::Answer {
        self.bob.post(&self.answer("accept"), json!({})).await
    }

    async fn withdraw(&self) -> testkit::Answer {
        self.ann.delete(&format!("{}/{}", self.pending(), self.bob_id)).await
    }

    async fn is_member(&self) -> bool {
        self.bob.get(&self.members()).await.status == 200
    }

    async fn rows(&self) -> i64 {
        let sql = "select count(*) as n from group_invitations";
        self.portal.database().await.number(sql, vec![]).await.unwrap()
    }
}

/// Kind and text of a person's notices, the latest first.
async fn told(who: &Client) -> Vec<String> {
    let list = who.get("/api/notices").await.expect(200);
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}: {}: {}", word(one, "kind"), word(one, "title"), word(one, "words")))
        .collect()
}

/// Entries of the operate log about groups, the latest first.
async fn logged(admin: &Client) -> Vec<String> {
    let log = admin.get("/api/logs/operate?size=50").await.expect(200);
    let word = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let entries = log["items"].as_array().unwrap().iter();
    let groups = entries.filter(|one| word(one, "action").starts_with("group.") && one["result"] == "success");
    groups.map(|one| format!("{} {} {}", word(one, "username"), word(one, "action"), word(one, "detail"))).collect()
}

#[tokio::test]
async fn a_membership_comes_with_the_consent() {
    let team = Team::new().await;
    let start = team.portal.admin().get(&team.members()).await.expect(200)["items"][0]["added"].clone();
    assert_eq!(team.invite().await, 1);
    assert!(!team.is_member().await);
    let led = team.ann.get("/api/users/public?led=true").await.expect(200);
    assert_eq!(led["total"], 1, "nothing of bob's is ann's to see: {led:#}");
    let own = team.bob.get(OWN).await.expect(200);
    let one = &own["items"][0];
    assert_eq!((&own["total"], &one["id"], &one["name"]), (&json!(1), &json!(team.group), &json!("nlp")));
    assert_eq!((&one["description"], &one["memberCount"]), (&json!("周三组会"), &json!(1)));
    assert_eq!((&one["leaders"][0]["username"], &one["invitedBy"]["username"]), (&json!("ann"), &json!("ann")));
    assert_eq!((&one["invited"], &one["expires"]), (&start, &json!("2026-12-20T10:00:00.000Z")));
    assert_eq!(told(&team.bob).await, ["group_invited: 用户组 nlp: ann 邀请你加入，请在 30 天内接受或拒绝"]);
    let pending = team.ann.get(&team.pending()).await.expect(200);
    assert_eq!((&pending["total"], &pending["items"][0]["user"]["username"]), (&json!(1), &json!("bob")));

    // An order of before stays between bob and the administrators.
    let order = json!({ "type": "fault", "title": "以前的", "content": "x" });
    team.bob.post("/api/worksheets", order).await.is(201);
    team.portal.clock.advance(Duration::from_secs(60));
    team.accept().await.is(204);
    assert!(team.is_member().await);
    assert_eq!(team.ann.get("/api/worksheets").await.expect(200)["total"], 0);
    let members = team.ann.get(&team.members()).await.expect(200);
    let origins: Vec<&Value> = members["items"].as_array().unwrap().iter().map(|one| &one["origin"]).collect();
    assert_eq!(origins, ["administrator", "invitation"]);
    assert_ne!(members["items"][1]["added"], start, "a member since the consent");
    assert_eq!(told(&team.ann).await, ["group_invitation_accepted: 用户组 nlp: bob 接受了邀请，已加入"]);
    let notice = team.ann.get("/api/notices").await.expect(200)["items"][0].clone();
    assert_eq!(notice["link"], format!("/users/groupmember_list?group={}", team.group));
    for list in [team.bob.get(OWN).await, team.ann.get(&team.pending()).await] {
        assert_eq!(list.expect(200)["total"], 0);
    }
    // A repetition changes nothing and sends no notice.
    team.accept().await.is(204);
    assert_eq!(told(&team.ann).await.len(), 1);
    let log = logged(&team.portal.admin()).await;
    assert_eq!(log[..2], ["bob group.accept_invitation 邀请人：ann", "ann group.invite bob"]);
    assert_eq!(team.invite().await, 0, "a member already");
}

#[tokio::test]
async fn while_one_is_pending_another_changes_nothing() {
    let team = Team::new().await;
    let zhao_id = team.portal.user("zhao").await;
    team.portal.admin().post(&team.members(), json!({ "users": [zhao_id] })).await.is(200);
    team.portal.admin().put(&format!("{}/{zhao_id}", team.members()), json!({ "leader": true })).await.is(204);
    let zhao = team.portal.sign_in("zhao", USER_PASSWORD).await;
    assert_eq!(team.invite().await, 1);
    let before = team.bob.get(OWN).await.expect(200);
    team.portal.clock.advance(Duration::from_secs(3600));
    assert_eq!(team.invite().await, 0);
    assert_eq!(zhao.post(&team.members(), json!({ "users": [team.bob_id] })).await.expect(200)["invited"], 0);
    assert_eq!(team.bob.get(OWN).await.expect(200)["items"][0]["expires"], before["items"][0]["expires"]);
    assert_eq!(told(&team.bob).await.len(), 1);
    // Any leader may withdraw it.
    zhao.delete(&format!("{}/{}", team.pending(), team.bob_id)).await.is(204);
    assert_eq!(team.bob.get(OWN).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn who_declined_is_left_alone_for_a_week() {
    let mut team = Team::new().await;
    team.invite().await;
    team.bob.post(&team.answer("decline"), json!({})).await.is(204);
    assert_eq!(told(&team.ann).await, ["group_invitation_declined: 用户组 nlp: bob 拒绝了邀请"]);
    assert_eq!(logged(&team.portal.admin()).await[0], "bob group.decline_invitation ");
    let _ = team.bob.post(&team.answer("decline"), json!({})).await.refused(409, "invitation_over");
    let _ = team.accept().await.refused(409, "invitation_over");
    let cao = team.portal.user("cao").await;
    let both = json!({ "users": [team.bob_id, cao] });
    let refused = team.ann.post(&team.members(), both.clone()).await.refused(409, "invitation_declined");
    assert_eq!(refused, "bob 拒绝过邀请，7 天内不能再次邀请，请先去掉");
    assert_eq!(team.ann.get(&team.pending()).await.expect(200)["total"], 0, "all or nobody");
    let _ = team.withdraw().await.refused(409, "invitation_over");
    // An administrator needs no consent, and removing the member reopens nothing.
    team.later(DAY * 7 - Duration::from_secs(1)).await;
    let _ = team.ann.post(&team.members(), both.clone()).await.refused(409, "invitation_declined");
    team.portal.clock.advance(Duration::from_secs(1));
    assert_eq!(team.ann.post(&team.members(), both).await.expect(200)["invited"], 2);
    assert_eq!(told(&team.bob).await.len(), 2);
}

#[tokio::test]
async fn what_was_withdrawn_opens_nothing_and_pesters_nobody() {
    let mut team = Team::new().await;
    team.invite().await;
    team.withdraw().await.is(204);
    assert_eq!(logged(&team.portal.admin()).await[0], "ann group.withdraw_invitation bob");
    let _ = team.accept().await.refused(409, "invitation_over");
    let _ = team.withdraw().await.refused(409, "invitation_over");
    assert!(!team.is_member().await);
    for _ in 0..3 {
        assert_eq!(team.invite().await, 1);
        team.withdraw().await.is(204);
    }
    assert_eq!(told(&team.bob).await.len(), 1, "once a day");
    team.later(DAY).await;
    assert_eq!(team.invite().await, 1);
    assert_eq!(told(&team.bob).await.len(), 2);
    team.accept().await.is(204);
}

#[tokio::test]
async fn an_invitation_ends_after_thirty_days() {
    let mut team = Team::new().await;
    team.invite().await;
    team.later(DAY * 30 - Duration::from_secs(1)).await;
    assert_eq!(team.bob.get(OWN).await.expect(200)["total"], 1);
    team.portal.clock.advance(Duration::from_secs(1));
    for list in [team.bob.get(OWN).await, team.ann.get(&team.pending()).await] {
        assert_eq!(list.expect(200)["total"], 0);
    }
    let _ = team.accept().await.refused(409, "invitation_over");
    let _ = team.bob.post(&team.answer("decline"), json!({})).await.refused(409, "invitation_over");
    assert_eq!(team.invite().await, 1);
    assert_eq!((team.rows().await, told(&team.bob).await.len()), (1, 2));
    team.accept().await.is(204);
}

#[tokio::test]
async fn a_group_waits_for_a_hundred_at_most() {
    let team = Team::new().await;
    let mut people = Vec::new();
    for number in 0..100 {
        people.push(team.portal.user(&format!("user{number}")).await);
    }
    assert_eq!(team.ann.post(&team.members(), json!({ "users": people })).await.expect(200)["invited"], 100);
    let more = team.ann.post(&team.members(), json!({ "users": [team.bob_id] })).await;
    let message = more.refused(409, "too_many_invitations");
    assert!(message.contains("100"), "{message}");
    assert_eq!(team.ann.get(&team.pending()).await.expect(200)["items"].as_array().unwrap().len(), 100);
    team.ann.delete(&format!("{}/{}", team.pending(), people[0])).await.is(204);
    assert_eq!(team.invite().await, 1);
}

#[tokio::test]
async fn two_answers_at_once_count_once() {
    let team = Team::new().await;
    team.invite().await;
    let (one, other) = tokio::join!(team.accept(), team.accept());
    one.is(204);
    other.is(204);
    assert_eq!((told(&team.ann).await.len(), team.rows().await), (1, 0));
    let log = logged(&team.portal.admin()).await;
    assert_eq!(log.iter().filter(|one| one.contains("accept_invitation")).count(), 1);

    let team = Team::new().await;
    team.invite().await;
    let decline = team.answer("decline");
    let (accepted, declined) = tokio::join!(team.accept(), team.bob.post(&decline, json!({})));
    let statuses = (accepted.status.as_u16(), declined.status.as_u16());
    assert!(matches!(statuses, (204, 409) | (409, 204)), "{statuses:?}");
    assert_eq!(team.is_member().await, statuses.0 == 204);
    assert_eq!(told(&team.ann).await.len(), 1);
}

#[tokio::test]
async fn only_the_invited_answer_and_only_leaders_look() {
    let team = Team::new().await;
    let member = team.portal.user("member").await;
    team.portal.admin().post(&team.members(), json!({ "users": [member] })).await.is(200);
    let member = team.portal.sign_in("member", USER_PASSWORD).await;
    let stranger = team.portal.as_user("stranger").await;
    team.invite().await;
    let _ = member.get(&team.pending()).await.refused(409, "not_group_leader");
    stranger.get(&team.pending()).await.is(404);
    team.bob.get(&team.pending()).await.is(404);
    let one = format!("{}/{}", team.pending(), team.bob_id);
    let _ = member.delete(&one).await.refused(409, "not_group_leader");
    stranger.delete(&one).await.is(404);
    let _ = stranger.post(&team.answer("accept"), json!({})).await.refused(409, "invitation_over");
    let _ = stranger.post(&team.answer("decline"), json!({})).await.refused(409, "invitation_over");
    assert_eq!(stranger.get(OWN).await.expect(200)["total"], 0);
    team.portal.admin().get("/api/groups/999/invitations").await.is(404);
    assert_eq!(team.portal.admin().get(&team.pending()).await.expect(200)["total"], 1);
    team.portal.admin().delete(&one).await.is(204);
    assert_eq!(team.rows().await, 1);
    let _ = team.accept().await.refused(409, "invitation_over");
}

#[tokio::test]
async fn an_assignment_takes_the_place_of_an_invitation() {
    let team = Team::new().await;
    let admin = team.portal.admin();
    team.invite().await;
    let added = admin.post(&team.members(), json!({ "users": [team.bob_id] })).await.expect(200);
    assert_eq!((&added["changed"], team.rows().await), (&json!(1), 0));
    team.ann.delete(&format!("{}/{}", team.members(), team.bob_id)).await.is(204);
    let _ = team.accept().await.refused(409, "invitation_over");
    // The same by the person's own page.
    team.invite().await;
    let user = format!("/api/users/{}", team.bob_id);
    admin.put(&user, json!({ "groups": [team.group] })).await.is(200);
    assert_eq!((team.rows().await, team.is_member().await), (0, true));
    admin.put(&user, json!({ "groups": [] })).await.is(200);
    let _ = team.accept().await.refused(409, "invitation_over");
}

#[tokio::test]
async fn administrators_are_not_invited() {
    let team = Team::new().await;
    let admin = team.portal.admin();
    team.invite().await;
    admin.put(&format!("/api/users/{}", team.bob_id), json!({ "role": 1 })).await.is(200);
    assert_eq!(team.rows().await, 0, "the invitation ends with the new role");
    let bob = team.portal.sign_in("bob", USER_PASSWORD).await;
    let _ = bob.post(&team.answer("accept"), json!({})).await.refused(409, "invitation_over");
    team.ann.post(&team.members(), json!({ "users": [team.bob_id] })).await.faults(&["users"]);
    // An invitation that was made concurrently with the new role.
    let sql = "insert into group_invitations (group_id, user_id, state, invited, expires, told) \
        values ($1, $2, 'pending', 0, 9000000000000, 0)";
    let rows = team.portal.database().await;
    let tx = rows.begin().await.unwrap();
    tx.run(sql, vec![team.group.into(), team.bob_id.into()]).await.unwrap();
    tx.commit().await.unwrap();
    let _ = bob.post(&team.answer("accept"), json!({})).await.refused(409, "administrator_invited");
    assert_eq!(team.rows().await, 1, "nothing is half-done");
    let members = admin.get(&team.members()).await.expect(200);
    assert_eq!(members["total"], 1);
    bob.post(&team.answer("decline"), json!({})).await.is(204);
}

#[tokio::test]
async fn the_disabled_wait_and_are_not_invited() {
    let team = Team::new().await;
    let admin = team.portal.admin();
    let active = async |active: bool| {
        admin.post("/api/users/active", json!({ "ids": [team.bob_id], "active": active })).await.is(200);
    };
    active(false).await;
    team.ann.post(&team.members(), json!({ "users": [team.bob_id] })).await.faults(&["users"]);
    active(true).await;
    team.invite().await;
    active(false).await;
    team.accept().await.is(401);
    assert_eq!(team.invite_refused().await, ["users"], "not again either");
    active(true).await;
    let bob = team.portal.sign_in("bob", USER_PASSWORD).await;
    bob.post(&team.answer("accept"), json!({})).await.is(204);
    assert_eq!(admin.get(&team.members()).await.expect(200)["total"], 2);
}

impl Team {
    async fn invite_refused(&self) -> Vec<String> {
        let body = self.ann.post(&self.members(), json!({ "users": [self.bob_id] })).await.expect(422);
        let names = body["fields"].as_array().unwrap().iter();
        names.map(|field| field["name"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn invitations_go_with_their_group_and_their_person() {
    let team = Team::new().await;
    let admin = team.portal.admin();
    let cao = team.portal.user("cao").await;
    team.ann.post(&team.members(), json!({ "users": [team.bob_id, cao] })).await.is(200);
    admin.delete(&format!("/api/users/{cao}")).await.is(204);
    let pending = team.ann.get(&team.pending()).await.expect(200);
    assert_eq!((&pending["total"], team.rows().await), (&json!(1), 1));
    // An invitation is the group's, not the leader's.
    let ann_id = pending["items"][0]["invitedBy"]["id"].clone();
    admin.delete(&format!("/api/users/{ann_id}")).await.is(204);
    let own = team.bob.get(OWN).await.expect(200);
    assert_eq!((&own["total"], &own["items"][0]["invitedBy"]), (&json!(1), &json!(null)));
    assert_eq!(admin.get(&team.pending()).await.expect(200)["items"][0]["invitedBy"], json!(null));
    admin.delete(&format!("/api/groups/{}", team.group)).await.is(204);
    assert_eq!((team.bob.get(OWN).await.expect(200)["total"].clone(), team.rows().await), (json!(0), 0));
    let _ = team.accept().await.refused(409, "invitation_over");
}

#[tokio::test]
async fn a_restart_loses_no_invitation() {
    let team = Team::new().await;
    team.invite().await;
    drop(team.portal.again().await);
    let root = team.portal.sign_in("admin", ADMIN_PASSWORD).await;
    assert_eq!(root.get(&team.pending()).await.expect(200)["total"], 1);
    team.accept().await.is(204);
}
