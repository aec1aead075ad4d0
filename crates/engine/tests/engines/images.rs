//! Images: saved from containers, built, listed, removed.

use bytes::Bytes;
use engine::{BuildEvent, BuildSpec, CommitSpec, Engine, Error, Owner, Resources, Result};
use futures_util::stream::{self, BoxStream, StreamExt};
use testkit::TestEngine;

use crate::support::{GRACE, Lab, image, spec, until};

#[tokio::test]
async fn an_image_of_an_instance_has_its_files_and_none_of_its_secrets() {
    let lab = Lab::new();
    let mut wanted = spec("saved-from");
    wanted.environment.set("PASSWORD", "geheim").unwrap();
    let id = lab.started(&wanted).await;
    lab.sh(&id, "head -c 3000000 /dev/urandom > /root/model").await;
    let size = lab.engine.size(&id).await.unwrap();
    assert!(size.writable >= 3_000_000 && size.root > size.writable, "{size:?}");
    assert_eq!(size.layers, 1);

    let name = image("lab/ann/saved:v1");
    let save = CommitSpec { name: name.clone(), comment: "第一版".to_owned(), author: "ann".to_owned() };
    let made = lab.engine.commit(&id, &save).await.unwrap();
    let detail = lab.engine.inspect_image(&name).await.unwrap();
    assert_eq!((&detail.image.id, detail.image.tags.as_slice()), (&made, ["lab/ann/saved:v1".to_owned()].as_slice()));
    assert_eq!((detail.layers.len(), detail.history.len()), (2, 2));
    let top = detail.history.last().unwrap();
    assert!(top.comment == "第一版" && top.size >= 3_000_000, "{top:?}");
    // F18: nothing of ours is in it, not even empty, and the base's own is.
    let facts = |name: &str, field: &str| lab.host.docker(&["inspect", "--format", field, name]);
    for field in ["{{json .Config.Env}}", "{{json .Config.Labels}}", "{{json .Config.Cmd}}"] {
        assert_eq!(facts("lab/ann/saved:v1", field), facts(TestEngine::IMAGE, field), "{field}");
    }
    assert_eq!(facts("lab/ann/saved:v1", "{{.Author}} {{.Comment}}").trim(), "ann 第一版");

    // A foreign container of the image is not ours; one of ours has the files.
    let _ = lab.host.docker(&["create", "--name", "foreign", "lab/ann/saved:v1", "/bin/sh"]);
    let all = lab.engine.list().await.unwrap();
    let foreign = all.iter().find(|container| container.name == "foreign").unwrap();
    assert!(matches!(foreign.owner, Owner::Foreign(_)), "{foreign:?}");
    let mut again = spec("from-saved");
    again.image = name.clone();
    let copy = lab.started(&again).await;
    assert_eq!(lab.sh(&copy, "wc -c < /root/model; echo \"<$PASSWORD>\"").await, "3000000\n<>");

    // Removal frees nothing while a second name keeps the image, and fails while it is used.
    let second = image("lab/ann/saved:latest");
    let _ = lab.host.docker(&["tag", &name.to_string(), &second.to_string()]);
    let frees = lab.engine.image_frees(&second).await.unwrap();
    assert_eq!((frees.bytes, frees.other_tags, frees.containers), (0, vec![name.to_string()], 2));
    let removed = lab.engine.remove_image(&second).await.unwrap();
    assert_eq!((removed.untagged, removed.deleted.len()), (vec![second.to_string()], 0));
    let frees = lab.engine.image_frees(&name).await.unwrap();
    assert!((3_000_000..4_000_000).contains(&frees.bytes), "{frees:?}");
    lab.engine.stop(&copy, GRACE).await.unwrap();
    assert!(matches!(lab.engine.remove_image(&name).await, Err(Error::Conflict(_))));
    lab.engine.remove(&copy).await.unwrap();
    let _ = lab.host.docker(&["rm", "foreign"]);
    assert!(lab.engine.remove_image(&name).await.unwrap().deleted.contains(&made));
    assert!(matches!(lab.engine.inspect_image(&name).await, Err(Error::ImageMissing(_))));
    let left = lab.engine.images().await.unwrap();
    assert_eq!(left.iter().flat_map(|image| image.tags.clone()).collect::<Vec<_>>(), [TestEngine::IMAGE]);
}

/// An archive with a Dockerfile, in small pieces.
fn context(dockerfile: &str) -> BoxStream<'static, std::io::Result<Bytes>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(dockerfile.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, "Dockerfile", dockerfile.as_bytes()).unwrap();
    let bytes = archive.into_inner().unwrap();
    let pieces: Vec<_> = bytes.chunks(1000).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    stream::iter(pieces).boxed()
}

fn build_spec(name: &str) -> BuildSpec {
    BuildSpec {
        name: image(name),
        dockerfile: "Dockerfile".to_owned(),
        arguments: [("WHO".to_owned(), "安 & co".to_owned())].into(),
        no_cache: true,
        pull: false,
        // Options that bollard's own types cannot express.
        resources: Resources { cpu_quota: 100_000, memory: 3 << 30, pids: 100 },
        network: None,
    }
}

#[tokio::test]
async fn a_build_tells_its_log_and_its_image() {
    let lab = Lab::new();
    let dockerfile = format!(
        "FROM {}\nARG WHO\nRUN echo \"made for $WHO\" | tee /made\nLABEL yunlab.instance=forged yunlab.generation=1\n",
        TestEngine::IMAGE
    );
    let building = build_spec("lab/built:1");
    let events: Vec<Result<BuildEvent>> = lab.engine.build(&building, context(&dockerfile)).collect().await;
    let mut events: Vec<BuildEvent> = events.into_iter().map(Result::unwrap).collect();
    let Some(BuildEvent::Done(id)) = events.pop() else { panic!("no image: {events:?}") };
    let log: String = events.iter().map(|event| if let BuildEvent::Log(text) = event { text } else { "" }).collect();
    assert!(log.contains("made for 安 & co\n") && log.contains("Step 3/4"), "{log}");
    assert_eq!(lab.engine.inspect_image(&building.name).await.unwrap().image.id, id);
    let mut wanted = spec("of-built");
    wanted.image = building.name.clone();
    // The image's forged labels are overridden by ours.
    let made = lab.started(&wanted).await;
    let Owner::Portal(mark) = lab.engine.inspect(&made).await.unwrap().container.owner else { panic!("not ours") };
    assert_eq!(mark.instance, "id-of-built");

    // A step that fails is the build's end, with the engine's words.
    let failing = format!("FROM {}\nRUN exit 9\n", TestEngine::IMAGE);
    let last = lab.engine.build(&building, context(&failing)).collect::<Vec<_>>().await.pop().unwrap();
    let error = last.unwrap_err();
    assert!(matches!(&error, Error::Failed(words) if words.contains("non-zero code: 9")), "{error:?}");
    let nonsense = lab.engine.build(&building, context("NONSENSE x\n")).collect::<Vec<_>>().await.pop().unwrap();
    assert!(matches!(nonsense, Err(Error::Rejected(_))), "{nonsense:?}");
    let mut nameless = build_spec("lab/built:1");
    nameless.name = image("lab/built");
    let refused = lab.engine.build(&nameless, context(&failing)).next().await.unwrap();
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
}

#[tokio::test]
async fn a_cancelled_build_leaves_nothing() {
    let lab = Lab::new();
    let slow = format!("FROM {}\nRUN sleep 1000\n", TestEngine::IMAGE);
    let mut build = lab.engine.build(&build_spec("lab/slow:1"), context(&slow));
    until("the step", async || lab.engine.list().await.unwrap().len() == 1 || build.next().await.is_none()).await;
    assert_eq!(lab.engine.list().await.unwrap().len(), 1, "the step's container");
    drop(build);
    until("the end of the step", async || lab.engine.list().await.unwrap().is_empty()).await;
    assert!(matches!(lab.engine.inspect_image(&image("lab/slow:1")).await, Err(Error::ImageMissing(_))));
}

#[tokio::test]
async fn an_image_needs_a_name_with_a_tag() {
    let lab = Lab::new();
    let id = lab.engine.create(&spec("tagless")).await.unwrap().id;
    let save = CommitSpec { name: image("lab/x"), comment: String::new(), author: String::new() };
    assert!(matches!(lab.engine.commit(&id, &save).await, Err(Error::Invalid(_))));
}
