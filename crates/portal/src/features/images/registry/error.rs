//! Errors of requests to a registry.

use http_kit::ApiError;
use kernel::ErrorKind;

use crate::unreached;

/// As far as callers act on it differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum RegistryError {
    /// It does not answer, or not in time; the reason in Chinese.
    Unreachable(String),
    /// It wants other credentials.
    Unauthorized,
    /// There is no such repository, tag or manifest.
    Missing,
    /// It is set up not to delete.
    NoDeletion,
    /// The answer is not one of a registry, or too large; the reason in Chinese.
    Strange(String),
}

impl RegistryError {
    pub(super) fn strange(what: impl Into<String>) -> Self {
        Self::Strange(what.into())
    }
}

impl From<reqwest::Error> for RegistryError {
    fn from(error: reqwest::Error) -> Self {
        if error.is_redirect() {
            return Self::strange("它转到了另一台主机");
        }
        // Not the URL, which the reader knows and which may hold a password.
        Self::Unreachable(unreached::reason(&error.without_url()))
    }
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        let unavailable = |code, message: String| Self::new(ErrorKind::Unavailable, code, message);
        match error {
            RegistryError::Missing => Self::not_found("镜像"),
            RegistryError::Unauthorized => {
                unavailable("registry_unauthorized", "镜像仓库拒绝访问，请联系管理员检查仓库账号".to_owned())
            }
            RegistryError::Unreachable(words) => {
                unavailable("registry_unreachable", format!("镜像仓库暂时无法访问：{words}"))
            }
            RegistryError::NoDeletion => unavailable("registry_no_deletion", "镜像仓库未开启删除功能".to_owned()),
            RegistryError::Strange(words) => unavailable("registry_strange", format!("镜像仓库的应答不正确：{words}")),
        }
    }
}
