//! Request bodies that create or change a user: the envelope, the fields, and their validation.

use std::collections::BTreeSet;

use http_kit::{ApiError, ApiResult, FieldProblem};
use kernel::{Role, Secret, rules};
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::check::Check;
use crate::common_passwords::is_common;
use crate::features::settings::{LocalSettings, Quotas};

/// Fields that a user may change about themselves.
pub(crate) const OWN_FIELDS: &[&str] = &["name", "email", "phone", "avatar", "introduction"];

const AVATAR_BYTES: usize = 64 * 1024;

/// The fields of a user as they come in; each may be left out.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserFields {
    pub(crate) username: Option<String>,
    #[schema(value_type = Option<String>, format = Password, write_only)]
    pub(super) password: Option<Secret>,
    /// Only for new users: the first sign-in must choose another password; false when left out.
    #[serde(rename = "mustChangePassword")]
    #[schema(write_only)]
    pub(super) must_change_password: Option<bool>,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) phone: Option<String>,
    pub(crate) role: Option<Role>,
    pub(super) avatar: Option<String>,
    pub(super) introduction: Option<String>,
    pub(crate) active: Option<bool>,
    #[serde(rename = "instanceLimit")]
    pub(super) instance_limit: Option<i64>,
    #[serde(rename = "instanceLimitOffset")]
    pub(super) instance_limit_offset: Option<i64>,
    #[serde(rename = "GPUNumlimit")]
    pub(super) gpu_limit: Option<i64>,
    #[serde(rename = "CPUPeriodQuota")]
    pub(super) cpu_quota: Option<i64>,
    #[serde(rename = "memoryLimit")]
    pub(super) memory_limit: Option<i64>,
    #[serde(rename = "diskQuota")]
    pub(super) disk_quota: Option<i64>,
    #[serde(rename = "groupLeader")]
    pub(super) group_leader: Option<bool>,
    /// The groups to be in; leaving out keeps them.
    pub(super) groups: Option<Vec<i64>>,
}

/// Quotas to be set; missing ones stay as they are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuotaChange {
    pub(crate) instance_limit: Option<i64>,
    pub(crate) instance_limit_offset: Option<i64>,
    pub(crate) gpu_limit: Option<i64>,
    pub(crate) cpu_quota: Option<i64>,
    pub(crate) memory_limit: Option<i64>,
    pub(crate) disk_quota: Option<i64>,
}

impl QuotaChange {
    /// Sets all of them.
    pub(super) fn all(quotas: Quotas) -> Self {
        Self {
            instance_limit: Some(quotas.instance_limit),
            instance_limit_offset: Some(quotas.instance_limit_offset),
            gpu_limit: Some(quotas.gpu_limit),
            cpu_quota: Some(quotas.cpu_quota),
            memory_limit: Some(quotas.memory_limit),
            disk_quota: Some(quotas.disk_quota),
        }
    }
}

impl From<QuotaChange> for UserFields {
    fn from(change: QuotaChange) -> Self {
        Self {
            instance_limit: change.instance_limit,
            instance_limit_offset: change.instance_limit_offset,
            gpu_limit: change.gpu_limit,
            cpu_quota: change.cpu_quota,
            memory_limit: change.memory_limit,
            disk_quota: change.disk_quota,
            ..Self::default()
        }
    }
}

/// The envelope `{"what":"user","which":[…],"data":{…}}`.
#[derive(Clone, Debug, ToSchema)]
#[expect(dead_code, reason = "describes the envelope in the API document; UserPayload is read from either form")]
pub(crate) struct UserEnvelope {
    what: UserWord,
    /// The fields to take from `data`, or `all`.
    which: Vec<String>,
    data: UserFields,
}

/// `user`.
#[derive(Clone, Copy, Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "describes the envelope in the API document")]
pub(crate) enum UserWord {
    User,
}

/// A user to make or change: the envelope, or the bare fields, which means all of them.
#[derive(Clone, Debug)]
pub(crate) struct UserPayload {
    pub(crate) fields: UserFields,
    /// Names of the fields in the request.
    pub(crate) names: BTreeSet<String>,
}

impl PartialSchema for UserPayload {
    fn schema() -> RefOr<Schema> {
        OneOfBuilder::new().item(Ref::from_schema_name("UserEnvelope")).item(Ref::from_schema_name("UserFields")).into()
    }
}

impl ToSchema for UserPayload {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for (name, schema) in [
            ("UserEnvelope", UserEnvelope::schema()),
            ("UserFields", UserFields::schema()),
            ("UserWord", UserWord::schema()),
            ("Role", Role::schema()),
        ] {
            schemas.push((name.to_owned(), schema));
        }
    }
}

impl<'de> Deserialize<'de> for UserPayload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Value::Object(mut object) = Value::deserialize(deserializer)? else {
            return Err(D::Error::custom("invalid type: expected an object"));
        };
        if object.contains_key("what") {
            return Self::from_envelope(object).map_err(D::Error::custom);
        }
        object.retain(|_, value| !value.is_null());
        Self::from_fields(object).map_err(D::Error::custom)
    }
}

impl UserPayload {
    fn from_fields(object: serde_json::Map<String, Value>) -> Result<Self, String> {
        let names = object.keys().cloned().collect();
        let fields = serde_path_to_error::deserialize(Value::Object(object))
            .map_err(|error| format!("{}: {}", error.path(), error.inner()))?;
        Ok(Self { fields, names })
    }

    fn from_envelope(mut envelope: serde_json::Map<String, Value>) -> Result<Self, String> {
        if envelope.remove("what") != Some(Value::from("user")) {
            return Err("invalid value: what must be \"user\"".to_owned());
        }
        let which = envelope.remove("which").unwrap_or_else(|| Value::from(vec!["all"]));
        let which: Vec<String> = serde_json::from_value(which).map_err(|error| format!("which: {error}"))?;
        let Some(Value::Object(data)) = envelope.remove("data") else {
            return Err("missing field `data`".to_owned());
        };
        if let Some(unknown) = envelope.keys().next() {
            return Err(format!("unknown field `{unknown}`"));
        }
        if which.iter().any(|name| name == "all") {
            return Self::from_fields(data.into_iter().filter(|(_, value)| !value.is_null()).collect());
        }
        if let Some(absent) = which.iter().find(|name| !data.contains_key(*name)) {
            return Err(format!("missing field `{absent}`"));
        }
        Self::from_fields(data.into_iter().filter(|(name, _)| which.contains(name)).collect())
    }

    /// 422 when the request has any other field.
    pub(crate) fn only(&self, allowed: &[&str]) -> ApiResult<()> {
        let foreign = self.names.iter().filter(|name| !allowed.contains(&name.as_str()));
        let faults: Vec<FieldProblem> = foreign
            .map(|name| FieldProblem { name: name.clone(), message: "该项只能由管理员修改".to_owned() })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(ApiError::invalid(faults)) }
    }
}

impl UserFields {
    /// Trims blanks around typed values.
    pub(crate) fn trimmed(mut self) -> Self {
        // Others are no part of a name that people would type.
        if let Some(username) = &mut self.username {
            *username = username.trim_matches(' ').to_owned();
        }
        let texts = [&mut self.name, &mut self.email, &mut self.phone, &mut self.introduction];
        for text in texts.into_iter().flatten() {
            *text = text.trim().to_owned();
        }
        self
    }

    /// Whether the request has any quota.
    pub(super) fn sets_quotas(&self) -> bool {
        let counts = [self.instance_limit, self.instance_limit_offset, self.gpu_limit];
        counts.into_iter().chain([self.cpu_quota, self.memory_limit, self.disk_quota]).any(|quota| quota.is_some())
    }

    /// The quotas, with `otherwise` for missing ones.
    pub(super) fn quotas(&self, otherwise: Quotas) -> Quotas {
        Quotas {
            instance_limit: self.instance_limit.unwrap_or(otherwise.instance_limit),
            instance_limit_offset: self.instance_limit_offset.unwrap_or(otherwise.instance_limit_offset),
            gpu_limit: self.gpu_limit.unwrap_or(otherwise.gpu_limit),
            cpu_quota: self.cpu_quota.unwrap_or(otherwise.cpu_quota),
            memory_limit: self.memory_limit.unwrap_or(otherwise.memory_limit),
            disk_quota: self.disk_quota.unwrap_or(otherwise.disk_quota),
        }
    }

    /// Lists the faults of the given fields. `new` requires a username and a password.
    pub(crate) fn faults(&self, new: bool, local: LocalSettings, defaults: Quotas) -> Vec<FieldProblem> {
        let mut check = Check::default();
        if new {
            let username = self.username.as_deref().unwrap_or_default();
            check_username(&mut check, username, local.allow_underscore);
            let password = self.password.as_ref().map(Secret::expose).unwrap_or_default();
            check_password(&mut check, username, password, local, "password");
        } else {
            check
                .that(self.username.is_none(), "username", "用户名不能修改")
                .that(self.password.is_none(), "password", "请用重置密码修改")
                .that(self.must_change_password.is_none(), "mustChangePassword", "只能在新建用户时设置");
        }
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let (email, phone, avatar) = (text(&self.email), text(&self.phone), text(&self.avatar));
        check
            .that(rules::is_line(&text(&self.name), 40), "name", "姓名最多 40 个字，不能有控制字符")
            .that(email.is_empty() || rules::is_email(&email), "email", "邮箱格式不正确")
            .that(phone.is_empty() || rules::is_mainland_phone(&phone), "phone", "手机号格式不正确")
            .that(avatar.is_empty() || is_avatar(&avatar), "avatar", "头像应为 64 KB 以内的 PNG、JPEG 或 WebP 图片")
            .that(rules::is_text(&text(&self.introduction), 500), "introduction", "最多 500 个字，不能有控制字符")
            .that(self.groups.as_ref().is_none_or(|groups| groups.len() <= 100), "groups", "最多加入 100 个用户组");
        self.quotas(defaults).check(&mut check, "");
        check.faults()
    }
}

/// SPEC §5.
pub(super) fn check_username(check: &mut Check, username: &str, allow_underscore: bool) {
    let message = if allow_underscore {
        "用户名为 2 到 20 位字母、数字、“.”、“@”或“_”"
    } else {
        "用户名为 2 到 20 位字母、数字、“.”或“@”"
    };
    check.that(rules::is_username(username, allow_underscore), "username", message);
}

/// SPEC §5, and nothing that is guessed at once.
pub(crate) fn check_password(check: &mut Check, username: &str, password: &str, local: LocalSettings, field: &str) {
    let fault = password_fault(username, password, local.allow_common_passwords);
    check.that(fault.is_none(), field, fault.unwrap_or_default());
}

/// Shorter names are in too many passwords by chance.
const SHORTEST_NAME: usize = 3;

/// Returns the fault of a password for this username.
pub(super) fn password_fault(username: &str, password: &str, allow_common: bool) -> Option<&'static str> {
    let lower = password.to_lowercase();
    if !rules::is_password(password) {
        Some("密码为 6 到 30 位，至少包含一个字母和一个数字")
    } else if allow_common {
        None
    } else if is_common(password) {
        Some("这个密码太常见，很容易被猜到，请换一个")
    } else if username.len() >= SHORTEST_NAME && lower.contains(&username.to_lowercase()) {
        Some("密码里不能有用户名，请换一个")
    } else {
        None
    }
}

/// A small picture as a data URL of a kind that can't carry script.
fn is_avatar(text: &str) -> bool {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let Some((head, data)) = text.split_once(";base64,") else { return false };
    text.len() <= AVATAR_BYTES * 4 / 3 + 64
        && matches!(head, "data:image/png" | "data:image/jpeg" | "data:image/webp")
        && STANDARD.decode(data).is_ok_and(|bytes| !bytes.is_empty() && bytes.len() <= AVATAR_BYTES)
}
