//! What the driver of Kubernetes finds, in Chinese for administrators. No other file of the portal has its words.

use engine::{Finding, Obstacle, Verdict, Waits};
use serde_json::Value;

use super::FindingWords;

/// Why a cluster has no node for an instance yet. Its own words only where they say nothing known.
pub(crate) fn waiting(waits: &Waits) -> String {
    if waits.obstacles.is_empty() {
        return format!("等待集群安排节点：{}", waits.words);
    }
    let obstacles: Vec<&str> = waits.obstacles.iter().map(|obstacle| in_words(*obstacle)).collect();
    format!("等待集群安排节点：{}", obstacles.join("，"))
}

fn in_words(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Cpu => "CPU 不足",
        Obstacle::Memory => "内存不足",
        Obstacle::Cards => "没有空闲的合适显卡",
        Obstacle::Ports => "节点端口已被占用",
        Obstacle::Volume => "需要的存储卷还不可用，或在另一个节点上",
        Obstacle::Taint => "有节点停止了调度或设置了污点",
        Obstacle::Kind => "有节点不符合要求",
        Obstacle::Full => "节点上的实例已达上限",
    }
}

/// Puts a finding of that driver into words; `None` for those of other drivers.
pub(super) fn words_of(finding: &Finding) -> Option<FindingWords> {
    let (title, describe): (_, fn(&Finding) -> (String, &'static str)) = match finding.subject {
        "version" => ("Kubernetes 版本", version),
        "rights" => ("平台账号的权限", rights),
        "reads" => ("读取整个集群的权限", reads),
        "namespace" => ("命名空间", namespace),
        "nodes" => ("节点", nodes),
        "cards" => ("显卡", cards),
        "root" => ("停止时保留系统盘", root),
        "disk" => ("网盘", disk),
        _ => return None,
    };
    let (detail, advice) = match (&finding.error, finding.code) {
        (Some(error), "unseen") => (error.to_string(), "请检查 API 服务器的地址、证书和平台账号的权限"),
        _ => describe(finding),
    };
    Some(FindingWords { title, detail, advice })
}

fn version(finding: &Finding) -> (String, &'static str) {
    let advice = match finding.code {
        "old" => "请升级到 1.30 或更新的版本",
        "counts_only" => "1.34 之前的版本只能按数量分配显卡，不能按型号和编号；需要时请升级",
        _ => "",
    };
    (finding.text("version").to_owned(), advice)
}

fn rights(finding: &Finding) -> (String, &'static str) {
    match finding.code {
        "complete" => ("齐全".to_owned(), ""),
        _ => (lacking(finding), "请在平台使用的命名空间里给账号补上这些权限，否则对应的操作会失败"),
    }
}

fn reads(finding: &Finding) -> (String, &'static str) {
    match finding.code {
        "complete" => ("能看到节点、显卡和其他人占用的显卡".to_owned(), ""),
        _ => (lacking(finding), "不影响创建实例，但看不到节点、显卡的型号和编号，或其他人占用的显卡；需要时请补上这些权限"),
    }
}

fn lacking(finding: &Finding) -> String {
    format!("缺少：{}", named(finding, "rights"))
}

fn namespace(finding: &Finding) -> (String, &'static str) {
    let level = finding.text("level");
    let detail = if level.is_empty() { "没有设置 Pod 安全级别".to_owned() } else { format!("Pod 安全级别为 {level}") };
    match finding.code {
        "missing" => ("不存在".to_owned(), "请先创建命名空间，或在集群的设置里改用已有的"),
        "restricted" => (detail, "这个级别下多数镜像无法运行，请改为 privileged；不需要保留系统盘时可以用 baseline"),
        "baseline" => (
            detail,
            "这个级别不允许保留系统盘、开放节点端口和挂载节点上的文件夹；需要时请将命名空间的标签 pod-security.kubernetes.io/enforce 改为 privileged",
        ),
        _ => (detail, ""),
    }
}

fn nodes(finding: &Finding) -> (String, &'static str) {
    let nodes = named(finding, "nodes");
    match finding.code {
        "none" => ("没有可用的节点".to_owned(), "请检查节点是否就绪、是否停止了调度，以及处理器架构是否与平台相同"),
        "away" => (format!("没有响应：{nodes}"), "上面的实例保持原状，节点恢复后会继续显示"),
        "closed" => (format!("不接受新的实例：{nodes}"), "这些节点停止了调度或设置了污点；需要使用时请恢复调度或去掉污点"),
        "other_architecture" => (format!("处理器架构与平台不同：{nodes}"), "实例不会放到这些节点上"),
        _ => (format!("可用：{nodes}"), ""),
    }
}

fn cards(finding: &Finding) -> (String, &'static str) {
    let count = finding.number("count");
    match finding.code {
        "none" if finding.verdict == Verdict::Failed => {
            ("没有找到显卡".to_owned(), "请在节点上安装 NVIDIA 的 DRA 驱动；旧集群可以安装设备插件")
        }
        "none" => ("没有显卡".to_owned(), ""),
        "only_counted" => (
            format!("{count} 张，由设备插件提供"),
            "只能按数量分配，实例启动后才知道是哪一张；安装 NVIDIA 的 DRA 驱动后可以按型号和编号分配",
        ),
        "offered_twice" => (
            format!("DRA 驱动和设备插件同时提供了同样的显卡：{}", named(finding, "nodes")),
            "同一张显卡会被分配两次，请在这些节点上只保留其中一种",
        ),
        _ => (format!("{count} 张"), ""),
    }
}

fn root(finding: &Finding) -> (String, &'static str) {
    match finding.code {
        "kept" => ("保留：停止再启动后，安装的软件和修改都还在".to_owned(), ""),
        "untried" => ("还没有试过，会在第一次创建实例时试".to_owned(), ""),
        _ => (
            format!("不保留：{}", finding.text("why")),
            "停止后只保留网盘和挂载的文件夹。要保留系统盘，需要 containerd 2.1、runc 1.2 和内核 6.3 以上，命名空间为 privileged 级别，并且所用的卷支持 idmapped 挂载（NFS 等多数网络文件系统不支持）",
        ),
    }
}

fn disk(finding: &Finding) -> (String, &'static str) {
    match finding.code {
        "same" => ("实例里看到的就是网盘".to_owned(), ""),
        "unproved" => ("节点上还没有镜像，无法检查".to_owned(), "创建一个实例后再检查一次"),
        "other" => ("实例里看到的不是平台的网盘".to_owned(), "请检查存储卷声明，或各节点上网盘的挂载位置"),
        _ => (
            format!("实例里没有网盘：{}", finding.text("why")),
            "请检查存储卷声明是否可用，或各节点上是否已在同一位置挂载网盘",
        ),
    }
}

/// A list of names. The first ten are enough to begin with.
fn named(finding: &Finding, name: &str) -> String {
    const MOST: usize = 10;
    let all: Vec<&str> = finding.list(name).iter().filter_map(Value::as_str).collect();
    let shown = all[..all.len().min(MOST)].join("、");
    if all.len() > MOST { format!("{shown} 等 {} 项", all.len()) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_words_of_its_own() {
        let all = [
            ("version", &["old", "counts_only", "supported"][..]),
            ("rights", &["complete", "missing"]),
            ("reads", &["complete", "missing"]),
            ("namespace", &["missing", "restricted", "baseline", "found"]),
            ("nodes", &["none", "away", "closed", "other_architecture", "found"]),
            ("cards", &["none", "only_counted", "offered_twice", "found"]),
            ("root", &["kept", "untried", "lost_at_stop"]),
            ("disk", &["same", "unproved", "other", "not_mounted"]),
        ];
        for (subject, codes) in all {
            let words = codes.iter().copied().map(|code| {
                let finding = Finding::new(subject, code, Verdict::Warning).with("version", "v1.37.2");
                words_of(&finding).unwrap()
            });
            let words: Vec<(String, &str)> = words.map(|words| (words.detail, words.advice)).collect();
            for (at, one) in words.iter().enumerate() {
                assert!(!one.0.is_empty() && !words[..at].contains(one), "{subject}: {one:?}");
            }
        }
        assert_eq!(words_of(&Finding::new("cgroup", "found", Verdict::Passed)), None);
    }

    #[test]
    fn a_wait_is_explained_as_far_as_it_is_understood() {
        let waits = |obstacles: &[Obstacle]| Waits { obstacles: obstacles.iter().copied().collect(), words: "0/2".to_owned() };
        assert_eq!(waiting(&waits(&[Obstacle::Cards, Obstacle::Cpu])), "等待集群安排节点：CPU 不足，没有空闲的合适显卡");
        assert_eq!(waiting(&waits(&[])), "等待集群安排节点：0/2");
    }

    #[test]
    fn long_lists_are_cut_short() {
        let rights: Vec<String> = (0..12).map(|at| format!("get kind{at}")).collect();
        let finding = Finding::new("rights", "missing", Verdict::Failed).with("rights", rights);
        let detail = words_of(&finding).unwrap().detail;
        assert!(detail.starts_with("缺少：get kind0、") && detail.ends_with("get kind9 等 12 项"), "{detail}");
    }
}
