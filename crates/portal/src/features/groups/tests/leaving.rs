//! Leaving a group through the router.

use db_kit::Sql;
use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

/// A group that ann leads, as an administrator assigned, and bob, who joins it.
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
        let body = json!({ "name": "nlp", "leaders": [ann_id] });
        let group = portal.admin().post("/api/groups", body).await.expect(201)["id"].as_i64().unwrap();
        let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
        Self { portal, group, ann, bob, bob_id }
    }

    fn members(&self) -> String {
        format!("/api/groups/{}/members", self.group)
    }

    fn own(&self) -> String {
        format!("/api/profile/groups/{}", self.group)
    }

    /// Adds a person with their consent.
    async fn take_in(&self, id: i64, who: &Client) {
        self.ann.post(&self.members(), json!({ "users": [id] })).await.is(200);
        who.post(&format!("/api/profile/group-invitations/{}/accept", self.group), json!({})).await.is(204);
    }

    async fn lead(&self, id: i64, leader: bool) {
        self.portal.admin().put(&format!("{}/{id}", self.members()), json!({ "leader": leader })).await.is(204);
    }

    /// Sets the origin of bob's membership in the database.
    async fn came_by(&self, origin: &str) {
        let db = self.portal.database().await;
        let tx = db.begin().await.unwrap();
        let sql = "update group_members set origin = $1 where user_id = $2";
        assert_eq!(tx.run(sql, vec![origin.into(), self.bob_id.into()]).await.unwrap(), 1);
        tx.commit().await.unwrap();
    }

    async fn leaders(&self) -> usize {
        let group = self.portal.admin().get(&format!("/api/groups/{}", self.group)).await.expect(200);
        group["leaders"].as_array().unwrap().len()
    }
}

async fn origin(portal: &TestPortal, user: i64) -> Value {
    portal.admin().get(&format!("/api/users/{user}")).await.expect(200)["groups"][0]["origin"].clone()
}

#[tokio::test]
async fn who_accepted_leaves_and_the_leader_is_told() {
    let team = Team::new().await;
    team.take_in(team.bob_id, &team.bob).await;
    assert_eq!(team.ann.get("/api/users/public?led=true").await.expect(200)["total"], 2);
    team.bob.delete(&team.own()).await.is(204);
    team.bob.get(&team.members()).await.is(404);
    assert_eq!(team.ann.get("/api/users/public?led=true").await.expect(200)["total"], 1);
    assert_eq!(team.bob.get("/api/groups").await.expect(200)["total"], 0);
    let notice = team.ann.get("/api/notices").await.expect(200)["items"][0].clone();
    assert_eq!((&notice["kind"], &notice["words"]), (&json!("group_left"), &json!("bob 退出了用户组")));
    let log = team.portal.admin().get("/api/logs/operate?size=1").await.expect(200)["items"][0].clone();
    assert_eq!(
        (&log["action"], &log["username"], &log["target"]),
        (&json!("group.leave"), &json!("bob"), &json!("nlp"))
    );
    team.bob.delete(&team.own()).await.is(404);
    team.bob.delete("/api/profile/groups/999").await.is(404);
    // A person who left may only be invited again, not added.
    let again = team.ann.post(&team.members(), json!({ "users": [team.bob_id] })).await.expect(200);
    assert_eq!(again, json!({ "changed": 0, "invited": 1 }));
}

#[tokio::test]
async fn who_was_assigned_stays() {
    let team = Team::new().await;
    let admin = team.portal.admin();
    admin.post(&team.members(), json!({ "users": [team.bob_id] })).await.is(200);
    let message = team.bob.delete(&team.own()).await.refused(409, "assigned_member");
    assert!(message.contains("管理员"), "{message}");
    team.came_by("directory").await;
    let message = team.bob.delete(&team.own()).await.refused(409, "directory_member");
    assert!(message.contains("LDAP"), "{message}");
    assert_eq!(admin.post(&team.members(), json!({ "users": [team.bob_id] })).await.expect(200)["changed"], 0);
    assert_eq!(origin(&team.portal, team.bob_id).await, "directory");
    // An unknown origin is an error, and never a default that permits something.
    team.came_by("of_a_later_version").await;
    team.bob.delete(&team.own()).await.is(500);
    team.came_by("directory").await;
    // Members whom an administrator adds by other calls are assigned, too.
    admin.put(&format!("/api/groups/{}", team.group), json!({ "members": [] })).await.is(200);
    admin.put(&format!("/api/groups/{}", team.group), json!({ "members": [team.bob_id] })).await.is(200);
    let _ = team.bob.delete(&team.own()).await.refused(409, "assigned_member");
    let user = format!("/api/users/{}", team.bob_id);
    admin.put(&user, json!({ "groups": [] })).await.is(200);
    admin.put(&user, json!({ "groups": [team.group] })).await.is(200);
    let _ = team.bob.delete(&team.own()).await.refused(409, "assigned_member");
    // A leader removes them as before.
    team.ann.delete(&format!("{}/{}", team.members(), team.bob_id)).await.is(204);
}

#[tokio::test]
async fn an_administrator_makes_a_consent_an_assignment() {
    let team = Team::new().await;
    team.take_in(team.bob_id, &team.bob).await;
    let admin = team.portal.admin();
    // Changing other data of the group or the person does not.
    admin.put(&format!("/api/groups/{}", team.group), json!({ "members": [team.bob_id] })).await.is(200);
    admin.put(&format!("/api/users/{}", team.bob_id), json!({ "groups": [team.group] })).await.is(200);
    assert_eq!(origin(&team.portal, team.bob_id).await, "invitation");
    assert_eq!(admin.post(&team.members(), json!({ "users": [team.bob_id] })).await.expect(200)["changed"], 0);
    assert_eq!(origin(&team.portal, team.bob_id).await, "administrator");
    let _ = team.bob.delete(&team.own()).await.refused(409, "assigned_member");
}

/// Their consent is unknown, so they may leave.
#[tokio::test]
async fn memberships_from_before_may_be_left() {
    let team = Team::new().await;
    let db = team.portal.database().await;
    let tx = db.begin().await.unwrap();
    let sql = "insert into group_members (group_id, user_id, leader, added) values ($1, $2, $3, 0)";
    tx.run(sql, vec![team.group.into(), team.bob_id.into(), false.into()]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(origin(&team.portal, team.bob_id).await, "earlier");
    team.bob.delete(&team.own()).await.is(204);
}

#[tokio::test]
async fn a_leader_leaves_when_somebody_else_leads() {
    let team = Team::new().await;
    let (cao_id, admin) = (team.portal.user("cao").await, team.portal.admin());
    let cao = team.portal.sign_in("cao", USER_PASSWORD).await;
    let ann_id = admin.get("/api/users?q=ann").await.expect(200)["items"][0]["id"].as_i64().unwrap();
    team.take_in(team.bob_id, &team.bob).await;
    team.take_in(cao_id, &cao).await;
    let _ = team.ann.delete(&team.own()).await.refused(409, "assigned_member");
    team.lead(team.bob_id, true).await;
    team.lead(ann_id, false).await;
    let message = team.bob.delete(&team.own()).await.refused(409, "last_leader");
    assert!(message.contains("另一位组长"), "{message}");
    team.lead(cao_id, true).await;
    // A disabled leader does not count as a leader.
    let active = |active: bool| json!({ "ids": [cao_id], "active": active });
    admin.post("/api/users/active", active(false)).await.is(200);
    let _ = team.bob.delete(&team.own()).await.refused(409, "last_leader");
    admin.post("/api/users/active", active(true)).await.is(200);
    let cao = team.portal.sign_in("cao", USER_PASSWORD).await;
    // Of two who leave concurrently, one stays.
    let path = team.own();
    let (one, other) = tokio::join!(team.bob.delete(&path), cao.delete(&path));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!((statuses, team.leaders().await), ([204, 409], 1));
}
