//! The calls of a registry.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::ImageRef;
use http::header::{ACCEPT, CONTENT_TYPE, LINK, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, StatusCode};
use kernel::Secret;
use reqwest::{Client, RequestBuilder, Response, redirect};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use url::Url;

use super::error::RegistryError;
use super::manifest::{Configuration, Described, LIST, List, Manifest, Platform, SINGLE, described};
use super::token::{Challenge, Token};
use crate::reach::Reach;
use crate::unreached;

type Result<T> = std::result::Result<T, RegistryError>;

const CONNECTED_WITHIN: Duration = Duration::from_secs(3);
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);
/// The specification of registries has every client take manifests of this size.
const MOST_BYTES: usize = 4 << 20;
/// Names requested per page; registries may return fewer.
const NAMES_A_PAGE: usize = 1000;
const MOST_PAGES: usize = 20;
const MOST_REDIRECTIONS: usize = 3;

/// The account that requests are made with.
#[derive(Clone, Debug)]
pub(in super::super) struct Account {
    pub(in super::super) username: String,
    pub(in super::super) password: Secret,
}

/// A registry at an address.
#[derive(Clone, Debug)]
pub(in super::super) struct Registry {
    http: Client,
    base: Url,
    account: Option<Account>,
}

struct Answer {
    headers: HeaderMap,
    body: Vec<u8>,
}

#[derive(Deserialize)]
struct Catalog {
    repositories: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Tags {
    tags: Option<Vec<String>>,
}

/// Returns the host and port of a registry's URL, or `None` if the text is not a URL.
pub(in super::super) fn host_of(address: &str) -> Option<String> {
    Url::parse(address).ok().map(|url| host_and_port(&url))
}

fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl Registry {
    /// Makes a client; sends nothing yet.
    ///
    /// # Errors
    /// If the address is not a URL, or if [`Reach`] refuses its host.
    pub(in super::super) fn new(address: &str, account: Option<Account>, reach: Reach) -> Result<Self> {
        let base = Url::parse(address).map_err(wrong_url)?;
        reach.check(base.host().as_ref()).map_err(RegistryError::Unreachable)?;
        Ok(Self { http: client(reach)?, base, account })
    }

    /// The same client with this account.
    pub(in super::super) fn with_account(self, account: Option<Account>) -> Self {
        Self { account, ..self }
    }

    /// Its host and port, with which its images' names begin.
    pub(in super::super) fn host(&self) -> String {
        host_and_port(&self.base)
    }

    /// All repositories by name, 20 000 at most.
    pub(in super::super) async fn catalog(&self) -> Result<Vec<String>> {
        let names = self.pages("/v2/_catalog", |page: Catalog| page.repositories.unwrap_or_default()).await?;
        let mut names: Vec<String> = names.into_iter().filter(|name| is_repository(name)).collect();
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// The tags of a repository.
    pub(in super::super) async fn tags(&self, repository: &str) -> Result<Vec<String>> {
        let path = format!("/v2/{repository}/tags/list");
        let tags = self.pages(&path, |page: Tags| page.tags.unwrap_or_default()).await?;
        Ok(tags.into_iter().filter(|tag| format!("x:{tag}").parse::<ImageRef>().is_ok()).collect())
    }

    /// Describes an image: its manifest's digest, its platforms if there are several, and the image of one of them.
    /// `reference` is a tag or a digest.
    pub(in super::super) async fn describe(
        &self,
        repository: &str,
        reference: &str,
    ) -> Result<(String, Vec<Platform>, Described)> {
        let (digest, kind, body) = self.manifest(repository, reference).await?;
        let (platforms, body) = if LIST.contains(&kind.as_str()) {
            let (chosen, platforms) = parse::<List>(&body)?.choose()?;
            let (_, kind, body) = self.manifest(repository, &chosen.digest).await?;
            if !SINGLE.contains(&kind.as_str()) {
                return Err(RegistryError::strange("清单里还是清单"));
            }
            (platforms, body)
        } else {
            (Vec::new(), body)
        };
        let manifest: Manifest = parse(&body)?;
        let path = format!("/v2/{repository}/blobs/{}", checked(&manifest.config.digest)?);
        let configuration = self.get(&path, &["*/*"]).await?.body;
        if sha256(&configuration) != manifest.config.digest {
            return Err(RegistryError::strange("收到的镜像配置与摘要不符"));
        }
        Ok((digest, platforms, described(manifest, parse::<Configuration>(&configuration)?)))
    }

    /// Deletes an image by its manifest's digest; a missing one counts as deleted.
    pub(in super::super) async fn delete(&self, repository: &str, digest: &str) -> Result<()> {
        let path = format!("/v2/{repository}/manifests/{}", checked(digest)?);
        match self.ask(Method::DELETE, self.url(&path)?, &[]).await {
            Ok(_) | Err(RegistryError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Digest, type and bytes of a manifest.
    async fn manifest(&self, repository: &str, reference: &str) -> Result<(String, String, Vec<u8>)> {
        if reference.contains(':') {
            checked(reference)?;
        }
        let accepted = [SINGLE, LIST].concat();
        let answer = self.get(&format!("/v2/{repository}/manifests/{reference}"), &accepted).await?;
        let kind = media_type(&answer.headers);
        if !accepted.contains(&kind.as_str()) {
            return Err(RegistryError::strange(format!("不认识的清单类型 {kind:?}")));
        }
        let digest = sha256(&answer.body);
        if reference.contains(':') && reference != digest {
            return Err(RegistryError::strange("收到的清单与摘要不符"));
        }
        Ok((digest, kind, answer.body))
    }

    async fn pages<T: DeserializeOwned>(&self, path: &str, names: impl Fn(T) -> Vec<String>) -> Result<Vec<String>> {
        let mut url = self.url(path)?;
        url.query_pairs_mut().append_pair("n", &NAMES_A_PAGE.to_string());
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let answer = self.answer(Method::GET, url.clone(), &["application/json"]).await?;
            if media_type(&answer.headers) != "application/json" {
                return Err(RegistryError::strange("列表不是 JSON，这个地址可能不是镜像仓库"));
            }
            found.extend(names(parse(&answer.body)?).into_iter().take(NAMES_A_PAGE * MOST_PAGES));
            match next(&answer.headers, &url)? {
                Some(further) if further != url => url = further,
                _ => break,
            }
        }
        found.truncate(NAMES_A_PAGE * MOST_PAGES);
        Ok(found)
    }

    async fn get(&self, path: &str, accepted: &[&str]) -> Result<Answer> {
        self.answer(Method::GET, self.url(path)?, accepted).await
    }

    async fn answer(&self, method: Method, url: Url, accepted: &[&str]) -> Result<Answer> {
        let response = self.ask(method, url, accepted).await?;
        let headers = response.headers().clone();
        Ok(Answer { headers, body: body(response).await? })
    }

    /// Sends a request, again with a token if the registry asks for one.
    async fn ask(&self, method: Method, url: Url, accepted: &[&str]) -> Result<Response> {
        let request = || {
            let request = self.http.request(method.clone(), url.clone());
            accepted.iter().fold(request, |request, kind| request.header(ACCEPT, *kind))
        };
        let response = self.as_account(request()).send().await?;
        if response.status() != StatusCode::UNAUTHORIZED {
            return fine(response);
        }
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        let challenge = Challenge::read(challenge.unwrap_or_default(), &self.base)?;
        let token = self.token(challenge.ok_or(RegistryError::Unauthorized)?).await?;
        fine(request().bearer_auth(token).send().await?)
    }

    async fn token(&self, challenge: Challenge) -> Result<String> {
        let mut url = challenge.realm;
        for (name, value) in [("service", challenge.service), ("scope", challenge.scope)] {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(name, &value);
            }
        }
        let response = fine(self.as_account(self.http.get(url)).send().await?)?;
        parse::<Token>(&body(response).await?)?.text().ok_or(RegistryError::Unauthorized)
    }

    fn as_account(&self, request: RequestBuilder) -> RequestBuilder {
        match &self.account {
            Some(account) => request.basic_auth(&account.username, Some(account.password.expose())),
            None => request,
        }
    }

    fn url(&self, path: &str) -> Result<Url> {
        self.base.join(path).map_err(wrong_url)
    }
}

/// Connections and root certificates are shared by all registries.
fn client(reach: Reach) -> Result<Client> {
    static CLIENT: Mutex<Option<(Reach, Client)>> = Mutex::new(None);
    let mut kept = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, client)) = kept.as_ref().filter(|(kept, _)| *kept == reach) {
        return Ok(client.clone());
    }
    let client = Client::builder()
        .timeout(ANSWERED_WITHIN)
        .connect_timeout(CONNECTED_WITHIN)
        .redirect(redirect::Policy::custom(same_host))
        .no_proxy()
        .dns_resolver(Arc::new(reach))
        .build()?;
    *kept = Some((reach, client.clone()));
    Ok(client)
}

async fn body(mut response: Response) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(RegistryError::strange("应答过大"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn same_host(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let first = attempt.previous().first().map(Url::origin);
    if attempt.previous().len() > MOST_REDIRECTIONS || first.is_none_or(|first| first != attempt.url().origin()) {
        attempt.error("a redirection to another host")
    } else {
        attempt.follow()
    }
}

fn fine(response: Response) -> Result<Response> {
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(RegistryError::Unauthorized),
        StatusCode::NOT_FOUND => Err(RegistryError::Missing),
        StatusCode::METHOD_NOT_ALLOWED => Err(RegistryError::NoDeletion),
        status if status.is_server_error() => Err(RegistryError::Unreachable(code(status))),
        status => Err(RegistryError::strange(code(status))),
    }
}

fn code(status: StatusCode) -> String {
    format!("应答状态 {}", status.as_u16())
}

fn unreadable(error: &serde_json::Error) -> RegistryError {
    RegistryError::strange(unreached::original("内容看不懂", &error.to_string()))
}

fn wrong_url(error: url::ParseError) -> RegistryError {
    RegistryError::strange(unreached::original("地址不正确", &error.to_string()))
}

/// The address of the next page, which must be on the same host.
fn next(headers: &HeaderMap, url: &Url) -> Result<Option<Url>> {
    let Some(link) = headers.get(LINK).and_then(|value| value.to_str().ok()) else { return Ok(None) };
    let Some((target, relation)) = link.trim().trim_start_matches('<').split_once('>') else { return Ok(None) };
    if !relation.contains("next") {
        return Ok(None);
    }
    let further = url.join(target).map_err(wrong_url)?;
    if further.origin() == url.origin() {
        Ok(Some(further))
    } else {
        Err(RegistryError::strange("列表的下一页在另一台主机上"))
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| unreadable(&error))
}

fn is_repository(name: &str) -> bool {
    name.parse::<ImageRef>().is_ok_and(|image| image.repository() == name && image.tag().is_none())
}

/// Validates a digest before it becomes part of a URL.
fn checked(digest: &str) -> Result<&str> {
    match digest.parse::<ImageRef>() {
        Ok(image) if image.repository().is_empty() => Ok(digest),
        _ => Err(RegistryError::strange("摘要的格式不正确")),
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}
