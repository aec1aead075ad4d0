//! Groups through the router.

use serde_json::json;
use testkit::{TestPortal, USER_PASSWORD};

#[tokio::test]
async fn s021_s030_an_administrator_makes_a_group_with_leaders_and_members() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.user("ann").await, portal.user("bob").await);
    let body = json!({ "name": " 计算机视觉 ", "leaders": [ann], "members": [bob], "GPUNumlimit": 8 });
    let made = portal.admin().post("/api/groups", body).await;
    let group = made.expect(201);
    assert_eq!((&group["name"], &group["folder"]), (&json!("计算机视觉"), &json!("计算机视觉")));
    assert_eq!((&group["memberCount"], &group["GPUNumlimit"]), (&json!(2), &json!(8)));
    assert_eq!(group["leaders"][0]["username"], "ann");
    assert_eq!(made.header("location"), format!("/api/groups/{}", group["id"]));
    let user = portal.admin().get(&format!("/api/users/{ann}")).await.expect(200);
    assert_eq!((&user["groupLeader"], &user["groups"][0]["leader"]), (&json!(true), &json!(true)));
}

#[tokio::test]
async fn s060_a_leader_invites_and_removes_members_and_nobody_else_does() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id, cao_id) = (portal.user("ann").await, portal.user("bob").await, portal.user("cao").await);
    let body = json!({ "name": "nlp", "leaders": [ann_id], "members": [bob_id] });
    let id = portal.admin().post("/api/groups", body).await.expect(201)["id"].clone();
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let bob = portal.sign_in("bob", USER_PASSWORD).await;
    let cao = portal.sign_in("cao", USER_PASSWORD).await;
    let members = format!("/api/groups/{id}/members");
    let _ = bob.post(&members, json!({ "users": [cao_id] })).await.refused(409, "not_group_leader");
    cao.post(&members, json!({ "users": [cao_id] })).await.is(404);
    let added = ann.post(&members, json!({ "users": [cao_id, bob_id] })).await.expect(200);
    assert_eq!(added, json!({ "changed": 0, "invited": 1 }));
    cao.get(&members).await.is(404);
    cao.post(&format!("/api/profile/group-invitations/{id}/accept"), json!({})).await.is(204);
    let list = bob.get(&members).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["user"]["username"]), (&json!(3), &json!("ann")));
    cao.delete(&format!("{members}/{bob_id}")).await.is(409);
    ann.delete(&format!("{members}/{bob_id}")).await.is(204);
    bob.get(&members).await.is(404);
    ann.delete(&format!("{members}/{bob_id}")).await.is(404);
    let _ = ann.delete(&format!("{members}/{ann_id}")).await.refused(409, "leader_removal");
    ann.put(&format!("{members}/{cao_id}"), json!({ "leader": true })).await.is(403);
    portal.admin().put(&format!("{members}/{cao_id}"), json!({ "leader": true })).await.is(204);
    assert_eq!(cao.post(&members, json!({ "users": [bob_id] })).await.expect(200)["invited"], 1);
    ann.post(&members, json!({ "users": [1] })).await.faults(&["users"]);
    let added = portal.admin().post(&members, json!({ "users": [1] })).await.expect(200);
    assert_eq!(added, json!({ "changed": 1, "invited": 0 }));
    ann.post(&members, json!({ "users": [999] })).await.faults(&["users"]);
    ann.post(&members, json!({ "users": [] })).await.faults(&["users"]);
}

#[tokio::test]
async fn one_sees_ones_own_groups_and_an_administrator_all() {
    let portal = TestPortal::new().await;
    let ann_id = portal.user("ann").await;
    let mine = portal.admin().post("/api/groups", json!({ "name": "mine", "members": [ann_id] })).await.expect(201);
    let other = portal.admin().post("/api/groups", json!({ "name": "other" })).await.expect(201);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let list = ann.get("/api/groups").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(1), &mine["id"]));
    ann.get(&format!("/api/groups/{}", other["id"])).await.is(404);
    assert_eq!(portal.admin().get("/api/groups").await.expect(200)["total"], 2);
}

#[tokio::test]
async fn a_renamed_group_keeps_its_folder_and_its_people() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.user("ann").await, portal.user("bob").await);
    let body = json!({ "name": "old", "leaders": [ann], "members": [bob] });
    let id = portal.admin().post("/api/groups", body).await.expect(201)["id"].clone();
    let path = format!("/api/groups/{id}");
    let group = portal.admin().put(&path, json!({ "name": "new", "diskQuota": 5 })).await.expect(200);
    assert_eq!((&group["name"], &group["folder"], &group["memberCount"]), (&json!("new"), &json!("old"), &json!(2)));
    let again = portal.admin().post("/api/groups", json!({ "name": "OLD" })).await.expect(201);
    assert_eq!(again["folder"], "OLD-2", "the folder stays with the group that has it");
    let fewer = portal.admin().put(&path, json!({ "members": [] })).await.expect(200);
    assert_eq!((&fewer["memberCount"], &fewer["leaders"][0]["username"]), (&json!(1), &json!("ann")));
}

#[tokio::test]
async fn a_deleted_groups_folder_is_no_other_groups() {
    let portal = TestPortal::new().await;
    let make = async || portal.admin().post("/api/groups", json!({ "name": "视觉" })).await.expect(201);
    for folder in ["视觉", "视觉-2", "视觉-3"] {
        let group = make().await;
        assert_eq!(group["folder"], folder);
        portal.admin().delete(&format!("/api/groups/{}", group["id"])).await.is(204);
    }
}

#[tokio::test]
async fn names_are_unique_and_harmless() {
    let portal = TestPortal::new().await;
    portal.admin().post("/api/groups", json!({ "name": "nlp" })).await.is(201);
    let taken = portal.admin().post("/api/groups", json!({ "name": "NLP" })).await;
    let _ = taken.refused(409, "group_name_taken");
    for name in ["", "..", ".yunlab", ".YunLab", "a/b", "a\u{0}", "a\nb", &"x".repeat(31)] {
        portal.admin().post("/api/groups", json!({ "name": name })).await.faults(&["name"]);
    }
    portal.admin().post("/api/groups", json!({ "name": "x", "members": [999] })).await.faults(&["members"]);
    assert_eq!(portal.admin().get("/api/groups").await.expect(200)["total"], 1, "nothing half-made");
}

#[tokio::test]
async fn taking_the_leader_flag_away_ends_leading() {
    let portal = TestPortal::new().await;
    let ann = portal.user("ann").await;
    let id =
        portal.admin().post("/api/groups", json!({ "name": "g", "leaders": [ann] })).await.expect(201)["id"].clone();
    portal.admin().put(&format!("/api/users/groupLeader/{ann}"), json!({ "groupLeader": false })).await.is(200);
    let group = portal.admin().get(&format!("/api/groups/{id}")).await.expect(200);
    assert_eq!((&group["leaders"], &group["memberCount"]), (&json!([]), &json!(1)));
}

#[tokio::test]
async fn deletion_lets_people_be() {
    let portal = TestPortal::new().await;
    let ann = portal.user("ann").await;
    let id =
        portal.admin().post("/api/groups", json!({ "name": "g", "members": [ann] })).await.expect(201)["id"].clone();
    portal.admin().delete(&format!("/api/groups/{id}")).await.is(204);
    portal.admin().delete(&format!("/api/groups/{id}")).await.is(404);
    assert_eq!(portal.admin().get(&format!("/api/users/{ann}")).await.expect(200)["groups"], json!([]));
}
