//! Files on the network disk.

use serde_json::json;

use crate::calls::{Caller, id};
use crate::people::Group;

const SCRIPT: &str = r#"import torch
from torchvision.models import resnet50

device = "cuda" if torch.cuda.is_available() else "cpu"


def train(epochs: int = 90, lr: float = 0.1) -> torch.nn.Module:
    """ResNet-50 在 ImageNet 子集上的训练。"""
    model = resnet50().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        print(f"{epoch:3d}  {run_epoch(model, optimizer):.4f}")
    return model
"#;
const README: &str = "# 目标检测实验\n\n训练：`python train_resnet50.py`\n\n- [x] 基线\n- [ ] 消融实验\n";
const TUTORIAL: &str =
    "# 入门教程\n\n1. 在「服务器列表」里创建实例\n2. 用网页终端或 SSH 登录\n3. 网盘里自己的文件在 `/home/用户名`\n";
const CONFIG: &str = "model: resnet50\nepochs: 90\nbatch_size: 256\nlr: 0.1\n";
const STREETS: &str = "# 城市街景\n\n在城区采集的 **路口照片**，标注为 COCO 格式，人脸与车牌已打码。\n";

/// Fills a home, a group's folder and the folder of all, and makes a dataset.
pub(crate) async fn fill(admin: &Caller, mine: &Caller, group: &Group) -> anyhow::Result<()> {
    for folder in ["/home/实验记录", "/home/实验记录/logs", "/home/论文", "/home/checkpoints"] {
        mine.make_folder(folder).await?;
    }
    let files = [
        ("/home/README.md", README.into()),
        ("/home/train_resnet50.py", SCRIPT.into()),
        ("/home/config.yaml", CONFIG.into()),
        ("/home/预测结果.csv", "image,label,score\n路口-0001.jpg,car,0.93\n".repeat(2_000).into_bytes()),
        ("/home/checkpoints/resnet50_epoch90.pth", vec![0; 4 << 20]),
        ("/home/实验记录/混淆矩阵.bmp", matrix()),
        ("/home/实验记录/logs/第 12 次.log", "epoch  1  loss 2.3013\n".repeat(90).into_bytes()),
        ("/home/旧的配置.yaml", "model: vgg16\n".into()),
    ];
    for (path, content) in files {
        mine.upload(path, content).await?;
    }
    mine.delete_file("/home/旧的配置.yaml").await?;
    mine.upload(&format!("/groups/{}/标注规范.md", group.folder), README.into()).await?;
    admin.upload("/share/入门教程.md", TUTORIAL.into()).await?;
    mine.post("/disk/api/share/home/README.md", json!({})).await?;
    add_dataset(admin, mine).await
}

/// With a label, two files and a version.
async fn add_dataset(admin: &Caller, mine: &Caller) -> anyhow::Result<()> {
    let label = admin.post("/api/labels", json!({ "name": "自动驾驶", "color": "#166db6", "kind": "domain" })).await?;
    let form = json!({
        "name": "streets", "title": "城市街景", "type": "image", "visibility": "public", "labels": [id(&label)?],
        "licence": "CC BY 4.0", "description": STREETS,
    });
    let made = mine.post("/api/datasets", form).await?;
    let address = format!("/api/datasets/{}", id(&made)?);
    mine.until(&address, |dataset| dataset["state"] == "ready").await?;
    mine.upload("/datasets/streets/路口.bmp", matrix()).await?;
    mine.upload("/datasets/streets/标注.json", "{}".into()).await?;
    mine.post(&format!("{address}/versions"), json!({ "note": "第一批，已检查标注" })).await?;
    mine.until(&format!("{address}/versions/1"), |version| version["state"] == "ready").await?;
    Ok(())
}

/// Cells a side, and pixels a side of each.
const CELLS: u32 = 10;
const CELL: u32 = 24;

/// A confusion matrix, dark where it is right, as a bitmap of 24 bits.
fn matrix() -> Vec<u8> {
    let side = CELLS * CELL;
    let pixels = side * side * 3;
    let mut bytes = b"BM".to_vec();
    // Length of the file, nothing, where the pixels begin; then the header: its length, width, height.
    for number in [54 + pixels, 0, 54, 40, side, side] {
        bytes.extend(number.to_le_bytes());
    }
    // One plane, 24 bits.
    bytes.extend([1, 0, 24, 0]);
    // Not compressed, length of the pixels, pixels a metre, no palette.
    for number in [0, pixels, 2835, 2835, 0, 0] {
        bytes.extend(number.to_le_bytes());
    }
    for at in 0..side * side {
        // Rows of a bitmap begin at the bottom.
        let (column, row) = (at % side / CELL, CELLS - 1 - at / side / CELL);
        let light = if column == row { 90 } else { 215 + (column * 5 + row * 3) % 7 * 5 };
        let light = u8::try_from(light).unwrap_or(u8::MAX);
        bytes.extend([240, light, light]);
    }
    bytes
}
