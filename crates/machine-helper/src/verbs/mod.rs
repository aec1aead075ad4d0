//! The verbs, one file for each topic.

mod boot;
mod cgroup;
mod file_system;
mod kernel_log;
mod mounts;
mod network;
mod process;
mod quota;
mod tool;
mod tree;
mod unmount;

use machine_helper::{Answer, Refusal, Request};

pub(crate) fn run(request: &Request) -> Result<Answer, Refusal> {
    match request {
        Request::BootId {} => boot::read(),
        Request::FileSystem { path } => file_system::look(path),
        Request::KernelLog { since_ms } => kernel_log::read(*since_ms),
        Request::Freeze { container } => cgroup::set_frozen(container, true),
        Request::Thaw { container } => cgroup::set_frozen(container, false),
        Request::Unmount { container, target } => unmount::below(container, target),
        Request::SetProjectQuota { root, folder, project, limit_bytes } => {
            quota::set(root, folder, *project, *limit_bytes)
        }
        Request::SetProjectLimit { root, project, limit_bytes } => quota::limit(root, *project, *limit_bytes),
        Request::TryProjectChange { root } => quota::try_change(root),
        Request::GetProjectQuota { root, project } => quota::get(root, *project),
        Request::ClearProjectQuota { root, folder, project } => quota::clear(root, folder, *project),
        Request::SetNetworkGuard { guard } => network::set(guard),
        Request::GetNetworkGuard {} => network::get(),
        Request::ClearNetworkGuard {} => network::clear(),
    }
}
