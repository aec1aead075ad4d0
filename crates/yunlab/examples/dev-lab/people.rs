//! The users of the lab.

use std::fmt::Write;

use anyhow::Context;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, USER_PASSWORD};

use crate::calls::Caller;

/// A group and its topic.
const GROUPS: [(&str, &str); 3] =
    [("计算机视觉", "目标检测、分割与三维重建"), ("自然语言处理", "大模型微调与评测"), ("机器人学", "导航与抓取")];
/// Leads the first group.
pub(crate) const LEADER: &str = "chenyu";
/// Can't sign in any more.
const DISABLED: &str = "wujun";

/// Username, name, groups, and quotas: instances, cards, cores, GB of memory, GB on the disk.
const PEOPLE: [(&str, &str, &str, [u32; 5]); 8] = [
    (LEADER, "陈宇", "计算机视觉;机器人学", [6, 8, 80, 512, 2048]),
    ("zhangmin", "张敏", "计算机视觉", [5, 6, 64, 384, 500]),
    ("liuyang", "刘洋", "计算机视觉", [2, 1, 16, 64, 200]),
    ("wangfang", "王芳", "自然语言处理", [3, 4, 32, 256, 1024]),
    ("sunjing", "孙静", "自然语言处理", [3, 2, 24, 128, 500]),
    ("zhouhao", "周昊", "机器人学", [3, 2, 16, 128, 200]),
    ("linjia", "林佳", "", [2, 1, 8, 32, 100]),
    (DISABLED, "吴俊", "机器人学", [2, 0, 8, 32, 100]),
];

/// Makes groups and people; the answer is the id and the folder of the first group.
pub(crate) async fn settle(admin: &Caller) -> anyhow::Result<Group> {
    let mut first = None;
    for (name, description) in GROUPS {
        let made = admin.post("/api/groups", json!({ "name": name, "description": description })).await?;
        first.get_or_insert(made);
    }
    let first = Group::read(&first.unwrap_or_default())?;
    admin.post("/api/users/batch", json!({ "text": pasted(), "dryRun": false })).await?;
    let leader = id_of(admin, LEADER).await?;
    admin.put(&format!("/api/groups/{}/members/{leader}", first.id), json!({ "leader": true })).await?;
    let disabled = id_of(admin, DISABLED).await?;
    admin.post("/api/users/active", json!({ "ids": [disabled], "active": false })).await?;
    Ok(first)
}

/// A group as others need it.
pub(crate) struct Group {
    pub(crate) id: i64,
    pub(crate) folder: String,
}

impl Group {
    fn read(made: &Value) -> anyhow::Result<Self> {
        let folder = made["folder"].as_str().context("用户组没有文件夹")?.to_owned();
        Ok(Self { id: made["id"].as_i64().context("用户组没有编号")?, folder })
    }
}

async fn id_of(admin: &Caller, username: &str) -> anyhow::Result<i64> {
    let list = admin.get(&format!("/api/users?q={username}&size=200")).await?;
    let found = list["items"].as_array().into_iter().flatten().find(|user| user["username"] == username);
    found.and_then(|user| user["id"].as_i64()).with_context(|| format!("没有用户 {username}"))
}

/// The table that an administrator pastes.
fn pasted() -> String {
    let mut text = "用户名\t密码\t姓名\t邮箱\t用户组\t实例\tGPU 卡\tCPU 核\t内存 GB\t网盘 GB\n".to_owned();
    for (username, name, groups, quotas) in PEOPLE {
        let quotas = quotas.map(|quota| quota.to_string()).join("\t");
        // Writing to text can't fail.
        let _ = writeln!(text, "{username}\t{USER_PASSWORD}\t{name}\t{username}@lab.example.cn\t{groups}\t{quotas}");
    }
    text
}

/// Names, passwords and roles, for the terminal.
pub(crate) fn table() -> String {
    // Each of these characters is as wide as two letters.
    let mut text = format!("  用户名     密码         说明\n  {:<10} {ADMIN_PASSWORD:<12} 管理员\n", "admin");
    for (username, name, groups, _) in PEOPLE {
        let role = match username {
            LEADER => "，组长",
            DISABLED => "，已停用",
            _ => "",
        };
        let groups = if groups.is_empty() { "没有用户组".to_owned() } else { groups.replace(';', "、") };
        let _ = writeln!(text, "  {username:<10} {USER_PASSWORD:<12} {name}{role}（{groups}）");
    }
    text
}
