//! A portal with one server with an in-memory cluster, and cards that all users may use.

use serde_json::{Value, json};
use testkit::{Client, FakeCluster, TestPortal};

pub(crate) const ENDPOINT: &str = "unix:///run/gpu01.sock";

pub(crate) struct Lab {
    pub(crate) portal: TestPortal,
    pub(crate) cluster: FakeCluster,
    /// The server's id.
    pub(crate) server: String,
    /// Its cards' ids.
    pub(crate) cards: Vec<String>,
}

impl Lab {
    /// With this many cards, `/dev/card0` and so on, shared by all users.
    pub(crate) async fn new(cards: usize) -> Self {
        let lab = Self::unallocated(cards).await;
        lab.allocate(json!({ "subject": "everyone", "mode": "shared" })).await;
        lab
    }

    /// Without allocations, so that no user may use it yet.
    pub(crate) async fn unallocated(cards: usize) -> Self {
        let portal = TestPortal::new().await;
        let cluster = portal.clusters.at(ENDPOINT);
        Self::over(portal, cluster, cards).await
    }

    /// On this portal, whose cluster at [`ENDPOINT`] this is.
    pub(crate) async fn over(portal: TestPortal, cluster: FakeCluster, cards: usize) -> Self {
        let form = json!({
            "name": "gpu01", "endpoint": ENDPOINT, "publicHost": "gpu01.lab", "storagePath": "/srv/yunlab",
            "portRange": { "from": 30000, "to": 30099 },
        });
        let server = portal.admin().post("/api/servers", form).await.expect(201)["id"].as_str().unwrap().to_owned();
        let mut ids = Vec::new();
        for number in 0..cards {
            let form =
                json!({ "server": server, "model": "Ascend 910B", "deviceNodes": [format!("/dev/card{number}")] });
            let card = portal.admin().post("/api/gpus", form).await.expect(201);
            ids.push(card["id"].as_str().unwrap().to_owned());
        }
        let lab = Self { portal, cluster, server, cards: ids };
        lab.look().await;
        lab
    }

    pub(crate) async fn allocate(&self, mut form: Value) -> Value {
        form["server"] = json!(self.server);
        self.portal.admin().post("/api/allocations", form).await.expect(201)
    }

    /// One look at the server, with all the work that it calls for.
    pub(crate) async fn look(&self) {
        self.portal.portal.reconcile().await.unwrap();
    }

    /// Requests an instance with this many cards.
    pub(crate) fn form(&self, cards: usize) -> Value {
        json!({ "server": self.server, "image": "pytorch:2.4", "gpuCount": cards, "cpuQuota": 400_000, "memory": 8_i64 << 30 })
    }

    /// Makes an instance and brings it to run.
    pub(crate) async fn running(&self, who: &Client, cards: usize) -> Value {
        let made = who.post("/api/instances", self.form(cards)).await.expect(202);
        self.look().await;
        let one = self.get(who, &made["id"]).await;
        assert_eq!(one["state"], "running", "{one:#}");
        one
    }

    pub(crate) async fn get(&self, who: &Client, id: &Value) -> Value {
        who.get(&path(id, "")).await.expect(200)
    }

    /// The cards' states, in order.
    pub(crate) async fn card_states(&self) -> Vec<String> {
        let list = self.portal.admin().get("/api/gpus").await.expect(200);
        list["items"].as_array().unwrap().iter().map(|card| card["state"].as_str().unwrap().to_owned()).collect()
    }
}

/// The address of an instance, or of what can be done with it.
pub(crate) fn path(id: &Value, rest: &str) -> String {
    format!("/api/instances/{}{rest}", id.as_str().unwrap())
}
