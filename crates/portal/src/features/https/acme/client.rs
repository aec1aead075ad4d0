//! HTTP to the ACME server.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Limited;
use instant_acme::{Account, AccountBuilder, BodyWrapper, BytesResponse, Error, HttpClient};
use reqwest::{Body, Certificate, Client, redirect};

use super::fault::AcmeFault;
use crate::features::https::model::AcmeServer;
use crate::reach::Reach;

const CONNECTED_WITHIN: Duration = Duration::from_secs(10);
const ANSWERED_WITHIN: Duration = Duration::from_secs(30);
/// Certificate chains are far smaller.
const MOST_BYTES: usize = 1 << 20;

/// An HTTP client that trusts the certificates of the settings.
#[derive(Clone, Debug)]
pub(super) struct AcmeClient {
    client: Client,
    reach: Reach,
}

impl AcmeClient {
    pub(super) fn new(server: &AcmeServer, reach: Reach) -> Result<Self, AcmeFault> {
        let url = url::Url::parse(&server.directory).map_err(|_| AcmeFault::new("ACME 服务器的地址不对".to_owned()))?;
        reach.check(url.host().as_ref()).map_err(AcmeFault::new)?;
        let mut builder = Client::builder()
            .connect_timeout(CONNECTED_WITHIN)
            .timeout(ANSWERED_WITHIN)
            .redirect(redirect::Policy::none())
            .https_only(true)
            .no_proxy()
            .user_agent(concat!("YunLab/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(reach));
        if !server.ca_certificate.is_empty() {
            let trusted = Certificate::from_pem_bundle(server.ca_certificate.as_bytes());
            let trusted = trusted.map_err(|_| AcmeFault::new("填写的根证书不是 PEM 格式的证书".to_owned()))?;
            builder = builder.tls_certs_only(trusted);
        }
        let client = builder.build().map_err(|error| AcmeFault::new(format!("不能建立连接：{error}")))?;
        Ok(Self { client, reach })
    }

    pub(super) fn builder(&self) -> AccountBuilder {
        Account::builder_with_http(Box::new(self.clone()))
    }
}

impl HttpClient for AcmeClient {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let Self { client, reach } = self.clone();
        Box::pin(async move {
            let other = |error: reqwest::Error| Error::Other(Box::new(error));
            let request = reqwest::Request::try_from(request.map(Body::wrap)).map_err(other)?;
            // The server itself names the addresses for all but its directory.
            reach.check(request.url().host().as_ref()).map_err(|words| Error::Other(words.into()))?;
            let response = client.execute(request).await.map_err(other)?;
            let response = http::Response::<Body>::from(response);
            Ok(BytesResponse::from(response.map(|body| Limited::new(body, MOST_BYTES))))
        })
    }
}
