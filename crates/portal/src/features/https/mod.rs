//! HTTPS: the certificate for the portal's own HTTPS port, which the portal gets and renews by itself: from an ACME
//! server, or from a CA of the lab that is made here. Certificate files are the binary's (`yunlab/src/tls.rs`).
//!
//! The leading portal orders ([`renewal`]), because an order changes rows; every portal on the database serves the
//! certificate in the row ([`serving`]) and answers the challenges of an order. A failed try is repeated after longer
//! and longer pauses, which a changed setting or an administrator ends.

mod acme;
mod certificate;
mod facts;
mod http;
mod http_lab_ca;
mod lab_ca;
mod model;
mod name_check;
mod names;
mod pin;
mod profile;
mod renewal;
mod serving;
mod store;
mod store_acme;
mod store_lab_ca;

use std::sync::Arc;
use std::time::Duration;

use background::{Duty, Scope};
use http_kit::Routes;

pub(crate) use certificate::der;
pub use facts::{HttpsFacts, IssuedFiles, LabCaFacts};
pub(crate) use pin::{first_certificate, public_key_pin};
pub(crate) use renewal::{CertificateState, certificate_state, is_set_up, uses_lab_ca};
pub use serving::ServedCertificate;

use crate::Portal;
use crate::duty::PortalDuty;

/// The duty that orders certificates, activated by changes and requests.
const ORDER: &str = "https-order";
/// The duty that loads an ordered certificate.
const SERVE: &str = "https-certificate";

/// The table with the CA's key, which can sign for any name of the lab: only encrypted backups hold its rows.
pub const LAB_CA_KEYS: &str = "lab_ca_keys";

pub(crate) const DUTIES: &[PortalDuty] = &[
    PortalDuty {
        duty: Duty {
            name: ORDER,
            title: "申请和续期 HTTPS 证书",
            description: "向 ACME 服务器或实验室自己的 CA 申请证书，在有效期过去三分之二时续期",
            period: Duration::from_secs(15),
            scope: Scope::Leader,
            // By a wrong clock, a good certificate looks expired, and a new one would be valid at the wrong time.
            needs_trusted_clock: true,
        },
        run: |portal| Box::pin(async move { renewal::look(&portal).await }),
    },
    PortalDuty {
        duty: Duty {
            name: SERVE,
            title: "更换 HTTPS 证书",
            description: "有新的 HTTPS 证书时换上，不中断正在进行的连接",
            period: Duration::from_secs(15),
            scope: Scope::EveryProcess,
            needs_trusted_clock: false,
        },
        run: |portal| Box::pin(async move { portal.refresh_certificate().await }),
    },
];

pub(crate) fn routes() -> Routes<Portal> {
    http::routes().merge(http_lab_ca::routes())
}

impl Portal {
    /// The certificate that the portal keeps, as this process serves it.
    pub(crate) fn https(&self) -> &Arc<ServedCertificate> {
        self.part()
    }
}
