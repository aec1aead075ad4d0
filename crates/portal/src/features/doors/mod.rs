//! The doors to instances for programs on people's own computers: what the SSH gateway (`crates/ssh-gateway`) asks of the
//! lab. Rights are those of terminals, asked again as long as a connection is open; instances are reached by the cluster's
//! `run` alone, so that every driver has this for nothing.

mod guest;
mod host_key;
mod http;
mod lab;
mod refusal;
mod store;

use std::sync::{Arc, OnceLock};

pub(crate) use http::routes;

use crate::Portal;

/// The port at which the gateway of this process answers.
#[derive(Debug, Default)]
pub(crate) struct SshPort(OnceLock<u16>);

impl Portal {
    /// The lab as the SSH gateway sees it.
    #[must_use]
    pub fn ssh_lab(&self) -> Arc<dyn ssh_gateway::Lab> {
        Arc::new(lab::SshLab(self.clone()))
    }

    /// Notes that the SSH gateway answers at this port. The first call counts.
    pub fn listens_for_ssh(&self, port: u16) {
        let _ = self.part::<SshPort>().0.set(port);
    }

    fn ssh_port(&self) -> Option<u16> {
        self.part::<SshPort>().0.get().copied()
    }
}
