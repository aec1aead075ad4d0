//! Access to logs, shells and terminals. Their function is tested with real engines and a real SSH server.

use serde_json::json;

use crate::lab::{Lab, path};

fn terminal(id: &serde_json::Value, shell: &str) -> String {
    format!("/api/websocket/terminal/{}/{shell}", id.as_str().unwrap())
}

#[tokio::test]
async fn s049_only_owner_and_administrators_look_into_an_instance() {
    let lab = Lab::new(0).await;
    let (ann_id, lee_id) = (lab.portal.user("ann").await, lab.portal.user("lee").await);
    let group = json!({ "name": "nlp", "leaders": [lee_id], "members": [ann_id] });
    lab.portal.admin().post("/api/groups", group).await.is(201);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let lee = lab.portal.sign_in("lee", testkit::USER_PASSWORD).await;
    let bob = lab.portal.as_user("bob").await;
    let one = lab.running(&ann, 0).await;
    let id = &one["id"];
    for door in [path(id, "/logs"), path(id, "/shells"), terminal(id, "bash")] {
        bob.get(&door).await.is(404);
        let _ = lee.get(&door).await.refused(409, "not_owner");
        lab.portal.anonymous().get(&door).await.is(401);
    }
    // A group's leader may see usage, but not logs or terminals.
    bob.get(&path(id, "/samples")).await.is(404);
    lee.get(&path(id, "/samples")).await.is(200);
    for who in [&ann, &lab.portal.admin()] {
        let log = who.get(&path(id, "/logs")).await;
        assert_eq!((log.status.as_u16(), log.text().as_str()), (200, "hello\n"));
        assert_eq!(who.get(&path(id, "/shells")).await.expect(200)["shells"], json!(["bash", "sh"]));
        // The door is open, but this is no websocket.
        who.get(&terminal(id, "bash")).await.is(400);
    }
    for shell in ["ksh", "bash%20-c%20id", "..%2Fsh", "BASH"] {
        ann.get(&terminal(id, shell)).await.is(404);
    }
    ann.get(&path(id, "/logs?lines=0")).await.is(400);
    ann.post(&path(id, "/stop"), json!({})).await.is(202);
    lab.look().await;
    let _ = ann.get(&path(id, "/shells")).await.refused(409, "instance_state");
    ann.get(&path(id, "/logs")).await.is(200);
}

#[tokio::test]
async fn s050_ssh_leads_to_ones_own_instances_and_for_administrators_to_servers() {
    let lab = Lab::new(0).await;
    let (ann, bob, admin) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await, lab.portal.admin());
    let mut form = lab.form(0);
    form["ports"] = json!([{ "containerPort": 22 }, { "containerPort": 8080 }]);
    let made = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    let port = |of: i64| {
        let ports = one["ports"].as_array().unwrap();
        ports.iter().find(|port| port["containerPort"] == of).unwrap()["hostPort"].as_i64().unwrap()
    };
    let at = |host: &str, port: i64| format!("/api/websocket/ssh/{}/{host}/{port}", lab.server);
    let (ssh, web) = (port(22), port(8080));
    // 400: allowed, but not a websocket; 404: not allowed.
    ann.get(&at("gpu01.lab", ssh)).await.is(400);
    ann.get(&at("GPU01.lab", ssh)).await.is(400);
    bob.get(&at("gpu01.lab", ssh)).await.is(404);
    for (host, port) in [("gpu01.lab", web), ("gpu01.lab", 22), ("127.0.0.1", ssh), ("gpu01.lab.evil", ssh)] {
        ann.get(&at(host, port)).await.is(404);
    }
    ann.get(&format!("/api/websocket/ssh/0190-none/gpu01.lab/{ssh}")).await.is(404);
    for port in [ssh, web, 22] {
        admin.get(&at("gpu01.lab", port)).await.is(400);
    }
    for (host, port) in [("127.0.0.1", 22), ("169.254.169.254", 80), ("gpu01.lab", 0), ("gpu01.lab", 65536)] {
        admin.get(&at(host, port)).await.is(404);
    }
    let keys = format!("/api/servers/{}/host-keys/gpu01.lab/{ssh}", lab.server);
    ann.delete(&keys).await.is(403);
    admin.delete(&keys).await.is(404);
    // Its port does not lead to the next instance that gets it.
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    ann.get(&at("gpu01.lab", ssh)).await.is(404);
}
