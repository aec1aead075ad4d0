//! Building images. Made by hand: bollard 0.21 has no number for 2 GiB of memory or more.

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::BodyStream;
use hyper::body::Incoming;
use serde::Deserialize;
use tokio_util::codec::{FramedRead, LinesCodec};
use tokio_util::io::StreamReader;
use url::form_urlencoded::Serializer;

use super::error::by_words;
use super::images::tagged;
use super::{DockerEngine, Link};
use crate::{BuildEvent, BuildSpec, CPU_PERIOD_MICROS, Error, Result};

/// No line of a build's log is longer.
const LINE_BYTES: usize = 4 << 20;

impl DockerEngine {
    pub(super) fn build_image(
        &self,
        spec: &BuildSpec,
        context: BoxStream<'static, std::io::Result<Bytes>>,
    ) -> BoxStream<'static, Result<BuildEvent>> {
        let link = std::sync::Arc::clone(&self.link);
        let path = path(spec);
        let answer = async move { open(&link, path?, context).await };
        stream::once(answer).try_flatten().boxed()
    }
}

async fn open(
    link: &Link,
    path: String,
    context: BoxStream<'static, std::io::Result<Bytes>>,
) -> Result<BoxStream<'static, Result<BuildEvent>>> {
    let request = Request::builder().method(Method::POST).uri(path).header(CONTENT_TYPE, "application/x-tar");
    let request = request.body(bollard::body_try_stream(context)).map_err(|error| Error::Failed(error.to_string()))?;
    Ok(events(link.open(request).await?.into_body()))
}

fn path(spec: &BuildSpec) -> Result<String> {
    let (repository, tag) = tagged(&spec.name)?;
    let arguments = serde_json::to_string(&spec.arguments).map_err(|error| Error::Failed(error.to_string()))?;
    let mut query = Serializer::new("/build?".to_owned());
    let mut add = |name: &str, value: &str| {
        query.append_pair(name, value);
    };
    add("t", &format!("{repository}:{tag}"));
    add("dockerfile", &spec.dockerfile);
    add("buildargs", &arguments);
    // Nothing is left of steps that failed or were cancelled.
    add("rm", "1");
    add("forcerm", "1");
    if let Some(network) = &spec.network {
        add("networkmode", network.as_str());
    }
    if spec.no_cache {
        add("nocache", "1");
    }
    if spec.pull {
        add("pull", "1");
    }
    if spec.resources.memory > 0 {
        add("memory", &spec.resources.memory.to_string());
        add("memswap", &spec.resources.memory.to_string());
    }
    if spec.resources.cpu_quota > 0 {
        add("cpuperiod", &CPU_PERIOD_MICROS.to_string());
        add("cpuquota", &spec.resources.cpu_quota.to_string());
    }
    Ok(query.finish())
}

/// One line of the engine's answer.
#[derive(Deserialize)]
struct Line {
    stream: Option<String>,
    /// Of base images that are fetched.
    status: Option<String>,
    id: Option<String>,
    error: Option<String>,
    aux: Option<Aux>,
    #[serde(rename = "progressDetail")]
    progress: Option<Progress>,
}

#[derive(Deserialize)]
struct Aux {
    #[serde(rename = "ID")]
    id: Option<String>,
}

#[derive(Deserialize)]
struct Progress {
    current: Option<u64>,
}

/// The events of a build. The last one is its image; without it the build failed.
fn events(body: Incoming) -> BoxStream<'static, Result<BuildEvent>> {
    let frames = BodyStream::new(body).map_err(std::io::Error::other);
    let bytes = frames.try_filter_map(async |frame| Ok(frame.into_data().ok()));
    let lines = FramedRead::new(StreamReader::new(bytes.boxed()), LinesCodec::new_with_max_length(LINE_BYTES));
    stream::try_unfold((lines, None), async |(mut lines, mut image)| {
        while let Some(line) = lines.next().await {
            let line = line.map_err(|error| Error::Unreachable(super::error::chain(&error)))?;
            match event(&line)? {
                Some(BuildEvent::Done(id)) => image = Some(id),
                Some(event) => return Ok(Some((event, (lines, image)))),
                None => {}
            }
        }
        match image.take() {
            // An empty id marks that the image's event was sent.
            Some(id) if id.is_empty() => Ok(None),
            Some(id) => Ok(Some((BuildEvent::Done(id), (lines, Some(String::new()))))),
            None => Err(Error::Failed("the build ended without an image".to_owned())),
        }
    })
    .boxed()
}

fn event(line: &str) -> Result<Option<BuildEvent>> {
    let Ok(line) = serde_json::from_str::<Line>(line) else { return Ok(None) };
    if let Some(words) = line.error {
        return Err(by_words(words));
    }
    if let Some(id) = line.aux.and_then(|aux| aux.id) {
        return Ok(Some(BuildEvent::Done(id)));
    }
    if let Some(text) = line.stream {
        return Ok(Some(BuildEvent::Log(text)));
    }
    // Bars that fill up are no lines of a log.
    let filling = line.progress.is_some_and(|progress| progress.current.is_some());
    Ok(line.status.filter(|_| !filling).map(|status| match line.id {
        Some(id) => BuildEvent::Log(format!("{id}: {status}\n")),
        None => BuildEvent::Log(format!("{status}\n")),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resources;

    #[test]
    fn lines_of_the_log() {
        let log = |text: &str| Some(BuildEvent::Log(text.to_owned()));
        assert_eq!(event(r#"{"stream":"Step 1/2 : FROM a\n"}"#), Ok(log("Step 1/2 : FROM a\n")));
        assert_eq!(
            event(r#"{"status":"Pull complete","progressDetail":{},"id":"ab"}"#),
            Ok(log("ab: Pull complete\n"))
        );
        assert_eq!(event(r#"{"status":"Downloading","progressDetail":{"current":5,"total":9},"id":"ab"}"#), Ok(None));
        assert_eq!(event(r#"{"aux":{"ID":"sha256:ab"}}"#), Ok(Some(BuildEvent::Done("sha256:ab".to_owned()))));
        let failed = event(r#"{"errorDetail":{"code":1,"message":"x"},"error":"returned a non-zero code: 1"}"#);
        assert_eq!(failed, Err(Error::Failed("returned a non-zero code: 1".to_owned())));
    }

    #[test]
    fn nothing_that_is_given_leaves_its_place_in_the_address() {
        let mut spec = BuildSpec {
            name: "lab:5000/ann/x:1".parse().unwrap(),
            dockerfile: "a&t=evil/Dockerfile".to_owned(),
            arguments: [("A".to_owned(), "b&c=\"d".to_owned())].into(),
            no_cache: false,
            pull: false,
            resources: Resources { cpu_quota: 0, memory: 8 << 30, pids: 1 },
            network: Some("yunlab-s-7".parse().unwrap()),
        };
        let path = path(&spec).unwrap();
        assert_eq!(path.matches("t=").count(), 1 + "dockerfile=a%26t%3Devil".matches("t=").count());
        assert!(path.contains("&networkmode=yunlab-s-7&"), "{path}");
        assert!(path.contains("memory=8589934592&memswap=8589934592"), "{path}");
        spec.name = "lab/x".parse().unwrap();
        assert!(super::path(&spec).is_err());
    }
}
