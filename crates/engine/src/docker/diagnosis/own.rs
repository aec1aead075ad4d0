//! What an engine reports of itself.

use crate::Verdict::{Failed, Passed, Warning};
use crate::{Capabilities, CgroupVersion, Finding, RootQuota};

/// Docker 20.10, the oldest that this program was tried with.
const OLDEST_API: (u32, u32) = (1, 41);

/// Judges an engine by its facts and capabilities.
pub(in crate::docker) fn engine_findings(can: &Capabilities) -> Vec<Finding> {
    vec![version(can), cgroup(can), root_quota(can), default_runtime(can), live_restore(can)]
}

fn version(can: &Capabilities) -> Finding {
    let api =
        can.api_version.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let (code, verdict) =
        if api.is_some_and(|api| api >= OLDEST_API) { ("answers", Passed) } else { ("too_old", Failed) };
    Finding::new("engine", code, verdict).with("version", &*can.engine_version).with("api", &*can.api_version)
}

fn cgroup(can: &Capabilities) -> Finding {
    let missing: Vec<&str> =
        can.warnings.iter().map(String::as_str).filter(|warning| warning.contains("limit support")).collect();
    if !missing.is_empty() {
        return Finding::new("cgroup", "limits_missing", Failed).with("warnings", missing);
    }
    let version = if can.cgroup_version == CgroupVersion::V2 { "v2" } else { "v1" };
    Finding::new("cgroup", "limits", Passed).with("version", version).with("driver", &*can.cgroup_driver)
}

fn root_quota(can: &Capabilities) -> Finding {
    match &can.root_quota {
        RootQuota::Native => Finding::new("storage_quota", "limited", Passed).with("driver", &*can.storage_driver),
        RootQuota::None { backing } => Finding::new("storage_quota", "unlimited", Warning)
            .with("driver", &*can.storage_driver)
            .with("backing", &**backing),
    }
}

fn default_runtime(can: &Capabilities) -> Finding {
    // It gives every card to every container.
    let (code, verdict) = if can.default_runtime == "nvidia" { ("gives_cards", Failed) } else { ("plain", Passed) };
    Finding::new("default_runtime", code, verdict).with("runtime", &*can.default_runtime)
}

fn live_restore(can: &Capabilities) -> Finding {
    let (code, verdict) = if can.live_restore { ("on", Passed) } else { ("off", Warning) };
    Finding::new("live_restore", code, verdict)
}
