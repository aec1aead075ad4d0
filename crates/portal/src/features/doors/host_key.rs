//! The gateway's host key: made once, sealed in the database, so that every portal on it and every restored backup has the
//! same.

use anyhow::Context;
use ssh_gateway::HostKey;

use super::store;
use crate::Portal;

/// What it is sealed for.
const PLACE: &str = "ssh-host-key";

impl Portal {
    /// The SSH gateway's host key, made when it is first asked for.
    ///
    /// # Errors
    /// When the database fails, or the key was sealed with another sealing key.
    pub async fn ssh_host_key(&self) -> anyhow::Result<HostKey> {
        if let Some(sealed) = store::host_key(self.db()).await? {
            return self.open_host_key(&sealed);
        }
        let text = HostKey::generate()?.to_text()?;
        let sealed = self.seal().close(PLACE, &text).map_err(anyhow::Error::new)?;
        let tx = self.db().begin().await?;
        store::put_host_key(&tx, &sealed, self.now()).await?;
        tx.commit().await?;
        // Another portal may have been faster.
        let kept = store::host_key(self.db()).await?.context("the SSH host key was not kept")?;
        self.open_host_key(&kept)
    }

    fn open_host_key(&self, sealed: &str) -> anyhow::Result<HostKey> {
        let text = self.seal().open(PLACE, sealed).map_err(anyhow::Error::new).context("opening the SSH host key")?;
        HostKey::parse(text.expose()).context("reading the SSH host key")
    }
}
