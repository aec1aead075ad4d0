//! Images to a real registry and back.

use engine::{CommitSpec, Engine, Error, Progress, RegistryAuth, Result};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use kernel::Secret;
use testkit::{TestEngine, TestRegistry};

use crate::support::{Lab, connect, image, spec};

async fn all(steps: BoxStream<'static, Result<Progress>>) -> Result<Vec<Progress>> {
    steps.collect::<Vec<_>>().await.into_iter().collect()
}

/// Makes an image with a layer that does not shrink.
async fn with_layer(lab: &Lab, megabytes: u32, name: &str) {
    let id = lab.started(&spec("layer-maker")).await;
    lab.sh(&id, &format!("head -c {megabytes}m /dev/urandom > /root/layer")).await;
    let save = CommitSpec { name: image(name), comment: String::new(), author: String::new() };
    lab.engine.commit(&id, &save).await.unwrap();
}

#[tokio::test]
async fn pushed_by_one_engine_pulled_by_another() {
    let (lab, other, registry) = (Lab::new(), Lab::new(), TestRegistry::start_with_account());
    let name = image(&format!("{}/ann/model:v1", registry.address()));
    let auth =
        |password: &str| RegistryAuth { username: TestRegistry::USERNAME.to_owned(), password: Secret::new(password) };
    let _ = lab.host.docker(&["tag", TestEngine::IMAGE, &name.to_string()]);
    for refused in [None, Some(&auth("wrong"))] {
        let error = all(lab.engine.push(&name, refused)).await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized(_)), "{error:?}");
    }
    let right = auth(TestRegistry::PASSWORD);
    let steps = all(lab.engine.push(&name, Some(&right))).await.unwrap();
    assert!(steps.iter().any(|step| step.status.contains("digest: sha256:")), "{steps:?}");

    assert!(all(other.engine.pull(&name, None)).await.is_err());
    let steps = all(other.engine.pull(&name, Some(&right))).await.unwrap();
    assert!(steps.iter().any(|step| step.layer.is_some() && step.total.is_some()), "{steps:?}");
    let detail = other.engine.inspect_image(&name).await.unwrap();
    assert_eq!(detail.image.id, lab.engine.inspect_image(&name).await.unwrap().image.id);
    // By its digest it is the same.
    let digest = image(&detail.image.digests[0]);
    all(other.engine.pull(&digest, Some(&right))).await.unwrap();

    let missing = image(&format!("{}/ann/model:v2", registry.address()));
    let error = all(other.engine.pull(&missing, Some(&right))).await.unwrap_err();
    assert!(matches!(error, Error::ImageMissing(_)), "{error:?}");
    let error = all(lab.engine.push(&missing, Some(&right))).await.unwrap_err();
    assert!(matches!(error, Error::ImageMissing(_)), "{error:?}");
    let id = image(&detail.image.id);
    assert!(matches!(all(other.engine.pull(&id, None)).await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn an_engine_killed_in_a_pull_pulls_again() {
    let registry = TestRegistry::start();
    let name = format!("{}/big:1", registry.address());
    let lab = Lab::new();
    with_layer(&lab, 60, &name).await;
    all(lab.engine.push(&image(&name), None)).await.unwrap();

    let mut host = TestEngine::start();
    let engine = connect(&host);
    let mut steps = engine.pull(&image(&name), None);
    while steps.next().await.expect("a step").expect("no error yet").current.is_none() {}
    host.kill();
    let mut last = None;
    while let Some(step) = steps.next().await {
        last = Some(step);
    }
    assert!(matches!(last, Some(Err(Error::Unreachable(_)))), "{last:?}");
    assert!(matches!(engine.ping().await, Err(Error::Unreachable(_))));
    host.run();
    all(engine.pull(&image(&name), None)).await.unwrap();
    assert!(engine.inspect_image(&image(&name)).await.unwrap().image.size > 60 << 20);
}
