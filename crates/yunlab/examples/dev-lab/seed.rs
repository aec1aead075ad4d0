//! Fills an empty lab through the front door.

use anyhow::Context;
use serde_json::json;
use testkit::{ADMIN_PASSWORD, USER_PASSWORD};

use crate::calls::Caller;
use crate::{compute, files, people, requests};

/// Makes everything of the lab at this address.
pub(crate) async fn fill(origin: &str) -> anyhow::Result<()> {
    let admin = Caller::sign_in(origin, "admin", ADMIN_PASSWORD).await.context("登录管理员")?;
    let servers = compute::add_servers(&admin).await.context("添加服务器")?;
    let vision = people::settle(&admin).await.context("建立用户和用户组")?;
    let sign_in = async |username: &str| Caller::sign_in(origin, username, USER_PASSWORD).await;
    let (leader, member) = (sign_in(people::LEADER).await?, sign_in("zhangmin").await?);
    let (writer, newcomer) = (sign_in("wangfang").await?, sign_in("liuyang").await?);
    compute::allocate(&admin, &servers, &vision).await.context("分配服务器")?;
    compute::start_instances(&servers, &leader, &member, &writer).await.context("建立实例")?;
    files::fill(&admin, &member, &vision).await.context("放入文件")?;
    requests::ask(&admin, &leader, &member, &newcomer).await.context("提交工单")?;
    announce(&admin).await.context("发布公告")?;
    // The log of sign-ins shows a refusal too.
    let refused = Caller::sign_in(origin, "zhouhao", "wrong2026").await;
    anyhow::ensure!(refused.is_err(), "错误的密码也能登录");
    Ok(())
}

async fn announce(admin: &Caller) -> anyhow::Result<()> {
    let announcements = [
        ("本周六 9:00–12:00 机房停电检修", "请在周五下班前保存工作。检修结束后，设为自动启动的实例会自己启动。", true),
        ("网盘里有新的入门教程", "在「公共共享」文件夹里，从登录到训练第一个模型。", false),
    ];
    for (title, content, important) in announcements {
        let form = json!({ "title": title, "content": content, "important": important });
        admin.post("/api/announcements", form).await?;
    }
    Ok(())
}
