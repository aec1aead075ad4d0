//! Rewrites an image's configuration over the same layers. `docker commit` merges the container's
//! configuration, so it cannot drop an entry; `docker load` takes the configuration as given, and does
//! not read layers that the engine has.

use bollard::models::{ImageConfig, ImageHistoryResponseItem, ImageInspect};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::{Error, Result};

/// An archive for `docker load`.
pub(super) struct Rewritten {
    /// The image's id, which is its configuration's digest.
    pub(super) id: String,
    pub(super) archive: Vec<u8>,
}

/// Builds the archive for this configuration and tag. `history` is the engine's, newest first.
pub(super) fn rewritten(
    image: &ImageInspect,
    config: &ImageConfig,
    history: &[ImageHistoryResponseItem],
    tag: &str,
) -> Result<Rewritten> {
    let layers = image.root_fs.as_ref().and_then(|root| root.layers.as_deref()).unwrap_or_default();
    let document = json!({
        "architecture": image.architecture,
        "variant": image.variant,
        "os": image.os,
        "os.version": image.os_version,
        "author": image.author,
        "comment": image.comment,
        "created": image.created,
        "config": config,
        "rootfs": { "type": "layers", "diff_ids": layers },
        "history": history_of(history, layers.len()),
    });
    let Value::Object(mut document) = document else { return Err(Error::Failed("no document".to_owned())) };
    document.retain(|_, value| !value.is_null());
    let failed = |error: &dyn std::fmt::Display| Error::Failed(format!("an image's configuration: {error}"));
    let document = serde_json::to_vec(&document).map_err(|error| failed(&error))?;
    let digest: String = Sha256::digest(&document).iter().map(|byte| format!("{byte:02x}")).collect();
    let file = format!("{digest}.json");
    // The engine has the layers, so it does not open these files.
    let files: Vec<String> =
        layers.iter().map(|layer| format!("{}/layer.tar", layer.trim_start_matches("sha256:"))).collect();
    let manifest = json!([{ "Config": file, "RepoTags": [tag], "Layers": files }]);
    let manifest = serde_json::to_vec(&manifest).map_err(|error| failed(&error))?;
    let archive = archive([(file.as_str(), document), ("manifest.json", manifest)]).map_err(|error| failed(&error))?;
    Ok(Rewritten { id: format!("sha256:{digest}"), archive })
}

/// Converts the history to the configuration's form, oldest first. The engine reports a step's size but
/// not whether it has a layer, which may be empty; the number of layers decides.
fn history_of(newest_first: &[ImageHistoryResponseItem], layers: usize) -> Vec<Value> {
    let oldest_first: Vec<_> = newest_first.iter().rev().collect();
    let filled = oldest_first.iter().filter(|step| step.size > 0).count();
    let mut empty_layers = layers.saturating_sub(filled);
    let steps = oldest_first.into_iter().map(|step| {
        let has_layer = step.size > 0 || empty_layers > 0 && may_have_layer(&step.created_by);
        if has_layer && step.size == 0 {
            empty_layers -= 1;
        }
        let created = OffsetDateTime::from_unix_timestamp(step.created).ok().and_then(|at| at.format(&Rfc3339).ok());
        let mut entry = json!({ "created": created, "created_by": step.created_by, "comment": step.comment });
        if let Value::Object(entry) = &mut entry {
            entry.retain(|_, value| !value.is_null() && *value != "");
            if !has_layer {
                entry.insert("empty_layer".to_owned(), true.into());
            }
        }
        entry
    });
    let steps: Vec<Value> = steps.collect();
    // An inconsistent history makes the image invalid; none is valid.
    if empty_layers == 0 && filled <= layers { steps } else { Vec::new() }
}

/// Whether a step changes files, judged by the Dockerfile instruction or the shell command.
fn may_have_layer(created_by: &str) -> bool {
    const ONLY_CONFIGURATION: [&str; 13] = [
        "ARG",
        "CMD",
        "ENTRYPOINT",
        "ENV",
        "EXPOSE",
        "HEALTHCHECK",
        "LABEL",
        "MAINTAINER",
        "ONBUILD",
        "SHELL",
        "STOPSIGNAL",
        "USER",
        "VOLUME",
    ];
    let step = created_by.split_once("#(nop)").map_or(created_by, |(_, step)| step).trim_start();
    !ONLY_CONFIGURATION
        .iter()
        .any(|instruction| step.strip_prefix(instruction).is_some_and(|rest| rest.starts_with(' ')))
}

fn archive<const N: usize>(files: [(&str, Vec<u8>); N]) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        archive.append_data(&mut header, name, content.as_slice())?;
    }
    archive.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(created_by: &str, size: i64) -> ImageHistoryResponseItem {
        ImageHistoryResponseItem { created_by: created_by.to_owned(), size, ..ImageHistoryResponseItem::default() }
    }

    #[test]
    fn a_history_has_a_layer_for_each_layer() {
        let newest_first = [
            step("/bin/bash", 0),
            step("/bin/sh -c #(nop)  CMD [\"bash\"]", 0),
            step("ENV A=1", 0),
            step("WORKDIR /work", 0),
            step("/bin/sh -c #(nop) ADD file:1 in / ", 7),
        ];
        let with_layer = |layers| -> Vec<bool> {
            history_of(&newest_first, layers).iter().map(|step| step.get("empty_layer").is_none()).collect()
        };
        assert_eq!(with_layer(3), [true, true, false, false, true]);
        assert_eq!(with_layer(1), [true, false, false, false, false]);
        assert!(with_layer(4).is_empty() && with_layer(0).is_empty());
    }
}
