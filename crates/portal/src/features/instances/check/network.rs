//! Whether instances are kept apart: each in its owner's network, and the networks by the machine's firewall.

use std::collections::HashMap;

use engine::machine_helper::{Answer, Guard, GuardState, Request};
use engine::{Container, Engine, HostNetwork, Network, NetworkName, Owner};
use http_kit::{ApiError, ApiResult};
use ipnet::Ipv4Net;
use kernel::UserId;

use super::{failed, passed, warning};
use crate::Portal;
use crate::features::clusters;
use crate::features::instances::{network, store};
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{Check, Server};
use crate::features::settings;

const NETWORKS: (&str, &str) = ("instance_networks", "实例网络");
const GUARD: (&str, &str) = ("network_guard", "网络隔离规则");

/// Checks the engine's networks and the machine's nft table, which it has written first.
pub(super) async fn look(
    portal: &Portal,
    caller: Caller<'_>,
    server: &Server,
    engine: &dyn Engine,
    list: &[Container],
) -> ApiResult<Vec<Check>> {
    let (host, networks) = match (engine.host_network().await, engine.networks().await) {
        (Ok(host), Ok(networks)) => (host, networks),
        (Err(error), _) | (_, Err(error)) => {
            return Ok(vec![failed(NETWORKS.0, NETWORKS.1, error.to_string(), clusters::NETWORKS_ADVICE)]);
        }
    };
    let range = settings::read(portal.db()).await?.network.range();
    let range = range.ok_or_else(|| ApiError::internal("the settings' addresses are no network"))?;
    let owners = owners(portal, list).await?;
    let found = Found { server, host: &host, networks: &networks, list, owners: &owners, range };
    let mut checks = vec![judge(&found)];
    if host.keeps_firewall != Some(false) {
        checks.push(guard(portal, caller, server, &networks, list).await?);
    }
    Ok(checks)
}

/// The owners of these containers' instances.
async fn owners(portal: &Portal, list: &[Container]) -> ApiResult<HashMap<String, UserId>> {
    let ids: Vec<&str> = list.iter().filter_map(instance).collect();
    Ok(store::owners_of(portal.db(), &ids).await?.into_iter().map(|one| (one.id, one.user_id)).collect())
}

fn instance(container: &Container) -> Option<&str> {
    match &container.owner {
        Owner::Portal(mark) => Some(&mark.instance),
        Owner::Foreign(_) => None,
    }
}

struct Found<'a> {
    server: &'a Server,
    host: &'a HostNetwork,
    networks: &'a [Network],
    list: &'a [Container],
    owners: &'a HashMap<String, UserId>,
    range: Ipv4Net,
}

impl Found<'_> {
    /// Names of people's networks on this server, with their owners.
    fn own(&self) -> HashMap<&str, UserId> {
        let own = |one: &Network| network::owner_of(one.owner.as_deref()?, &self.server.id);
        self.networks.iter().filter_map(|one| Some((one.name.as_str(), own(one)?))).collect()
    }
}

fn judge(found: &Found<'_>) -> Check {
    let (name, title) = NETWORKS;
    if found.host.keeps_firewall == Some(false) {
        let (detail, advice) = clusters::NO_FIREWALL;
        return warning(name, title, detail.to_owned(), advice);
    }
    let own = found.own();
    let ours = || {
        let ours = found.list.iter().filter_map(|one| Some((one, *found.owners.get(instance(one)?)?)));
        ours.filter(|(one, _)| one.state.is_active())
    };
    let strangers: Vec<&str> = ours()
        .filter(|(one, user)| one.networks.iter().any(|name| own.get(name.as_str()).is_some_and(|owner| owner != user)))
        .map(|(one, _)| one.name.as_str())
        .collect();
    if !strangers.is_empty() {
        let detail = format!("有实例在别人的网络中：{}", strangers.join("、"));
        return failed(name, title, detail, "有人在服务器上直接修改了容器的网络，请重启这些实例");
    }
    let taken: Vec<_> = found.networks.iter().flat_map(|one| one.subnets.iter().copied()).collect();
    if network::free_subnet(found.range, &taken, &found.host.routes).is_none() {
        let detail = format!("网段 {} 没有可用的地址：已用完，或与服务器自己的网络冲突", found.range);
        return failed(name, title, detail, "在“基本设置”的“实例网络”中换一个没有使用的网段");
    }
    let of_default = NetworkName::of_default();
    let old = ours().filter(|(one, _)| one.networks.iter().any(|name| name == of_default.as_str())).count();
    let detail = format!(
        "每人一个网络，现有 {} 个；网段 {} 可供 {} 人使用，每人最多 {} 个实例",
        own.len(),
        found.range,
        network::capacity(found.range),
        network::INSTANCES_EACH,
    );
    if old > 0 {
        let detail = format!("{detail}；还有 {old} 个运行中的实例在旧的网络中");
        return warning(
            name,
            title,
            detail,
            "这些实例在下次启动时移入各自的网络；需要立即隔离时，请通知使用者重启实例",
        );
    }
    let wider = network::wider_routes(found.range, &found.host.routes);
    if !wider.is_empty() {
        let routes: Vec<String> = wider.iter().map(ToString::to_string).collect();
        let detail = format!("{detail}；服务器经网关访问 {}，其中包含这个网段", routes.join("、"));
        return warning(name, title, detail, "确认内网没有使用这个网段，否则在“基本设置”的“实例网络”中换一个");
    }
    passed(name, title, detail)
}

async fn guard(
    portal: &Portal,
    caller: Caller<'_>,
    server: &Server,
    networks: &[Network],
    list: &[Container],
) -> ApiResult<Check> {
    let (name, title) = GUARD;
    const OPEN: &str = clusters::WITHOUT_GUARD;
    let guard = match network::wanted_guard(portal, server, networks, list).await? {
        None => return Ok(passed(name, title, "还没有实例网络，不需要规则".to_owned())),
        Some(Ok(guard)) => guard,
        Some(Err(error)) => return Err(ApiError::internal(error)),
    };
    if let Some(why) = machine_helper::forbidden(portal, server) {
        let detail = format!("{why}：{OPEN}");
        return Ok(warning(name, title, detail, "允许这台服务器使用主机助手，平台会设置规则"));
    }
    Ok(match proved(portal, caller, server, &guard).await {
        Ok(state) if state == guard.state() => {
            passed(name, title, format!("规则表 inet yunlab 有 {} 条规则，与平台设置的一致", state.rules))
        }
        Ok(_) => {
            let detail = format!("规则表 inet yunlab 刚设置就被改动：{OPEN}");
            failed(name, title, detail, "检查服务器上是否有其他程序在修改 nftables 的规则表")
        }
        Err(error) => {
            let advice = match error.code() {
                "machine_tool_missing" => "在服务器上安装 nftables（apt install nftables 或 dnf install nftables）",
                _ => "处理“主机助手”一项，并确认内核支持 nftables",
            };
            warning(name, title, format!("{}：{OPEN}", error.message()), advice)
        }
    })
}

/// The machine's table as read back after it was written.
async fn proved(portal: &Portal, caller: Caller<'_>, server: &Server, guard: &Guard) -> ApiResult<GuardState> {
    let request = Request::SetNetworkGuard { guard: guard.clone() };
    machine_helper::call(portal, server, caller, &request).await?;
    match machine_helper::call(portal, server, caller, &Request::GetNetworkGuard {}).await? {
        Answer::NetworkGuard(state) => Ok(state),
        _ => Err(ApiError::internal("the machine helper answered another question")),
    }
}
