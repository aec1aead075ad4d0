//! Where a cluster is reached, and as which account.

use std::fmt;
use std::time::Duration;

use kernel::Secret;
use kube::config::{AuthInfo, Kubeconfig};
use kube::{Client, Config};

use crate::{Error, Invalid, Result};

/// How a cluster is reached.
#[derive(Clone)]
pub enum KubernetesAddress {
    /// The text of a kubeconfig, of which the current context counts. Everything that it names must be in it: programs
    /// and files of this machine are never used.
    Kubeconfig(Secret),
    /// A URL, the authority that signed its certificate (PEM), and a token.
    Token { server: String, ca: String, token: Secret },
    /// The account of the pod that this program runs in.
    Own,
}

impl fmt::Debug for KubernetesAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kubeconfig(_) => "Kubeconfig",
            Self::Token { .. } => "Token",
            Self::Own => "Own",
        })
    }
}

/// Time for a connection.
const CONNECT: Duration = Duration::from_secs(5);

impl KubernetesAddress {
    /// The settings for a client.
    ///
    /// # Errors
    /// What can't be read or is not allowed.
    pub(super) fn config(&self) -> Result<Config> {
        let mut config = match self {
            Self::Kubeconfig(text) => from_kubeconfig(text.expose())?,
            Self::Token { server, ca, token } => from_token(server, ca, token)?,
            Self::Own => Config::incluster().map_err(|error| Error::Failed(format!("no account of a pod: {error}")))?,
        };
        config.connect_timeout = Some(CONNECT);
        // Watches and programs are silent for hours; each call has a limit of its own.
        (config.read_timeout, config.write_timeout) = (None, None);
        Ok(config)
    }

    /// A client. Needs a runtime of tokio, for the task behind it.
    pub(super) fn client(&self) -> Result<Client> {
        Client::try_from(self.config()?).map_err(super::error::from_kube)
    }
}

fn from_kubeconfig(text: &str) -> Result<Config> {
    let invalid = |why| Invalid::new("kubeconfig", "", why);
    // Its errors quote the text, which has keys.
    let mut all = Kubeconfig::from_yaml(text).map_err(|_| invalid("can't be read"))?;
    let current = all.current_context.clone().filter(|name| !name.is_empty());
    let current = current.ok_or_else(|| invalid("has no current context"))?;
    all.contexts.retain(|one| one.name == current);
    let context = all.contexts.first().and_then(|one| one.context.clone());
    let context = context.ok_or_else(|| invalid("does not have its current context"))?;
    all.clusters.retain(|one| one.name == context.cluster);
    all.auth_infos.retain(|one| Some(&one.name) == context.user.as_ref());
    let cluster = all.clusters.first().and_then(|one| one.cluster.as_ref());
    let cluster = cluster.ok_or_else(|| invalid("does not have the cluster of its context"))?;
    if cluster.certificate_authority.is_some() {
        return Err(invalid("names a file of a certificate authority; it must have the certificate in it").into());
    }
    if cluster.insecure_skip_tls_verify == Some(true) {
        return Err(invalid("leaves the server's certificate unchecked").into());
    }
    if !cluster.server.as_deref().unwrap_or_default().starts_with("https://") {
        return Err(invalid("has no server with https").into());
    }
    if cluster.proxy_url.is_some() {
        return Err(invalid("names a proxy").into());
    }
    if let Some(account) = all.auth_infos.first().and_then(|one| one.auth_info.as_ref()) {
        check_account(account)?;
    }
    Ok(Config::try_from(all).map_err(|_| invalid("has certificates that can't be read"))?)
}

fn check_account(account: &AuthInfo) -> Result<(), Invalid> {
    let invalid = |why| Err(Invalid::new("kubeconfig", "", why));
    if account.exec.is_some() || account.auth_provider.is_some() {
        return invalid("runs a program to sign in; it must have a token or a certificate in it");
    }
    if account.token_file.is_some() || account.client_certificate.is_some() || account.client_key.is_some() {
        return invalid("names files of keys; it must have them in it");
    }
    Ok(())
}

fn from_token(server: &str, ca: &str, token: &Secret) -> Result<Config> {
    let uri: http::Uri = server.parse().map_err(|_| Invalid::new("server", server, "is no URL"))?;
    if uri.scheme_str() != Some("https") {
        return Err(Invalid::new("server", server, "must begin with https://").into());
    }
    let mut config = Config::new(uri);
    config.root_cert = Some(certificates(ca)?);
    config.auth_info = AuthInfo { token: Some(token.expose().to_owned().into()), ..AuthInfo::default() };
    Ok(config)
}

fn certificates(pem: &str) -> Result<Vec<Vec<u8>>, Invalid> {
    let blocks = x509_parser::pem::Pem::iter_from_buffer(pem.as_bytes());
    let blocks: Result<Vec<_>, _> = blocks.map(|block| block.map(|block| block.contents)).collect();
    let found = blocks.ok().filter(|blocks| !blocks.is_empty());
    found.ok_or_else(|| Invalid::new("certificate authority", "", "has no certificate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubeconfig(cluster: &str, account: &str) -> Result<Config> {
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: lab\ncontexts: [{{name: lab, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{{cluster}}}}}]\nusers: [{{name: u, user: {{{account}}}}}]\n"
        );
        KubernetesAddress::Kubeconfig(Secret::new(text)).config()
    }

    #[test]
    fn a_kubeconfig_runs_nothing_and_reads_no_files() {
        let fine = kubeconfig("server: 'https://lab:6443'", "token: secret").expect("it is read");
        assert_eq!((fine.cluster_url.to_string(), fine.read_timeout), ("https://lab:6443/".to_owned(), None));
        for (cluster, account) in [
            ("server: 'http://lab:6443'", "token: x"),
            ("server: 'https://lab:6443', insecure-skip-tls-verify: true", "token: x"),
            ("server: 'https://lab:6443', certificate-authority: /etc/ca.pem", "token: x"),
            ("server: 'https://lab:6443', proxy-url: 'http://proxy'", "token: x"),
            ("server: 'https://lab:6443'", "tokenFile: /etc/shadow"),
            ("server: 'https://lab:6443'", "client-certificate: /x, client-key: /y"),
            ("server: 'https://lab:6443'", "exec: {apiVersion: client.authentication.k8s.io/v1, command: touch}"),
            ("server: 'https://lab:6443'", "auth-provider: {name: gcp, config: {}}"),
        ] {
            let refused = kubeconfig(cluster, account);
            assert!(matches!(refused, Err(Error::Invalid(_))), "{cluster} {account}: {refused:?}");
        }
        for text in ["", "{}", "current-context: x", "token: sec\tret: ["] {
            let refused = KubernetesAddress::Kubeconfig(Secret::new(text)).config().expect_err("nothing to use");
            assert!(!refused.to_string().contains("ret:"), "{refused}");
        }
    }
}
