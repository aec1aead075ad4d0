//! A cluster that is away, does not know us, or is not prepared for us.

use engine::{Error, KubernetesAddress, Phase};
use kernel::Secret;

use crate::lab::{GRACE, Lab, applied, until};

/// The way to the shared cluster with these credentials.
fn address(lab: &Lab, ca: &str, token: &str) -> KubernetesAddress {
    KubernetesAddress::Token { server: lab.cluster.server(), ca: ca.to_owned(), token: Secret::new(token) }
}

#[tokio::test]
async fn a_token_and_an_authority_are_an_address() {
    let lab = Lab::new().await;
    let (ca, token) = (lab.cluster.authority(), lab.cluster.token("portal"));
    lab.connect_to(address(&lab, &ca, &token)).ping().await.expect("it answers");

    // A token that expired, or was taken back.
    let refused = lab.connect_to(address(&lab, &ca, "expired")).ping().await;
    assert!(matches!(&refused, Err(Error::Rejected(words)) if words.contains("Unauthorized")), "{refused:?}");
    // Another server, or another authority.
    let other = testkit::Certificates::new();
    let refused = lab.connect_to(address(&lab, &other.ca, &token)).ping().await;
    assert!(matches!(&refused, Err(Error::Unreachable(words)) if words.contains("certificate")), "{refused:?}");
}

#[tokio::test]
async fn a_namespace_that_is_not_there_is_told() {
    let mut lab = Lab::new().await;
    lab.settings.namespace = "nowhere".to_owned();
    let runtime = lab.connect();
    let refused = runtime.node().await;
    assert!(matches!(refused, Err(Error::NotFound(_) | Error::Rejected(_))), "{refused:?}");
}

#[tokio::test]
async fn an_api_server_that_was_away_is_followed_again() {
    let lab = Lab::alone().await;
    let runtime = lab.connect();
    let one = lab.workload("survivor");
    applied(&*runtime, &one).await;
    let before = runtime.examine(&one.id).await.unwrap();

    lab.cluster.signal("apiserver", "KILL");
    until("the end of the API server", async || runtime.ping().await.err()).await;
    let lost = runtime.observe().await;
    assert!(matches!(lost, Err(Error::Unreachable(_))), "{lost:?}");
    lab.cluster.start_api_server();
    let after = until("the API server", async || runtime.examine(&one.id).await.ok()).await;
    assert_eq!((&after.object, &after.phase), (&before.object, &Phase::Running));

    // What changes now is seen by what is followed.
    runtime.stop(&one.id, GRACE).await.unwrap();
    let seen = until("an observation", async || runtime.observe().await.ok()).await;
    let seen = seen.workloads.iter().find(|seen| seen.id == one.id).expect("it is kept");
    assert!(matches!(seen.phase, Phase::Ended(_)), "{seen:?}");
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn a_kubelet_that_is_killed_ends_nothing() {
    let lab = Lab::alone().await;
    let runtime = lab.connect();
    let one = lab.workload("untouched");
    applied(&*runtime, &one).await;
    lab.cluster.signal("kubelet-1", "KILL");
    let seen = runtime.observe().await.unwrap().workloads;
    assert!(seen.iter().any(|seen| seen.id == one.id && seen.phase == Phase::Running), "{seen:?}");
    // Its programs can't be reached without it.
    let refused = runtime.usage(&one.id).await;
    assert!(matches!(refused, Err(Error::Unreachable(_))), "{refused:?}");
}
