//! Work orders: one with a conversation, one not handled yet, one approved.

use serde_json::json;

use crate::calls::{Caller, id};

pub(crate) async fn ask(admin: &Caller, leader: &Caller, member: &Caller, newcomer: &Caller) -> anyhow::Result<()> {
    let asked = member
        .post(
            "/api/worksheets",
            json!({
                "type": "quota",
                "title": "申请临时增加 1 个实例名额",
                "content": "投稿前想多开 1 个实例做消融实验，两周后就可以收回。",
                "quotas": { "instanceLimitOffset": 1 },
                "attachments": [{ "path": "/home/README.md" }],
            }),
        )
        .await?;
    let replies = format!("/api/worksheets/{}/replies", id(&asked)?);
    admin.post(&replies, json!({ "content": "可以。停着的实例还需要吗？不需要的话先释放。" })).await?;
    member.post(&replies, json!({ "content": "里面有装好的环境，想先存成镜像再释放。" })).await?;
    let fault = json!({
        "type": "fault", "title": "gpu-03 连不上", "content": "今天早上开始显示未连接。", "priority": "urgent",
    });
    leader.post("/api/worksheets", fault).await?;
    let granted = newcomer
        .post(
            "/api/worksheets",
            json!({
                "type": "quota", "title": "申请 2 张卡", "content": "做多卡训练的实验。",
                "quotas": { "GPUNumlimit": 2 },
            }),
        )
        .await?;
    let comment = json!({ "comment": "已增加，注意用完及时停止。" });
    admin.post(&format!("/api/worksheets/{}/approve", id(&granted)?), comment).await?;
    Ok(())
}
