//! Metrics, rules and dashboards as a real Prometheus has them: it scrapes the real binary with a real engine, evaluates
//! every rule and answers every query of the dashboards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestEngine;
use tests::{Client, Server, encoded, free_ports, root, until};

use crate::backup_schedule::ended;
use crate::compute::{Node, becomes, form, lab, setup};
use crate::metrics::{reader, with_metrics};

const PATIENCE: Duration = Duration::from_secs(60);
/// Metrics that only a driver reports; a card that is declared by its nodes has none.
const MEASURED: [&str; 4] = [
    "yunlab_gpu_utilization_ratio",
    "yunlab_gpu_memory_used_bytes",
    "yunlab_gpu_power_watts",
    "yunlab_gpu_temperature_celsius",
];

fn deployed(path: &str) -> PathBuf {
    root().join("deploy").join(path)
}

fn promtool(arguments: &[&str]) {
    let done = Command::new("promtool")
        .args(arguments)
        .current_dir(deployed("prometheus"))
        .output()
        .expect("promtool of Debian's package prometheus");
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "promtool {arguments:?}: {said}");
}

#[test]
fn the_rules_fire_when_they_should_and_the_sample_configuration_is_right() {
    promtool(&["check", "config", "prometheus.yml"]);
    promtool(&["check", "rules", "rules.yml"]);
    promtool(&["test", "rules", "rules.test.yml"]);
    let rules = fs::read_to_string(deployed("prometheus/rules.yml")).expect("the rules");
    let tested = fs::read_to_string(deployed("prometheus/rules.test.yml")).expect("their tests");
    for name in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        let fires = tested.split(&format!("alertname: {name}\n")).nth(1);
        assert!(fires.is_some_and(|rest| rest.trim_start().starts_with("exp_alerts:")), "no test has {name} fire");
        assert!(tested.contains(&format!("alertname: {name} }}")), "no test has {name} silent");
    }
}

/// A Prometheus of this test's own; removed with it.
struct Prometheus {
    process: Child,
    client: Client,
}

impl Prometheus {
    /// Scrapes this address every second. Its data goes into the folder.
    async fn start(folder: &Path, target: &str) -> Self {
        let configuration = json!({
            "global": { "scrape_interval": "1s", "evaluation_interval": "1s" },
            "rule_files": [deployed("prometheus/rules.yml")],
            "scrape_configs": [{ "job_name": "yunlab", "static_configs": [{ "targets": [target] }] }],
        });
        let file = folder.join("prometheus.yml");
        // JSON is YAML.
        fs::write(&file, configuration.to_string()).expect("a configuration");
        let [port] = free_ports();
        let process = Command::new("prometheus")
            .arg(format!("--config.file={}", file.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("series").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("prometheus.log")).expect("a log"))
            .spawn()
            .expect("prometheus of Debian's package of this name");
        let client = Client::over(&format!("http://127.0.0.1:{port}"), Client::builder());
        let prometheus = Self { process, client };
        until("Prometheus", PATIENCE, async || {
            let request = prometheus.client.request(http::Method::GET, "/-/ready");
            prometheus.client.try_send(request).await.ok().filter(|answer| answer.status.is_success()).map(drop)
        })
        .await;
        prometheus
    }

    /// The series that answer a query.
    async fn query(&self, expression: &str) -> Vec<Value> {
        let answer = self.client.get(&format!("/api/v1/query?query={}", encoded(expression))).await;
        assert!(answer.status.is_success(), "{expression}: {}", answer.text());
        let answer = answer.json();
        assert_eq!(answer["status"], "success", "{expression}: {answer:#}");
        answer["data"]["result"].as_array().expect("series").clone()
    }

    async fn rules(&self) -> Vec<Value> {
        let groups = self.client.get("/api/v1/rules").await.expect(200)["data"]["groups"].clone();
        let groups = groups.as_array().expect("groups").clone();
        groups.iter().flat_map(|group| group["rules"].as_array().expect("rules").clone()).collect()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Title and query of every panel of a dashboard.
fn queries(dashboard: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for panel in dashboard["panels"].as_array().expect("panels") {
        let title = panel["title"].as_str().expect("a title");
        for target in panel["targets"].as_array().expect("targets") {
            let expression = target["expr"].as_str().expect("a query");
            let expression = expression.replace("$__rate_interval", "1m").replace("$server", ".*");
            assert!(!expression.contains('$'), "{title}: {expression}");
            found.push((title.to_owned(), expression));
        }
    }
    for variable in dashboard["templating"]["list"].as_array().expect("variables") {
        let Some(definition) = variable["definition"].as_str() else { continue };
        let of = definition.strip_prefix("label_values(").and_then(|rest| rest.strip_suffix(')'));
        let (metric, label) = of.and_then(|of| of.split_once(", ")).expect("label_values");
        found.push((definition.to_owned(), format!("{metric}{{{label}!=\"\"}}")));
    }
    found
}

fn dashboards() -> Vec<(PathBuf, Value)> {
    let folder = fs::read_dir(deployed("grafana")).expect("dashboards");
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a dashboard");
        let dashboard = serde_json::from_str(&text).expect("JSON");
        (path, dashboard)
    };
    folder.map(|entry| read(entry.expect("a file").path())).collect()
}

#[tokio::test]
async fn a_real_prometheus_answers_every_rule_and_every_query_of_the_dashboards() {
    let engine = TestEngine::start();
    let server = Server::start(with_metrics(setup(&engine))).await;
    let (ann, admin, id) = lab(&server).await;
    let node = Node::new("prometheus");
    let card = json!({ "server": id, "model": "Ascend 910B", "deviceNodes": [node.0], "memoryTotal": 64_i64 << 30 });
    admin.post("/api/gpus", card).await.is(201);
    admin.put("/api/users/GPUNumlimit/2", json!({ "GPUNumlimit": 1 })).await.is(200);
    let mut wanted = form(&id);
    wanted["gpuCount"] = json!(1);
    let one = ann.post("/api/instances", wanted).await.expect(202)["id"].as_str().expect("an id").to_owned();
    becomes(&ann, &one, "running").await;

    admin.act("/api/backups").await.is(202);
    assert_eq!(ended(&admin).await["outcome"], "good");

    let metrics = reader(&server);
    let text = metrics.get("/metrics").await.text();
    let manual = fs::read_to_string(root().join("docs/ADMIN.md")).expect("the manual");
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let own: Vec<&str> = names.filter(|name| name.starts_with("yunlab_")).collect();
    assert!(own.len() > 20, "{text}");
    for name in own {
        assert!(manual.contains(&format!("`{name}`")), "the manual does not name {name}");
        assert!(text.contains(&format!("# HELP {name} ")), "nothing says what {name} is");
    }

    let address = metrics.request(http::Method::GET, "/metrics").build().expect("a request");
    let target = address.url().authority().to_owned();
    let prometheus = Prometheus::start(server.setup().dir(), &target).await;
    until("a scrape", PATIENCE, async || {
        let up = prometheus.query("up{job=\"yunlab\"}").await;
        up.first().filter(|series| series["value"][1] == "1").map(drop)
    })
    .await;
    let rules = until("every rule evaluated", PATIENCE, async || {
        let rules = prometheus.rules().await;
        assert!(rules.iter().all(|rule| rule["health"] != "err"), "{rules:#?}");
        rules.iter().all(|rule| rule["health"] == "ok").then_some(rules)
    })
    .await;
    assert!(rules.len() > 10, "{rules:#?}");

    for (path, dashboard) in dashboards() {
        for (title, expression) in queries(&dashboard) {
            if MEASURED.iter().any(|metric| expression.contains(metric)) {
                prometheus.query(&expression).await;
                continue;
            }
            let what = format!("data for {title} of {}: {expression}", path.display());
            until(&what, PATIENCE, async || (!prometheus.query(&expression).await.is_empty()).then_some(())).await;
        }
    }
    let facts = [
        ("yunlab_gpu_state{state=\"allocated\"}", "1"),
        ("sum(yunlab_gpu_leases)", "1"),
        ("sum(yunlab_instances{state=\"running\"})", "1"),
        ("sum(yunlab_servers{state=\"online\"})", "1"),
        ("sum(yunlab_server_up)", "1"),
        ("yunlab_gpu_memory_total_bytes", "68719476736"),
        ("yunlab_database_up", "1"),
        ("count(yunlab_backup_last_success_timestamp_seconds{kind=\"database\"} > 0)", "1"),
    ];
    for (expression, value) in facts {
        // A scrape may return metrics that were gathered ten seconds before.
        until(expression, PATIENCE, async || {
            let found = prometheus.query(expression).await;
            found.first().filter(|series| series["value"][1] == value).map(drop)
        })
        .await;
    }
}
