//! Who makes a change: what handlers of changes take, and what is recorded with each change.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use db_kit::Tx;
use http::request::Parts;
use http_kit::{Administrator, ApiError, ApiResult, ClientAddress, SignedIn};
use kernel::{Actor, Timestamp};

use super::model::Operation;
use super::store;
use crate::Portal;

/// The signed-in person who makes a change, the address of the request, and its time.
#[derive(Clone, Debug)]
pub(crate) struct Acting {
    pub(crate) actor: Actor,
    pub(crate) address: IpAddr,
    pub(crate) at: Timestamp,
}

impl Acting {
    /// An entry of the log: `target` by a name that people know, `detail` in Chinese.
    pub(crate) fn operation(
        &self,
        action: &'static str,
        target: impl Into<String>,
        detail: impl Into<String>,
    ) -> Operation<'_> {
        let (address, target, detail) = (self.address.to_string(), target.into(), detail.into());
        Operation { actor: &self.actor, address, action, target, detail }
    }

    /// Records a change in the transaction that makes it.
    pub(crate) async fn record(
        &self,
        tx: &Tx,
        action: &'static str,
        target: impl Into<String>,
        detail: impl Into<String>,
    ) -> ApiResult<()> {
        store::record(tx, self.at, self.operation(action, target, detail)).await
    }

    fn of(actor: Actor, parts: &Parts, portal: &Portal) -> Self {
        Self { actor, address: ClientAddress::of_request(parts).0, at: portal.now() }
    }
}

impl FromRequestParts<Portal> for Acting {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, portal: &Portal) -> ApiResult<Self> {
        let SignedIn(actor) = SignedIn::from_request_parts(parts, portal).await?;
        Ok(Self::of(actor, parts, portal))
    }
}

/// [`Acting`] where only administrators may; others get 403.
#[derive(Clone, Debug)]
pub(crate) struct ActingAdministrator(pub(crate) Acting);

impl FromRequestParts<Portal> for ActingAdministrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, portal: &Portal) -> ApiResult<Self> {
        let Administrator(actor) = Administrator::from_request_parts(parts, portal).await?;
        Ok(Self(Acting::of(actor, parts, portal)))
    }
}
