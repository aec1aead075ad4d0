//! Bearer tokens that registries such as Harbor require: `WWW-Authenticate: Bearer realm="…",service="…"`.

use serde::Deserialize;
use url::Url;

use super::error::RegistryError;

/// Address and scope of a token service.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) realm: Url,
    pub(super) service: Option<String>,
    pub(super) scope: Option<String>,
}

/// The token service's answer; older services name the field `token`, newer ones `access_token`.
#[derive(Deserialize)]
pub(super) struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl Token {
    pub(super) fn text(self) -> Option<String> {
        self.token.or(self.access_token)
    }
}

impl Challenge {
    /// `None` when the registry asks for another scheme than a token.
    ///
    /// # Errors
    /// When the token service is on another host: credentials must not be sent there.
    pub(super) fn read(header: &str, registry: &Url) -> Result<Option<Self>, RegistryError> {
        let Some(parameters) = header.strip_prefix("Bearer ").or_else(|| header.strip_prefix("bearer ")) else {
            return Ok(None);
        };
        let value = |name: &str| {
            let (_, rest) = parameters.split_once(&format!("{name}=\""))?;
            rest.split_once('"').map(|(value, _)| value.to_owned())
        };
        let realm = value("realm").and_then(|realm| Url::parse(&realm).ok());
        let realm = realm.ok_or_else(|| RegistryError::strange("没有说明令牌服务的地址"))?;
        if realm.origin() != registry.origin() {
            return Err(RegistryError::strange("令牌服务在另一台主机上"));
        }
        Ok(Some(Self { realm, service: value("service"), scope: value("scope") }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_service_is_on_the_same_host() {
        let registry = Url::parse("https://hub.lab").unwrap();
        let header = r#"Bearer realm="https://hub.lab/service/token",service="harbor",scope="repository:a/b:pull""#;
        let challenge = Challenge::read(header, &registry).unwrap().unwrap();
        assert_eq!(challenge.realm.as_str(), "https://hub.lab/service/token");
        assert_eq!(challenge.scope.as_deref(), Some("repository:a/b:pull"));
        assert_eq!(Challenge::read("Basic realm=\"x\"", &registry), Ok(None));
        for bad in
            [r#"Bearer realm="https://evil.example/token""#, r#"Bearer realm="http://hub.lab/token""#, "Bearer x"]
        {
            assert!(matches!(Challenge::read(bad, &registry), Err(RegistryError::Strange(_))), "{bad}");
        }
    }
}
