//! Creates many users from one pasted table or CSV file. Each line is independent: valid ones are created, the others
//! are reported with their faults.

use std::collections::{HashMap, HashSet};

use http_kit::{ApiError, ApiResult, FieldProblem};
use kernel::units::{CPU_PERIOD, GB};
use kernel::{Secret, UserId, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::UserFields;
use super::service;
use super::store;
use crate::Portal;
use crate::features::groups;
use crate::features::logs::Acting;
use crate::features::settings;

const MAX_LINES: usize = 500;

/// A table as text: tab- or comma-separated, column names in the first line.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BatchRequest {
    text: String,
    /// Only says what would happen.
    #[serde(default)]
    dry_run: bool,
    /// The first sign-in of each must choose another password.
    #[serde(default)]
    must_change_password: bool,
}

/// The outcome of each line.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchResult {
    created: usize,
    failed: usize,
    lines: Vec<BatchLine>,
}

/// The outcome of a line.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchLine {
    /// Counted from 1, the line of column names included.
    line: u64,
    username: String,
    /// The person's name, as the table has it.
    name: String,
    ok: bool,
    /// The user that was made; absent in a dry run.
    id: Option<UserId>,
    /// The password that was made up because the line had none.
    password: Option<String>,
    fields: Vec<FieldProblem>,
    message: Option<String>,
}

struct Line {
    number: u64,
    cells: HashMap<&'static str, String>,
}

pub(super) async fn run(portal: &Portal, by: &Acting, request: &BatchRequest) -> ApiResult<BatchResult> {
    let table = parse(&request.text)?;
    let settings = settings::read(portal.db()).await?;
    let defaults = settings.basic.default_quotas;
    let group_ids = groups::ids_by_name(portal.db()).await?;
    let names = table.iter().map(|line| cell(line, "username")).filter(|name| rules::is_username(name, true));
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    let mut taken: HashSet<String> = store::taken_names(portal.db(), &names).await?;
    let mut lines = Vec::with_capacity(table.len());
    for line in &table {
        let (mut fields, made_up, mut faults) = fields(line, &group_ids)?;
        fields.must_change_password = Some(request.must_change_password);
        for fault in fields.faults(true, settings.authentication.local, defaults) {
            if faults.iter().all(|known| known.name != fault.name) {
                faults.push(fault);
            }
        }
        let username = fields.username.clone().unwrap_or_default();
        if faults.is_empty() && !taken.insert(username.to_lowercase()) {
            faults.push(FieldProblem { name: "username".to_owned(), message: "用户名已经被使用".to_owned() });
        }
        let mut report = BatchLine {
            line: line.number,
            username,
            name: cell(line, "name").to_owned(),
            ok: faults.is_empty(),
            id: None,
            password: None,
            fields: faults,
            message: None,
        };
        if report.ok && !request.dry_run {
            match create_one(portal, by, &fields, defaults).await {
                Ok(id) => {
                    report.id = Some(id);
                    report.password = made_up;
                }
                Err(error) => {
                    report.ok = false;
                    report.fields = error.fields().to_vec();
                    report.message = Some(error.message().to_owned());
                }
            }
        }
        lines.push(report);
    }
    let created = lines.iter().filter(|line| line.id.is_some()).count();
    Ok(BatchResult { created, failed: lines.iter().filter(|line| !line.ok).count(), lines })
}

/// One transaction per line: created users stay when a later line fails.
async fn create_one(
    portal: &Portal,
    by: &Acting,
    fields: &UserFields,
    defaults: settings::Quotas,
) -> ApiResult<UserId> {
    let password = fields.password.clone().unwrap_or_default();
    let hash = portal.passwords().hash(password.expose()).await?;
    let tx = portal.db().begin().await?;
    let id = service::create(&tx, by, fields, &hash, defaults).await?;
    tx.commit().await?;
    Ok(id)
}

/// Returns the field of a column's name, in the spellings that people use.
fn column(head: &str) -> Option<&'static str> {
    let head = head.trim().trim_start_matches('\u{feff}').to_lowercase().replace(' ', "");
    Some(match head.as_str() {
        "username" | "用户名" | "账号" => "username",
        "password" | "密码" | "初始密码" => "password",
        "name" | "姓名" => "name",
        "email" | "邮箱" => "email",
        "phone" | "手机" | "手机号" => "phone",
        "groups" | "group" | "用户组" => "groups",
        "instancelimit" | "实例" => "instanceLimit",
        "instancelimitoffset" | "临时增加" => "instanceLimitOffset",
        "gpunumlimit" | "gpu" | "gpu卡" => "GPUNumlimit",
        "cpuperiodquota" => "CPUPeriodQuota",
        "cpu" | "cpu核" => "cpuCores",
        "memorylimit" => "memoryLimit",
        "内存gb" | "内存" => "memoryGb",
        "diskquota" => "diskQuota",
        "网盘gb" | "网盘" => "diskGb",
        _ => return None,
    })
}

fn parse(text: &str) -> ApiResult<Vec<Line>> {
    // Normalizes line ends: with others the reader would not count every line.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let head = text.lines().next().unwrap_or_default();
    let delimiter = if head.contains('\t') { b'\t' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let unreadable = |_| ApiError::field("text", "表格读不出来：请检查引号是否成对");
    let heads = reader.headers().map_err(unreadable)?.clone();
    let mut columns = Vec::new();
    for name in &heads {
        let Some(field) = column(name) else {
            return Err(ApiError::field("text", format!("不认识的列：{}", name.chars().take(30).collect::<String>())));
        };
        if columns.contains(&field) {
            return Err(ApiError::field("text", format!("列重复：{name}")));
        }
        columns.push(field);
    }
    if !columns.contains(&"username") {
        return Err(ApiError::field("text", "第一行应为列名，并且有“用户名”一列"));
    }
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let number = line_at(&text, record.position().map_or(0, csv::Position::byte));
        let cells = columns.iter().zip(record.iter()).map(|(field, cell)| (*field, cell.to_owned())).collect();
        lines.push(Line { number, cells });
    }
    if lines.is_empty() || lines.len() > MAX_LINES {
        return Err(ApiError::field("text", format!("一次可以创建 1 到 {MAX_LINES} 个用户")));
    }
    Ok(lines)
}

/// Number of the line that begins at this byte, or after the empty lines there; counted from 1.
fn line_at(text: &str, byte: u64) -> u64 {
    let byte = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    let (before, rest) = text.as_bytes().split_at(byte);
    let ends = before.iter().filter(|one| **one == b'\n').count();
    let empty = rest.iter().take_while(|one| **one == b'\n').count();
    u64::try_from(1 + ends + empty).unwrap_or(u64::MAX)
}

fn cell<'a>(line: &'a Line, name: &str) -> &'a str {
    line.cells.get(name).map(String::as_str).unwrap_or_default()
}

type Parsed = (UserFields, Option<String>, Vec<FieldProblem>);

fn fields(line: &Line, group_ids: &HashMap<String, i64>) -> ApiResult<Parsed> {
    let mut faults = Vec::new();
    let mut fault = |name: &str, message: String| faults.push(FieldProblem { name: name.to_owned(), message });
    let mut number = |name: &'static str, column: &'static str, unit: i64| {
        let text = cell(line, column);
        if text.is_empty() {
            return None;
        }
        let value = text.parse::<i64>().ok().and_then(|value| value.checked_mul(unit));
        if value.is_none() {
            fault(name, format!("应为整数：{}", text.chars().take(30).collect::<String>()));
        }
        value
    };
    let mut fields = UserFields {
        username: Some(cell(line, "username").to_owned()),
        name: Some(cell(line, "name").to_owned()),
        email: Some(cell(line, "email").to_owned()),
        phone: Some(cell(line, "phone").to_owned()),
        instance_limit: number("instanceLimit", "instanceLimit", 1),
        instance_limit_offset: number("instanceLimitOffset", "instanceLimitOffset", 1),
        gpu_limit: number("GPUNumlimit", "GPUNumlimit", 1),
        cpu_quota: number("CPUPeriodQuota", "cpuCores", CPU_PERIOD)
            .or_else(|| number("CPUPeriodQuota", "CPUPeriodQuota", 1)),
        memory_limit: number("memoryLimit", "memoryGb", GB).or_else(|| number("memoryLimit", "memoryLimit", 1)),
        disk_quota: number("diskQuota", "diskGb", GB).or_else(|| number("diskQuota", "diskQuota", 1)),
        ..UserFields::default()
    };
    let mut ids = Vec::new();
    for name in cell(line, "groups").split([';', '；', '、']).map(str::trim).filter(|name| !name.is_empty()) {
        match group_ids.get(&name.to_lowercase()) {
            Some(id) => ids.push(*id),
            None => fault("groups", format!("没有用户组 {}，请先新建", name.chars().take(30).collect::<String>())),
        }
    }
    fields.groups = (!ids.is_empty()).then_some(ids);
    let given = cell(line, "password");
    let made_up = if given.is_empty() { Some(random_password()?) } else { None };
    fields.password = Some(Secret::new(made_up.clone().unwrap_or_else(|| given.to_owned())));
    Ok((fields, made_up, faults))
}

/// Ten letters and two digits, without characters that are easily mistaken for one another.
pub(super) fn random_password() -> ApiResult<String> {
    const LETTERS: &[u8; 46] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ";
    let mut noise = [0u8; 12];
    getrandom::fill(&mut noise).map_err(ApiError::internal)?;
    let pick = |byte: &u8, from: &[u8]| char::from(from[usize::from(*byte) % from.len()]);
    let letters = noise[..10].iter().map(|byte| pick(byte, LETTERS));
    Ok(letters.chain(noise[10..].iter().map(|byte| pick(byte, b"23456789"))).collect())
}
