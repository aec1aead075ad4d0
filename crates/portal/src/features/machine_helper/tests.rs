//! The machine helper through the router: its reads, its prohibitions and its log entries.

use engine::machine_helper::{Refusal, Request};
use engine::{Error, MachineHelperError};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::TestPortal;

use crate::lab::{ENDPOINT, Lab};

/// Target, detail, caller and result of each entry, newest first.
async fn entries(portal: &TestPortal) -> Vec<[String; 4]> {
    let log = portal.admin().get("/api/logs/operate?action=server.machine_helper").await.expect(200);
    let word = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let entry = |entry: &Value| ["target", "detail", "username", "result"].map(|name| word(entry, name));
    log["items"].as_array().unwrap().iter().map(entry).collect()
}

async fn check_of(lab: &Lab) -> Value {
    let path = format!("/api/servers/{}/check", lab.server);
    let found = lab.portal.admin().post(&path, json!({})).await.expect(200);
    let mut rows = found.as_array().unwrap().iter().filter(|check| check["name"] == "machine_helper");
    rows.next().unwrap().clone()
}

#[tokio::test]
async fn a_machine_and_its_kernels_log_are_shown_and_each_look_is_logged() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let path = format!("/api/servers/{}", lab.server);
    let machine = admin.get(&format!("{path}/machine")).await.expect(200);
    assert_eq!(machine["bootId"], "0a1b2c3d-0000-4000-8000-000000000001");
    assert_eq!((&machine["uptimeMs"], &machine["clock"]), (&json!(86_400_000), &json!("2026-11-20T10:00:00.000Z")));
    assert_eq!((&machine["storage"]["kind"], &machine["storage"]["projectQuota"]), (&json!("xfs"), &json!("on")));

    let log = admin.get(&format!("{path}/kernel-log")).await.expect(200);
    let last = &log["items"][1];
    assert_eq!((&last["level"], &last["time"]), (&json!(3), &json!("2026-11-20T09:59:59.000Z")), "{log:#}");
    assert_eq!(last["text"], "NVRM: Xid (PCI:0000:01:00): 79");
    let newer = admin.get(&format!("{path}/kernel-log?since=5000")).await.expect(200);
    assert_eq!(newer["items"].as_array().unwrap().len(), 1);
    admin.get(&format!("{path}/kernel-log?since=-1")).await.is(400);
    admin.get(&format!("{path}/kernel-log?since=soon")).await.is(400);

    let logged: Vec<String> = entries(&lab.portal).await.into_iter().map(|entry| entry.join(" | ")).collect();
    assert_eq!(
        logged,
        [
            "gpu01 | 读取内核日志（启动后 5 秒起） | admin | success",
            "gpu01 | 读取内核日志（启动后 0 秒起） | admin | success",
            "gpu01 | 查看 /srv/yunlab 所在的文件系统 | admin | success",
            "gpu01 | 读取启动标识 | admin | success",
        ]
    );
    let ann = lab.portal.as_user("ann").await;
    for call in ["machine", "kernel-log"] {
        ann.get(&format!("{path}/{call}")).await.is(403);
        admin.get(&format!("/api/servers/none/{call}")).await.is(404);
    }
}

#[tokio::test]
async fn a_server_may_forbid_it_and_then_its_machine_is_not_asked() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let path = format!("/api/servers/{}", lab.server);
    assert_eq!(admin.get(&path).await.expect(200)["manage"]["machineHelper"], true, "allowed unless said otherwise");
    let changed = admin.put(&path, json!({ "machineHelper": false })).await.expect(200);
    assert_eq!(changed["manage"]["machineHelper"], false);
    // A change of something else leaves it so.
    let changed = admin.put(&path, json!({ "maintenanceNote": "x" })).await.expect(200);
    assert_eq!(changed["manage"]["machineHelper"], false);
    for call in ["machine", "kernel-log"] {
        let said = admin.get(&format!("{path}/{call}")).await.refused(409, "machine_helper_forbidden");
        assert!(said.contains("服务器的设置"), "{said}");
    }
    let check = check_of(&lab).await;
    assert_eq!(check["outcome"], "passed");
    assert!(check["detail"].as_str().unwrap().contains("已被设置禁止"), "{check:#}");
    assert!(lab.cluster.machine.requests().is_empty(), "nothing reaches the engine");
    let [_, detail, _, result] = &entries(&lab.portal).await[0];
    assert!(detail.contains("服务器的设置不允许") && result == "failure", "{detail}");
    admin.put(&path, json!({ "machineHelper": true })).await.is(200);
    admin.get(&format!("{path}/machine")).await.is(200);
}

#[tokio::test]
async fn the_configuration_may_forbid_it_whatever_servers_say() {
    let portal = TestPortal::without_machine_helper().await;
    let form = json!({ "name": "gpu01", "endpoint": ENDPOINT, "publicHost": "gpu01.lab", "machineHelper": true });
    let server = portal.admin().post("/api/servers", form).await.expect(201);
    let path = format!("/api/servers/{}/kernel-log", server["id"].as_str().unwrap());
    let said = portal.admin().get(&path).await.refused(409, "machine_helper_forbidden");
    assert!(said.contains("配置文件"), "{said}");
    assert!(portal.clusters.at(ENDPOINT).machine.requests().is_empty());
}

#[rstest]
#[case(Refusal::NotSupported.into(), 409, "machine_not_supported")]
#[case(Refusal::ToolMissing.into(), 409, "machine_tool_missing")]
#[case(Refusal::NotFound.into(), 409, "machine_not_found")]
#[case(Refusal::NotOurs.into(), 409, "machine_not_ours")]
#[case(Refusal::Denied.into(), 409, "machine_denied")]
#[case(Refusal::Failed { errno: Some(5) }.into(), 409, "machine_failed")]
#[case(MachineHelperError::OtherArchitecture("aarch64".to_owned()), 409, "machine_helper_unavailable")]
#[case(MachineHelperError::Busy, 503, "machine_helper_busy")]
#[case(MachineHelperError::Garbled("x".to_owned()), 503, "machine_helper_failed")]
#[case(Error::Rejected("userns".to_owned()).into(), 409, "machine_helper_refused")]
#[case(Error::Unreachable("x".to_owned()).into(), 503, "server_unreachable")]
#[tokio::test]
async fn each_refusal_has_its_code_and_is_logged(
    #[case] error: MachineHelperError,
    #[case] status: u16,
    #[case] code: &str,
) {
    let lab = Lab::new(0).await;
    lab.cluster.machine.fail(Some(error));
    let path = format!("/api/servers/{}/kernel-log", lab.server);
    let said = lab.portal.admin().get(&path).await.refused(status, code);
    assert_eq!(lab.cluster.machine.requests(), [Request::KernelLog { since_ms: 0 }]);
    let logged = entries(&lab.portal).await;
    assert_eq!(logged.len(), 1);
    assert!(logged[0][1].ends_with(&said) && logged[0][3] == "failure", "{logged:?} {said}");
}

#[tokio::test]
async fn a_servers_check_says_whether_it_works_and_what_to_do() {
    let lab = Lab::new(0).await;
    let check = check_of(&lab).await;
    assert_eq!((&check["outcome"], &check["advice"]), (&json!("passed"), &json!("")));
    assert_eq!(check["detail"], "可用：启动标识 0a1b2c3d，网盘所在的文件系统 xfs，项目配额已开启");
    let who: Vec<String> = entries(&lab.portal).await.into_iter().map(|[_, _, who, _]| who).collect();
    assert_eq!(who, ["admin", "admin"], "whoever has a server checked asks its machine");

    lab.cluster.machine.fail(Some(Error::Rejected("authorization denied by plugin".to_owned()).into()));
    let check = check_of(&lab).await;
    assert_eq!(check["outcome"], "warning");
    assert!(check["detail"].as_str().unwrap().ends_with("authorization denied by plugin"), "{check:#}");
    assert!(check["advice"].as_str().unwrap().contains("授权插件"), "{check:#}");
}
