//! What can't be done, why, and that it does not start later.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{
    Error, Expected, Failure, Finding, ImageSource, Machine, NotDone, Place, Proof, RegistryAuth, Runtime, Stage,
    Verdict, Workload,
};
use kernel::Secret;
use testkit::TestRegistry;

use crate::lab::{GRACE, Lab, Patient, RIGHTS, applied, words};

async fn refused(runtime: &dyn Runtime, workload: &Workload) -> Failure {
    let begun = Instant::now();
    let failure = runtime.apply(workload, &mut Patient::default()).await.expect_err("it can't run");
    assert!(begun.elapsed() < Duration::from_secs(40), "{failure} after {:?}", begun.elapsed());
    failure
}

#[tokio::test]
async fn images_that_do_not_come_are_told_at_once() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let from =
        |name: String, auth: Option<RegistryAuth>| ImageSource { name: name.parse().unwrap(), auth, in_registry: true };
    let mut one = lab.workload("image");
    one.image = from(format!("{}/lab/nowhere:1", lab.cluster.registry()), None);
    let failure = refused(&*runtime, &one).await;
    assert!(matches!((failure.stage, &failure.error), (Stage::FetchImage, Error::ImageMissing(_))), "{failure}");
    lab.is_clean(&*runtime).await;

    let account = format!("{}:{}", TestRegistry::USERNAME, TestRegistry::PASSWORD);
    let closed = lab.cluster.push(&lab.cluster.closed_registry(), "lab/closed:1", Some(&account));
    one.image = from(closed.clone(), None);
    let failure = refused(&*runtime, &one).await;
    assert!(matches!((failure.stage, &failure.error), (Stage::FetchImage, Error::Unauthorized(_))), "{failure}");
    let auth = |password: &str| {
        Some(RegistryAuth { username: TestRegistry::USERNAME.to_owned(), password: Secret::new(password) })
    };
    one.image = from(closed.clone(), auth("wrong"));
    let failure = refused(&*runtime, &one).await;
    assert!(matches!(failure.error, Error::Unauthorized(_)), "{failure}");
    one.image = from(closed, auth(TestRegistry::PASSWORD));
    applied(&*runtime, &one).await;
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn programs_and_folders_that_are_not_there_are_told() {
    let mut lab = Lab::new().await;
    let disk = lab.cluster.folder().join(&lab.namespace);
    std::fs::create_dir_all(&disk).unwrap();
    lab.storage = disk.display().to_string();
    let runtime = lab.connect();
    let mut one = lab.workload("faulty");
    one.command = Some(words(&["/no/such/program"]));
    let failure = refused(&*runtime, &one).await;
    let Error::Failed(said) = &failure.error else { panic!("{failure}") };
    assert!(failure.stage == Stage::Start && said.contains("/no/such/program"), "{failure}");
    one.command = None;
    one.places = vec![Place::new("home/9", "/home/ann", false).unwrap()];
    let failure = refused(&*runtime, &one).await;
    let Error::Failed(said) = &failure.error else { panic!("{failure}") };
    assert!(failure.stage == Stage::Start && said.contains("home/9"), "{failure}");
    lab.is_clean(&*runtime).await;
}

struct Unused;

#[async_trait]
impl Machine for Unused {
    async fn carry_out(&self, _request: &Request) -> Result<Answer, NotDone> {
        Err(NotDone { code: "forbidden".to_owned(), words: String::new() })
    }
}

async fn diagnosed(runtime: &dyn Runtime, proof: Option<Proof<'_>>) -> Vec<Finding> {
    let (tenants, machine) = (HashMap::new(), Unused);
    let expected = Expected {
        storage: None,
        proof,
        ports: (30000, 39999),
        nodes: Vec::new(),
        nvidia: true,
        tenants: &tenants,
        machine: &machine,
    };
    runtime.diagnose(&expected).await.expect("it answers")
}

fn found<'a>(findings: &'a [Finding], subject: &str) -> &'a Finding {
    findings.iter().find(|one| one.subject == subject).unwrap_or_else(|| panic!("{subject} in {findings:?}"))
}

#[tokio::test]
async fn a_check_finds_what_works_and_what_does_not() {
    let mut lab = Lab::new().await;
    let disk = lab.cluster.folder().join(&lab.namespace);
    std::fs::create_dir_all(&disk).unwrap();
    std::fs::write(disk.join("proof"), "just now").unwrap();
    lab.storage = disk.display().to_string();
    let runtime = lab.connect();
    let findings = diagnosed(&*runtime, Some(Proof { path: "proof", content: b"just now" })).await;
    for (subject, code) in [
        ("version", "supported"),
        ("rights", "complete"),
        ("reads", "complete"),
        ("namespace", "found"),
        ("nodes", "found"),
        ("cards", "found"),
        ("root", "kept"),
        ("disk", "same"),
    ] {
        assert_eq!(found(&findings, subject).code, code, "{:?}", found(&findings, subject));
    }
    let findings = diagnosed(&*runtime, Some(Proof { path: "proof", content: b"long ago" })).await;
    assert_eq!(found(&findings, "disk").code, "other");
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn a_check_names_the_rights_that_are_missing() {
    let without: Vec<_> = RIGHTS.iter().filter(|(_, kind, _)| *kind != "pods/resize").copied().collect();
    let lab = Lab::with(&without).await;
    let findings = diagnosed(&*lab.connect(), None).await;
    let rights = found(&findings, "rights");
    assert_eq!((rights.code, rights.verdict), ("missing", Verdict::Failed));
    assert_eq!(rights.list("rights"), ["patch pods/resize"]);
}

#[tokio::test]
async fn a_namespace_that_allows_less_has_roots_that_go_with_their_pods() {
    let lab = Lab::new().await;
    lab.kubectl(&["label", "namespace", &lab.namespace, "pod-security.kubernetes.io/enforce=baseline"]);
    let runtime = lab.connect();
    let findings = diagnosed(&*runtime, None).await;
    assert_eq!(found(&findings, "namespace").code, "baseline");
    let root = found(&findings, "root");
    assert!(root.code == "lost_at_stop" && root.text("why").contains("violates PodSecurity"), "{root:?}");
    let one = lab.workload("plain");
    applied(&*runtime, &one).await;
    assert_eq!(
        crate::lab::sh(&*runtime, &one.id, "touch /root/x; id -u; cat /proc/self/uid_map | tr -s ' '").await,
        "0\n 0 0 4294967295"
    );
    runtime.stop(&one.id, GRACE).await.unwrap();
    applied(&*runtime, &one).await;
    assert_eq!(crate::lab::sh(&*runtime, &one.id, "ls /root").await, "");
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}
