//! One connection to the directory, and its requests.

use ldap3::controls::RawControl;
use ldap3::{Ldap, LdapConnAsync, LdapError, LdapResult, Scope, SearchEntry, SearchOptions};
use tokio::task::JoinSet;

use super::failure::Failure;
use super::model::{Bound, LdapStep, Step, policy_error};
use super::server::{Patience, Server, tls_trouble};

const PASSWORD_POLICY: &str = "1.3.6.1.4.1.42.2.27.8.5.1";

const NO_SUCH_OBJECT: u32 = 32;
const SIZE_LIMIT: u32 = 4;

/// Open until it is dropped.
pub(super) struct Connection {
    ldap: Ldap,
    patience: Patience,
    /// Reads and writes; ends with this.
    _driver: JoinSet<()>,
}

impl Connection {
    /// Connects, with TLS where the settings ask for it.
    pub(super) async fn open(server: &Server, steps: &mut Vec<LdapStep>) -> Result<Self, Failure> {
        let patience = Patience::new();
        let stream = server.connect(patience).await?;
        steps.push(LdapStep::done(Step::Connect, format!("已连接 {}", server.url)));
        let settings =
            server.settings(stream).map_err(|error| Failure::unreachable(Step::Connect, error.to_string()))?;
        let opening = LdapConnAsync::from_url_with_settings(settings, &server.url);
        let opened = patience.within(Step::Tls, opening).await?;
        let (connection, ldap) = opened.map_err(|error| Failure::refused(Step::Tls, tls_trouble(&error)))?;
        if server.is_secure() {
            steps.push(LdapStep::done(Step::Tls, "TLS 已建立，证书可信"));
        }
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            if let Err(error) = connection.drive().await {
                tracing::debug!(%error, "the connection to the directory broke");
            }
        });
        Ok(Self { ldap, patience, _driver: driver })
    }

    /// Binds. Never sends an empty password: directories accept it as an anonymous bind.
    pub(super) async fn bind(&mut self, dn: &str, password: &str) -> Result<(Bound, LdapResult), Failure> {
        if password.is_empty() {
            return Err(Failure::refused(Step::Bind, "密码为空"));
        }
        let asked = RawControl { ctype: PASSWORD_POLICY.to_owned(), crit: false, val: None };
        let answer = self.ldap.with_controls(asked).simple_bind(dn, password);
        let result = self.patience.within(Step::Bind, answer).await?.map_err(|error| lost(Step::Bind, &error))?;
        let control = result.ctrls.iter().find(|control| control.1.ctype == PASSWORD_POLICY);
        let policy = control.and_then(|control| policy_error(control.1.val.as_deref()?));
        Ok((Bound::read(result.rc, &result.text, policy), result))
    }

    /// The first entries, at most `most`, that match a filter.
    pub(super) async fn search(
        &mut self,
        step: Step,
        base: &str,
        scope: Scope,
        filter: &str,
        attributes: &[&str],
        most: u8,
    ) -> Result<Searched, Failure> {
        let options = SearchOptions::new().sizelimit(i32::from(most));
        let asking = self.ldap.with_search_options(options).streaming_search(base, scope, filter, attributes);
        let mut answers = self.patience.within(step, asking).await?.map_err(|error| lost(step, &error))?;
        let mut found = Vec::new();
        // A directory need not heed the limit.
        while found.len() < usize::from(most) {
            let next = self.patience.within(step, answers.next()).await?.map_err(|error| lost(step, &error))?;
            let Some(entry) = next else { break };
            if !entry.is_ref() && !entry.is_intermediate() {
                found.push(SearchEntry::construct(entry));
            }
        }
        if !found.is_empty() {
            return Ok(Searched::Found(found));
        }
        let result = answers.finish().await;
        match result.rc {
            0 | SIZE_LIMIT => Ok(Searched::Found(found)),
            NO_SUCH_OBJECT => Ok(Searched::NoBase),
            _ => Err(Failure::refused(step, format!("目录服务拒绝了查找：{}", words(&result)))),
        }
    }
}

/// The outcome of a search.
pub(super) enum Searched {
    Found(Vec<SearchEntry>),
    /// The place to look in is not there, or not to be seen by the bind account.
    NoBase,
}

/// The message of a result, for administrators.
pub(super) fn words(result: &LdapResult) -> String {
    if result.text.is_empty() {
        format!("结果码 {}", result.rc)
    } else {
        format!("{}（结果码 {}）", result.text, result.rc)
    }
}

fn lost(step: Step, error: &LdapError) -> Failure {
    match error {
        LdapError::FilterParsing => Failure::refused(step, "过滤条件的写法不正确"),
        _ => Failure::unreachable(step, "目录服务断开了连接"),
    }
}
