//! The report besides people and links: files to be copied, settings that cannot be kept, and the next steps.

use std::path::{Path, PathBuf};

use disk::ShareState;
use filebrowser::{Folder, Standing};
use kernel::rules;

use super::plan::Plan;
use super::report::{self, Places, shown, shown_folder, unfit_text};

/// The commands that bring each folder to its place.
pub(super) fn copies(plan: &Plan, places: &Places<'_>) -> Vec<String> {
    let root = places.files.map_or_else(|| PathBuf::from(&plan.database.server.root), Path::to_owned);
    let mut lines = Vec::new();
    if places.files.is_none() && root.is_relative() {
        lines.push(format!(
            "  File Browser 的根目录是相对路径 {}：请在它的工作目录里运行下面的命令，或者用 --files 说明在哪里",
            shown(&plan.database.server.root)
        ));
    }
    for (from, to) in plan.places.all() {
        let Some(to) = to else { continue };
        lines.push(format!("  {} → 网盘的 {}", shown_folder(from), shown_folder(to)));
        lines.extend(copy(plan, &root, from, &inside(places.disk_root, to), places.disk_root));
    }
    if !lines.is_empty() {
        lines.push("  目标里同名的文件会被覆盖；chown 让复制来的文件属于网盘目录的属主".to_owned());
    }
    lines
}

fn copy(plan: &Plan, root: &Path, from: &Folder, target: &Path, disk_root: &Path) -> Vec<String> {
    match commands(plan, &inside(root, from), from, target, disk_root) {
        Some(commands) => commands.into_iter().map(|command| format!("    {command}")).collect(),
        None => vec!["    名字里有控制字符，请手工复制".to_owned()],
    }
}

/// `None` for names that must not be printed unescaped.
fn commands(plan: &Plan, source: &Path, from: &Folder, target: &Path, disk_root: &Path) -> Option<Vec<String>> {
    let (source, target, owner) = (source.to_str()?, target.to_str()?, quote(disk_root.to_str()?)?);
    let mut excluded = Vec::new();
    for (inner, _) in plan.places.below(from) {
        let names = from.below(inner).unwrap_or_default();
        let pattern: String = names.iter().map(|name| format!("/{}", pattern(name))).collect();
        excluded.push(quote(&format!("--exclude={pattern}/"))?);
    }
    let copy = match &excluded[..] {
        [] => format!("cp -aT {} {}", quote(source)?, quote(target)?),
        excluded => {
            // The slash: the folder's content, not the folder.
            let content = quote(&format!("{}/", source.trim_end_matches('/')))?;
            format!("rsync -a {} {content} {}", excluded.join(" "), quote(&format!("{target}/"))?)
        }
    };
    Some(vec![copy, format!("chown -R --reference={owner} {}", quote(target)?)])
}

fn inside(root: &Path, folder: &Folder) -> PathBuf {
    folder.names().iter().fold(root.to_owned(), |path, name| path.join(name))
}

/// Escapes characters that rsync would read as a pattern.
fn pattern(name: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    // Escapes are only recognised in patterns.
    if !name.contains(special) {
        return name.to_owned();
    }
    name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Quotes for a shell; `None` for text that must not be printed unescaped.
fn quote(text: &str) -> Option<String> {
    if !rules::is_line(text, usize::MAX) {
        return None;
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-=@,:+".contains(c);
    Some(if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    })
}

/// Settings without a counterpart.
pub(super) fn lost(plan: &Plan) -> Vec<String> {
    let (settings, server) = (&plan.database.settings, &plan.database.server);
    let mut notes = Vec::new();
    let mut note = |there: bool, text: &str| {
        if there {
            notes.push(text.to_owned());
        }
    };
    note(
        settings.auth_method == "proxy",
        "由反向代理登录（proxy）：这里用用户名和密码，或者 LDAP 目录登录。大家不知道自己的密码时，用 yunlab admin reset-password 设置",
    );
    note(
        settings.auth_method == "hook",
        "由外部命令登录（hook）：这里用用户名和密码，或者 LDAP 目录登录。大家不知道自己的密码时，用 yunlab admin reset-password 设置",
    );
    note(settings.auth_method == "noauth", "不登录就能用（noauth）：这里每个人都要登录");
    note(settings.signup, "自己注册：账号由管理员建立，或者来自 LDAP 目录");
    note(settings.has_hooks(), "保存、复制、上传等操作前后运行的命令（hooks）：不运行");
    note(!settings.shell.is_empty(), "运行命令用的 shell：这里直接运行程序，没有 shell");
    let branding = &settings.branding;
    let named = [&branding.name, &branding.theme, &branding.color].into_iter().any(|text| !text.is_empty());
    note(named, "名称、主题和颜色：请在“系统设置”里设置");
    note(!branding.files.is_empty(), "自定义的网页文件（branding.files）");
    let executes = plan.coming().any(|(planned, _)| planned.user.perm.execute && !planned.user.commands.is_empty());
    note(!server.enable_exec && executes, "执行命令的权限：原来没有开启命令，所以没有带过来");
    note(true, "新用户的默认权限和显示方式：用这里的默认值，可以在“网盘设置”里改");
    let base = server.base_url.trim_end_matches('/');
    if !base.is_empty() {
        notes.push(format!("地址里的 {}：链接要改成 /share/…，例如由反向代理转发", shown(base)));
    }
    notes.extend(folders(plan));
    notes.extend(plan.outlook.iter().flat_map(|outlook| outlook.unfit.iter().map(unfit_text)));
    let passwords = plan.coming().any(|(_, coming)| coming.links.iter().any(|one| !one.link.password_hash.is_empty()));
    if passwords {
        notes.push("有密码的分享里直接下载的地址（带 token）：要重新打开分享、输入密码".to_owned());
    }
    notes
}

fn folders(plan: &Plan) -> Vec<String> {
    let mut notes = Vec::new();
    for (scope, _) in plan.places.all().iter().filter(|(_, to)| to.is_none()) {
        let sharers = plan.coming().filter(|(_, coming)| coming.person.scope == *scope);
        let sharers: Vec<&str> = sharers.map(|(_, coming)| coming.person.username.as_str()).collect();
        notes.push(format!(
            "只有 {} 共用的目录 {}：在这里相当于用户组的目录。请先建一个用户组，再加上 --place {}=groups/用户组；不这样做，他们的规则和分享就不带过来",
            sharers.join("、"),
            shown_folder(scope),
            shown_folder(scope)
        ));
    }
    for (_, coming) in plan.coming().filter(|(_, coming)| !coming.person.admin) {
        let inner = plan.places.below(&coming.person.scope).map(|(inner, _)| shown_folder(inner));
        let inner: Vec<String> = inner.collect();
        if !inner.is_empty() {
            notes.push(format!("{} 看到的 {}：那是别人的目录，以后看不到", coming.person.username, inner.join("、")));
        }
    }
    for (_, coming) in plan.coming().filter(|(_, coming)| coming.outcome.home_is_anothers) {
        let name = &coming.person.username;
        notes.push(format!(
            "home/{name} 里是以前同名用户的文件：{name} 第一次打开网盘时，它会改名放到一边，请在那之后再复制 {name} 的文件"
        ));
    }
    notes
}

/// The administrator's next steps.
pub(super) fn next(plan: &Plan, done: bool) -> Vec<String> {
    let mut steps = Vec::new();
    if !done {
        steps.push("停止 File Browser，加上 --yes 导入。文件可以在之前或之后复制".to_owned());
    }
    if plan.outlook.is_none() {
        steps.push("到存储节点上用同一个数据库再运行一次（不加 --accounts-only），导入权限、规则和分享".to_owned());
    }
    if report::count(plan, ShareState::Missing) > 0 {
        steps.push("复制文件之后再运行一次，补上“文件还不在”的分享；已经导入的不会重复".to_owned());
    }
    if !plan.coming().any(|(_, coming)| coming.person.admin) && !done {
        steps.push("其中没有管理员：没有别的管理员时，用 yunlab admin create 建一个".to_owned());
    }
    if plan.people.iter().any(|one| matches!(one.candidate.standing, Standing::Refused(_))) {
        steps.push("不导入的用户，用 --rename 换一个用户名再运行".to_owned());
    }
    if done {
        steps.push("大家用原来的用户名和密码登录。自己的文件现在在“home”里".to_owned());
    }
    steps
}
