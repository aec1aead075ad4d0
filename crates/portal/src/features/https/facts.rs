//! The state of HTTPS for `yunlab admin doctor`, and the lab's CA for `yunlab admin`.

use anyhow::{Context, bail};
use kernel::{Secret, Timestamp};

use super::lab_ca::LabCa;
use super::model::{HttpsSettings, HttpsWay};
use super::{names, renewal, store, store_lab_ca};
use crate::Portal;
use crate::features::logs;
use crate::features::settings;

/// How HTTPS fares.
#[derive(Clone, Debug)]
pub struct HttpsFacts {
    /// The names of the certificate that the portal is to keep.
    pub names: Vec<String>,
    /// Start and end of the certificate's validity; `None` without a certificate.
    pub validity: Option<(Timestamp, Timestamp)>,
    /// When it is renewed.
    pub renew_after: Option<Timestamp>,
    /// Why the last try failed, if it did.
    pub failure: Option<String>,
    /// Whether the lab's CA is used and its key is missing.
    pub lacks_ca_key: bool,
}

/// The lab's CA.
#[derive(Clone, Debug)]
pub struct LabCaFacts {
    /// The common name.
    pub name: String,
    /// What it may sign for, beside private addresses.
    pub names: Vec<String>,
    /// SHA-256, as browsers show it.
    pub fingerprint: String,
    /// When it ends.
    pub not_after: Timestamp,
    /// PEM.
    pub certificate: String,
}

/// A certificate for another service of the lab.
#[derive(Clone, Debug)]
pub struct IssuedFiles {
    /// PEM: the certificate, then the CA's.
    pub chain: String,
    /// PEM.
    pub key: Secret,
}

impl From<LabCa> for LabCaFacts {
    fn from(ca: LabCa) -> Self {
        let LabCa { name, names, fingerprint, not_after, certificate, .. } = ca;
        Self { name, names, fingerprint, not_after, certificate }
    }
}

impl Portal {
    /// Orders a certificate if one is due.
    ///
    /// # Errors
    /// When the order fails, in words for administrators, or the database does.
    pub async fn order_certificate_if_due(&self) -> anyhow::Result<()> {
        renewal::look(self).await
    }

    /// How HTTPS fares; `None` where the portal keeps no certificate.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn https_facts(&self) -> anyhow::Result<Option<HttpsFacts>> {
        let settings = store::settings(self.db(), self.seal()).await?;
        let Some(state) = renewal::certificate_state(self).await? else { return Ok(None) };
        let stored = store::certificate(self.db()).await?;
        let lacks_ca_key = settings.way == HttpsWay::LabCa
            && match store_lab_ca::find(self.db()).await? {
                Some(ca) => store_lab_ca::key(self.db(), self.seal(), &ca.serial).await?.is_none(),
                None => true,
            };
        Ok(Some(HttpsFacts {
            names: settings.names,
            validity: state.validity,
            renew_after: stored.map(|found| found.renew_after),
            failure: (state.failures > 0).then_some(state.error),
            lacks_ca_key,
        }))
    }

    /// The lab's CA, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lab_ca(&self) -> anyhow::Result<Option<LabCaFacts>> {
        Ok(store_lab_ca::find(self.db()).await?.map(LabCaFacts::from))
    }

    /// Makes a CA for these names, and has the portal use a certificate of it.
    ///
    /// # Errors
    /// When a name is invalid or a public suffix, or a CA exists and is not to be replaced.
    pub async fn init_lab_ca(&self, texts: &[String], replace: bool) -> anyhow::Result<LabCaFacts> {
        let names = names::all(texts).map_err(anyhow::Error::msg)?;
        names::check_for_ca(&names, &background::host_name()).map_err(anyhow::Error::msg)?;
        let tx = self.db().begin().await?;
        tx.serialize("https").await?;
        if store_lab_ca::find(&tx).await?.is_some() && !replace {
            bail!("已经有实验室的 CA（yunlab admin ca show）。要换掉它，加上 --replace；之后所有人都要重新安装");
        }
        let product = settings::read(&tx).await?.basic.product_name;
        let made = renewal::make_ca(self, &tx, &product, &names).await?;
        let kept = store::settings(&tx, self.seal()).await?;
        let wanted = HttpsSettings { way: HttpsWay::LabCa, names: names.clone(), ..kept };
        store::put_settings(&tx, self.seal(), &wanted).await?;
        store::put_tries(&tx, &Default::default()).await?;
        logs::record_local(&tx, self.now(), "https.lab_ca", &made.ca.name, &made.ca.fingerprint).await?;
        tx.commit().await?;
        Ok(made.ca.into())
    }

    /// Has the lab's CA sign a certificate for another service, such as a storage host.
    ///
    /// # Errors
    /// When there is no CA, or it may not sign for a name.
    pub async fn issue_from_lab_ca(&self, texts: &[String]) -> anyhow::Result<IssuedFiles> {
        let names = names::all(texts).map_err(anyhow::Error::msg)?;
        let ca = store_lab_ca::find(self.db()).await?;
        let ca = ca.context("还没有实验室的 CA，先运行 yunlab admin ca init")?;
        let key = store_lab_ca::key(self.db(), self.seal(), &ca.serial).await?;
        let key = key.context("数据库里没有 CA 的私钥：未加密的备份不含它")?;
        let leaf = ca.sign(&key, &names, self.now())?;
        let tx = self.db().begin().await?;
        logs::record_local(&tx, self.now(), "https.issue", &ca.name, &names.join("、")).await?;
        tx.commit().await?;
        Ok(IssuedFiles { chain: leaf.chain, key: leaf.key })
    }
}
