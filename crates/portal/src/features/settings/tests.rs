//! Settings through the router.

use rstest::rstest;
use serde_json::{Value, json};
use testkit::TestPortal;

#[tokio::test]
async fn s336_s338_a_change_is_kept_whole() {
    let portal = TestPortal::new().await;
    let mut settings = portal.admin().get("/api/settings").await.expect(200);
    assert_eq!(settings["basic"]["storageHost"], "/disk");
    settings["basic"]["productName"] = json!("智算中心");
    settings["basic"]["defaultQuotas"]["GPUNumlimit"] = json!(2);
    let update = json!({ "basic": settings["basic"] });
    assert_eq!(portal.admin().put("/api/settings", update).await.expect(200), settings);
    assert_eq!(portal.admin().get("/api/settings").await.expect(200), settings);
    let user = portal.user("ann").await;
    assert_eq!(portal.admin().get(&format!("/api/users/{user}")).await.expect(200)["GPUNumlimit"], 2);
}

#[tokio::test]
async fn s337_public_settings_need_no_login_and_tell_no_secrets() {
    let portal = TestPortal::new().await;
    let public = portal.anonymous().get("/api/settings/public").await.expect(200);
    assert_eq!(public["storageHost"], "/disk");
    // L13: the version is only for signed-in users.
    assert!(public.get("version").is_none());
    let signed_in = portal.as_user("ann").await.get("/api/settings/public").await.expect(200);
    assert_eq!(signed_in["version"], "4.3.29");
    let ended = portal.anonymous().with_token("ended").get("/api/settings/public").await.expect(200);
    assert!(ended.get("version").is_none());
    assert!(public.get("ldap").is_none() && public.get("defaultQuotas").is_none());
}

#[tokio::test]
async fn the_directory_password_is_kept_and_never_shown() {
    let portal = TestPortal::new().await;
    let mut part = portal.admin().get("/api/settings").await.expect(200)["authentication"].clone();
    part["ldap"]["bindPassword"] = json!("hush");
    let kept = portal.admin().put("/api/settings", json!({ "authentication": part })).await.expect(200);
    let ldap = &kept["authentication"]["ldap"];
    assert_eq!((&ldap["bindPassword"], &ldap["bindPasswordSet"]), (&json!(""), &json!(true)));
    let again =
        portal.admin().put("/api/settings", json!({ "authentication": kept["authentication"] })).await.expect(200);
    assert_eq!(again["authentication"]["ldap"]["bindPasswordSet"], true);
}

#[rstest]
#[case("/productName", json!(""), "basic.productName")]
#[case("/productName", json!("</script>\u{0}"), "basic.productName")]
#[case("/storageHost", json!("javascript:alert(1)"), "basic.storageHost")]
#[case("/storageHost", json!("//evil.example"), "basic.storageHost")]
#[case("/faqLink", json!("javascript:alert(1)"), "basic.faqLink")]
#[case("/publicImageUrl", json!("https://registry.lab/a b"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!(" https://registry.lab"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!("registry.lab"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!("registry.lab:5000"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!("https:registry.lab"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!("https:///registry.lab"), "basic.publicImageUrl")]
#[case("/publicImageUrl", json!("https://"), "basic.publicImageUrl")]
#[case("/portRange/from", json!(80), "basic.portRange")]
#[case("/portRange/from", json!(50000), "basic.portRange")]
#[case("/defaultQuotas/CPUPeriodQuota", json!(-1), "basic.defaultQuotas.CPUPeriodQuota")]
#[tokio::test]
async fn what_may_not_stand_there(#[case] pointer: &str, #[case] value: Value, #[case] field: &str) {
    let portal = TestPortal::new().await;
    let before = portal.admin().get("/api/settings").await.expect(200);
    let mut basic = before["basic"].clone();
    *basic.pointer_mut(pointer).unwrap() = value;
    portal.admin().put("/api/settings", json!({ "basic": basic })).await.faults(&[field]);
    assert_eq!(portal.admin().get("/api/settings").await.expect(200), before);
}

#[tokio::test]
async fn left_out_and_unknown_fields_zero_nothing() {
    let portal = TestPortal::new().await;
    for bad in [json!({ "basic": { "productName": "x" } }), json!({ "extra": {} })] {
        let _ = portal.admin().put("/api/settings", bad).await.refused(400, "bad_request");
    }
    portal.admin().put("/api/settings", json!({})).await.is(200);
}
