//! The printed plan or result.

use std::path::Path;

use disk::{ImportedRule, RuleTarget, ShareState, Unfit};
use filebrowser::{Folder, Moved, Refusal, Rule, Standing};
use kernel::{Timestamp, rules};

use super::notes;
use super::plan::{Coming, Fate, Plan, Planned, PlannedLink, imported};
use super::target::Done;

/// Longer texts are cut.
const MAX_CHARS: usize = 200;

/// Where the files are, and where they go.
pub(super) struct Places<'a> {
    /// Overrides the root in the database.
    pub(super) files: Option<&'a Path>,
    pub(super) disk_root: &'a Path,
}

/// All lines, each section with a heading. `done`: it was done.
pub(super) fn lines(plan: &Plan, done: Option<Done>, places: &Places<'_>) -> Vec<String> {
    let mut lines = head(plan, done);
    let section = |lines: &mut Vec<String>, heading: &str, below: Vec<String>| {
        if !below.is_empty() {
            lines.extend([String::new(), heading.to_owned()]);
            lines.extend(below);
        }
    };
    let people = |admin: bool| {
        let some = plan.coming().filter(move |(_, coming)| coming.person.admin == admin);
        some.flat_map(|(planned, coming)| person(plan, planned, coming)).collect::<Vec<_>>()
    };
    section(&mut lines, "管理员（管理整个平台；新建的加 --no-admins 可导入为普通用户）", people(true));
    section(&mut lines, "普通用户", people(false));
    section(&mut lines, "不导入的用户", plan.people.iter().filter_map(left_out).collect());
    let rules = plan.rules.iter().map(|(rule, moved)| format!("  {}", moved_rule(rule, moved)));
    section(&mut lines, "全局规则", rules.collect());
    let links = plan.coming().flat_map(|(_, coming)| coming.links.iter().map(|one| link(one, coming)));
    let orphans = plan.orphans.iter().map(|one| format!("  {}：没有主人，不保留", shown(&one.hash)));
    section(&mut lines, "分享", links.chain(orphans).collect());
    section(&mut lines, "文件", notes::copies(plan, places));
    section(&mut lines, "不能保留的", notes::lost(plan).into_iter().map(|note| format!("  · {note}")).collect());
    section(
        &mut lines,
        "下一步",
        notes::next(plan, done.is_some()).into_iter().map(|step| format!("  {step}")).collect(),
    );
    lines
}

fn head(plan: &Plan, done: Option<Done>) -> Vec<String> {
    let database = &plan.database;
    let mut lines = vec![format!(
        "File Browser 的数据库：用户 {} 个，分享 {} 个，全局规则 {} 条",
        database.users.len(),
        database.links.len(),
        database.settings.rules.len()
    )];
    if database.in_use {
        lines.push("注意：File Browser 正在使用这个数据库，下面的内容可能还会变；导入之前请停止它".to_owned());
    }
    if database.unreadable > 0 {
        lines.push(format!("注意：有 {} 条记录读不懂，没有算在内", database.unreadable));
    }
    lines.push(match done {
        None => "这是预演，什么也没有改".to_owned(),
        Some(Done { accounts, profiles, rules }) => {
            let shares = count(plan, ShareState::New);
            if accounts + profiles + rules + shares == 0 {
                "已经导入过，没有新的内容".to_owned()
            } else {
                format!("已导入：账号 {accounts} 个，网盘用户 {profiles} 个，全局规则 {rules} 条，分享 {shares} 个")
            }
        }
    });
    lines
}

/// How many links are in this state.
pub(super) fn count(plan: &Plan, state: ShareState) -> usize {
    let states = plan.coming().flat_map(|(_, coming)| &coming.outcome.shares);
    states.filter(|one| **one == state).count()
}

fn person(plan: &Plan, planned: &Planned, coming: &Coming) -> Vec<String> {
    let user = &planned.user;
    let renamed = if user.username == coming.person.username {
        String::new()
    } else {
        format!("（原名 {}）", shown(&user.username))
    };
    let is_new = planned.candidate.standing == Standing::New;
    let standing = match (is_new, user.perm.admin && !coming.person.admin) {
        (true, false) => "新建账号",
        (true, true) => "新建账号，普通用户",
        (false, false) => "已有同名账号，看作同一个人，账号和密码不变",
        (false, true) => "已有同名账号，看作同一个人，账号和密码不变，仍是普通用户",
    };
    let mut lines = vec![format!("  {}{renamed}：{standing}", coming.person.username)];
    let mut detail = |text: String| lines.push(format!("    {text}"));
    if is_new {
        let locked = if user.lock_password { "，本人不能修改" } else { "" };
        detail(match coming.keeps_password {
            true => format!("密码：不变{locked}"),
            false => "密码：不能保留，请用 yunlab admin reset-password 设置".to_owned(),
        });
    }
    if coming.outcome.is_known {
        detail("已经用过网盘：权限、规则和显示方式不变".to_owned());
        return lines;
    }
    if plan.outlook.is_none() {
        return lines;
    }
    if !coming.person.admin {
        detail(format!("权限：{}", permissions(coming)));
    }
    let profile = &coming.newcomer.profile;
    if !profile.commands.is_empty() {
        detail(format!("命令：{}", shown(&profile.commands.join("、"))));
    }
    for (rule, moved) in &coming.rules {
        detail(match moved {
            Moved::To(rules) => format!("规则：{}", moved_rule(rule, &rules.iter().map(imported).collect::<Vec<_>>())),
            Moved::NoPlace => format!("规则：{}，不能保留：目录没有对应的位置", own_rule(&imported(rule))),
        });
    }
    for unfit in &coming.outcome.unfit {
        detail(unfit_text(unfit));
    }
    lines
}

fn permissions(coming: &Coming) -> String {
    let perm = &coming.newcomer.profile.perm;
    let all = [
        (perm.create, "新建"),
        (perm.rename, "改名"),
        (perm.modify, "修改"),
        (perm.delete, "删除"),
        (perm.download, "下载"),
        (perm.share, "分享"),
        (perm.execute, "执行命令"),
    ];
    let given: Vec<&str> = all.into_iter().filter(|(has, _)| *has).map(|(_, word)| word).collect();
    if given.is_empty() { "只能查看".to_owned() } else { given.join("、") }
}

fn left_out(planned: &Planned) -> Option<String> {
    if planned.coming.is_some() {
        return None;
    }
    let name = shown(&planned.user.username);
    let why = match &planned.candidate.standing {
        Standing::Refused(Refusal::Twin(first)) => {
            format!("与 {} 只有大小写不同，可以用 --rename {name}=新名 换一个用户名", shown(first))
        }
        Standing::Refused(Refusal::Name) => {
            format!("用户名要是 2 到 20 位字母、数字、“.”、“@”或“_”，可以用 --rename {name}=新名 换一个用户名")
        }
        // Only a storage host makes no accounts.
        Standing::New | Standing::Known(_) => "平台上还没有这个账号，请先在平台上导入".to_owned(),
    };
    Some(format!("  {name}：{why}"))
}

fn moved_rule(rule: &Rule, moved: &[ImportedRule]) -> String {
    let before = own_rule(&imported(rule));
    match moved {
        [] => format!("{before}，没有人看得到，不再需要"),
        moved => format!("{before} → {}", moved.iter().map(target).collect::<Vec<_>>().join("、")),
    }
}

pub(super) fn own_rule(rule: &ImportedRule) -> String {
    format!("{} {}", if rule.allow { "允许" } else { "禁止" }, target(rule))
}

fn target(rule: &ImportedRule) -> String {
    match &rule.of {
        RuleTarget::Path(path) => shown(path),
        RuleTarget::Regex(raw) => format!("正则 {}", shown(raw)),
    }
}

pub(super) fn unfit_text(unfit: &Unfit) -> String {
    match unfit {
        Unfit::Command(name) => format!("命令 {}，不能保留：不是程序的名字", shown(name)),
        Unfit::Rule(rule) => format!("规则：{}，不能保留：正则表达式或路径的写法这里不支持", own_rule(rule)),
        Unfit::Surplus(count) => format!("有 {count} 条规则或命令超出上限，不能保留"),
    }
}

fn link(planned: &PlannedLink, coming: &Coming) -> String {
    let PlannedLink { link, fate } = planned;
    let (hash, owner) = (shown(&link.hash), &coming.person.username);
    let what = |path: &str| {
        let password = if link.password_hash.is_empty() { "" } else { "，有密码" };
        let until = match link.expire {
            0 => "永久".to_owned(),
            seconds => format!("到 {}", day(seconds)),
        };
        format!("{owner} 的 {}（{until}{password}）", shown(path))
    };
    match fate {
        Fate::Disk(index, path) => {
            let fate = match coming.outcome.shares.get(*index) {
                Some(ShareState::New) => "链接不变",
                Some(ShareState::Known) => "已经有了",
                Some(ShareState::Missing) => "文件还不在，复制文件后再运行一次",
                Some(ShareState::Refused) => "不保留：主人没有权限分享它",
                Some(ShareState::BadHash) => "不保留：链接的写法这里不支持",
                None => "到存储节点上导入",
            };
            format!("  {hash}：{}，{fate}", what(path))
        }
        Fate::Expired => format!("  {hash}：{}，不保留：已过期", what(&link.path)),
        Fate::NoPlace => format!("  {hash}：{}，不保留：它的目录没有对应的位置", what(&link.path)),
        Fate::Password => format!("  {hash}：{}，不保留：密码的格式这里不支持", what(&link.path)),
    }
}

fn day(seconds: i64) -> String {
    let written = Timestamp::from_millis(seconds.saturating_mul(1000)).to_string();
    written.split('T').next().unwrap_or_default().to_owned()
}

/// A text of the database as one harmless line.
pub(super) fn shown(text: &str) -> String {
    let line = rules::as_line(text, MAX_CHARS);
    if line.is_empty() { "（空）".to_owned() } else { line }
}

/// The same of a folder.
pub(super) fn shown_folder(folder: &Folder) -> String {
    shown(&folder.to_string())
}
