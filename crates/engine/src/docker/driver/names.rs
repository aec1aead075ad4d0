//! The names of a workload's objects at Docker.

use crate::{Container, ContainerRef, Invalid, Owner, Workload, WorkloadId};

/// The repository of the images that keep roots.
const ROOTS: &str = "yunlab-root";

/// The name of its container. Docker allows no `@` in a name, and usernames have no `-`, so no two names become one.
pub(super) fn container(workload: &Workload) -> Result<ContainerRef, Invalid> {
    workload.name.replace('@', "-at-").parse()
}

/// The image that keeps its root of this generation.
pub(super) fn root(id: &WorkloadId, generation: u64) -> String {
    format!("{ROOTS}/{id}:g{generation}")
}

/// The image that keeps its root of this generation when the container is recreated only to add our program.
pub(super) fn root_without_tools(id: &WorkloadId, generation: u64) -> String {
    format!("{ROOTS}/{id}:g{generation}-before-tools")
}

/// Whether an image's name is that of a kept root of this workload.
pub(super) fn is_root_of(image: &str, id: &WorkloadId) -> bool {
    image
        .strip_prefix(ROOTS)
        .and_then(|rest| rest.strip_prefix('/')?.strip_prefix(id.as_str()))
        .is_some_and(|rest| rest.starts_with(':'))
}

/// The workload that a container is; `None` for a foreign one.
pub(super) fn workload(container: &Container) -> Option<WorkloadId> {
    match &container.owner {
        Owner::Portal(mark) => mark.instance.parse().ok(),
        Owner::Foreign(_) => None,
    }
}

/// Its container in a list.
pub(super) fn container_of(list: &[Container], id: &WorkloadId) -> Option<ContainerRef> {
    let is_it = |one: &&Container| matches!(&one.owner, Owner::Portal(mark) if mark.instance == id.as_str());
    list.iter().find(is_it).map(|one| one.id.clone())
}
