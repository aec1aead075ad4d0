//! Cards: asked for by id or model, chosen by the cluster, and exclusive.

use std::collections::BTreeSet;

use engine::{Card, Obstacle, Phase, Step, Workload};

use crate::lab::{GRACE, Lab, applied, sh, until};

/// The card of a node, as the cluster's driver names it.
fn this(uuid: &str) -> Card {
    Card::nvidia(uuid).unwrap()
}

fn any(model: &str, except: &[&str]) -> Card {
    Card::of_model(model, except.iter().map(|&uuid| uuid.to_owned()).collect()).unwrap()
}

/// Other tests of this process leave cards 3 of each node alone.
fn with(lab: &Lab, id: &str, cards: Vec<Card>) -> Workload {
    Workload { cards, ..lab.workload(id) }
}

#[tokio::test]
async fn a_card_is_the_workloads_alone_and_free_after_its_stop() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let first = with(&lab, "first", vec![this("GPU-1-0")]);
    applied(&*runtime, &first).await;
    assert_eq!(
        sh(&*runtime, &first.id, "ls /dev | grep nvidia; echo $CARD_0; echo $NVIDIA_VISIBLE_DEVICES").await,
        "nvidia0\nGPU-1-0\nvoid"
    );
    let nodes = runtime.nodes().expect("it places workloads").list().await.unwrap();
    let names: Vec<_> = nodes.iter().map(|node| (node.name.as_str(), node.ready, node.cards.len())).collect();
    assert_eq!(names, [("node-1", true, 4), ("node-2", true, 4)]);
    let card = nodes[0].cards.iter().find(|card| card.uuid == "GPU-1-0").expect("it is published");
    assert_eq!((card.model.as_str(), card.memory, card.taken), ("NVIDIA Test 24GB", 24 << 30, true));

    // The same card for another one, which waits and says why.
    let second = with(&lab, "second", vec![this("GPU-1-0")]);
    let waiting = {
        let (runtime, second) = (lab.connect(), second.clone());
        tokio::spawn(async move { applied(&*runtime, &second).await })
    };
    let waits = until("a reason to wait", async || {
        let all = runtime.observe().await.unwrap().workloads;
        all.into_iter().find(|one| one.id == second.id).filter(|one| one.phase == Phase::Waiting)?.waits
    })
    .await;
    assert!(waits.obstacles.contains(&Obstacle::Cards), "{waits:?}");
    runtime.stop(&first.id, GRACE).await.unwrap();
    let steps = waiting.await.expect("it gets the card");
    let is_about_cards = |step: &Step| matches!(step, Step::Waiting(waits) if waits.obstacles.contains(&Obstacle::Cards));
    assert!(steps.iter().any(is_about_cards), "{steps:?}");
    assert_eq!(runtime.examine(&second.id).await.unwrap().cards, ["GPU-1-0"]);
    for one in [&first, &second] {
        runtime.discard(&one.id, GRACE).await.unwrap();
    }
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn the_cluster_chooses_cards_of_a_model() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = with(&lab, "modelled", vec![any("NVIDIA Test 48GB", &["GPU-2-0", "GPU-2-3"]); 2]);
    applied(&*runtime, &one).await;
    let seen = runtime.examine(&one.id).await.unwrap();
    let cards: BTreeSet<&str> = seen.cards.iter().map(String::as_str).collect();
    assert_eq!(cards, BTreeSet::from(["GPU-2-1", "GPU-2-2"]));
    let observed = runtime.observe().await.unwrap().workloads.into_iter().find(|seen| seen.id == one.id).unwrap();
    assert_eq!(observed.cards.len(), 2, "{observed:?}");
    assert_eq!(sh(&*runtime, &one.id, "ls /dev | grep nvidia | tr '\\n' ' '").await, "nvidia1 nvidia2");
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn a_workload_runs_on_a_node_that_would_do() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    for node in ["node-2", "node-1"] {
        let one = Workload { nodes: [node.to_owned()].into(), ..lab.workload(&format!("on-{node}")) };
        applied(&*runtime, &one).await;
        assert_eq!(runtime.examine(&one.id).await.unwrap().node, node);
        runtime.discard(&one.id, GRACE).await.unwrap();
    }
    // A card of one node and the name of another never meet.
    let mut lab = lab;
    lab.settings.placing = std::time::Duration::from_secs(3);
    let runtime = lab.connect();
    let mut one = with(&lab, "torn", vec![this("GPU-1-1")]);
    one.nodes = ["node-2".to_owned()].into();
    let failure = runtime.apply(&one, &mut crate::lab::Patient::default()).await.expect_err("no node would do");
    assert!(failure.to_string().contains("0/2 nodes are available"), "{failure}");
    lab.is_clean(&*runtime).await;
}

#[tokio::test]
async fn cards_that_are_only_counted_are_read_afterwards() {
    let lab = Lab::counting().await;
    let runtime = lab.connect();
    let nodes = until("cards", async || {
        let nodes = runtime.nodes().expect("it places workloads").list().await.unwrap();
        (nodes[0].counted_cards == 4).then_some(nodes)
    })
    .await;
    assert_eq!((nodes[0].counted_model.as_str(), nodes[0].cards.len()), ("NVIDIA-Test-24GB", 0));
    let one = with(&lab, "counted", vec![any("NVIDIA-Test-24GB", &[]); 2]);
    applied(&*runtime, &one).await;
    let inside = sh(&*runtime, &one.id, "echo $NVIDIA_VISIBLE_DEVICES").await;
    let picked: BTreeSet<&str> = inside.split(',').collect();
    let seen = runtime.examine(&one.id).await.unwrap();
    assert_eq!(seen.cards.iter().map(String::as_str).collect::<BTreeSet<_>>(), picked);
    assert_eq!(picked.len(), 2, "{inside}");
    runtime.stop(&one.id, GRACE).await.unwrap();
    assert!(runtime.examine(&one.id).await.unwrap().cards.is_empty(), "the next start may get others");
    runtime.discard(&one.id, GRACE).await.unwrap();
    lab.is_clean(&*runtime).await;
}
