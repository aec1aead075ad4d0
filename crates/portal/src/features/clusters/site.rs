//! What a cluster's driver asks of the portal.

use std::collections::BTreeSet;

use async_trait::async_trait;
use engine::machine_helper::{Answer, Request};
use engine::{Error, Machine, NotDone, Rules, Site};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{self, Server};
use crate::features::settings::{self, Settings};
use crate::{Portal, WeakPortal};

/// Caller of the machine helper on a driver's behalf, as the operate log names it.
const DUTY: &str = "实例网络隔离";

/// The portal for the driver of one server.
#[derive(Debug)]
pub(crate) struct ServerSite {
    portal: WeakPortal,
    server: String,
}

impl ServerSite {
    pub(crate) fn new(portal: &Portal, server: &str) -> Self {
        Self { portal: portal.weak(), server: server.to_owned() }
    }

    /// A driver's work may outlive the portal by a moment.
    fn portal(&self) -> ApiResult<Portal> {
        self.portal.upgrade().ok_or_else(|| ApiError::internal("the portal has ended"))
    }

    async fn read(&self) -> ApiResult<Rules> {
        let portal = self.portal()?;
        let server = servers::by_id(portal.db(), &self.server).await?;
        let settings = settings::read(portal.db()).await?;
        let addresses = settings.network.range();
        Ok(Rules {
            addresses: addresses.ok_or_else(|| ApiError::internal("the settings' addresses are no network"))?,
            open_ports: open_ports(&settings, &server, portal.own_ports()),
            no_helper: machine_helper::forbidden(&portal, &server).map(str::to_owned),
            storage: server.storage_path,
        })
    }
}

#[async_trait]
impl Machine for ServerSite {
    async fn carry_out(&self, request: &Request) -> Result<Answer, NotDone> {
        let portal = self.portal().map_err(|error| not_done(&error))?;
        let server = servers::by_id(portal.db(), &self.server).await.map_err(|error| not_done(&error))?;
        AskedBy { portal: &portal, server: &server, caller: Caller::Duty(DUTY) }.carry_out(request).await
    }
}

#[async_trait]
impl Site for ServerSite {
    fn cluster(&self) -> &str {
        &self.server
    }

    fn now(&self) -> Timestamp {
        self.portal.upgrade().map_or(Timestamp::from_millis(0), |portal| portal.now())
    }

    async fn rules(&self) -> engine::Result<Rules> {
        // Nothing failed at the cluster: the work is tried again.
        self.read().await.map_err(|error| Error::Unreachable(format!("the portal's own settings: {error}")))
    }
}

/// A server's machine for a caller.
pub(crate) struct AskedBy<'a> {
    pub(crate) portal: &'a Portal,
    pub(crate) server: &'a Server,
    pub(crate) caller: Caller<'a>,
}

#[async_trait]
impl Machine for AskedBy<'_> {
    async fn carry_out(&self, request: &Request) -> Result<Answer, NotDone> {
        machine_helper::call(self.portal, self.server, self.caller, request).await.map_err(|error| not_done(&error))
    }
}

fn not_done(error: &ApiError) -> NotDone {
    NotDone { code: error.code().to_owned(), words: error.message().to_owned() }
}

/// TCP ports of the machine that are open to instances: those of the settings, of the portal and the disk in it, and
/// of other addresses at which people reach them on this machine.
fn open_ports(settings: &Settings, server: &Server, own: &[u16]) -> BTreeSet<u16> {
    let basic = &settings.basic;
    let addresses = [&basic.base_url, &basic.internal_base_url, &basic.storage_host];
    let at_server = addresses.into_iter().filter_map(|address| {
        let url = url::Url::parse(address).ok()?;
        let is_here = server.local || url.host_str() == Some(server.public_host.as_str());
        if is_here { url.port_or_known_default() } else { None }
    });
    let own = own.iter().copied().filter(|_| server.local);
    settings.network.open_ports.iter().copied().chain(at_server).chain(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::settings::PortRange;

    #[test]
    fn the_portals_ports_are_open_where_the_portal_is() {
        let mut settings = Settings::default();
        settings.basic.base_url = "https://lab.example.com".to_owned();
        settings.basic.storage_host = "http://gpu02.lab:9000/disk".to_owned();
        settings.network.open_ports = BTreeSet::from([7890]);
        let mut server = Server::blank(PortRange { from: 30000, to: 39999 }, Timestamp::from_millis(0));
        server.public_host = "gpu02.lab".to_owned();
        let open = |server: &Server| open_ports(&settings, server, &[8080]).into_iter().collect::<Vec<_>>();
        assert_eq!(open(&server), [7890, 9000]);
        server.local = true;
        assert_eq!(open(&server), [443, 7890, 8080, 9000]);
        server.local = false;
        server.public_host = "gpu03.lab".to_owned();
        assert_eq!(open(&server), [7890]);
    }
}
