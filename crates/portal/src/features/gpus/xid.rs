//! NVIDIA's Xid numbers and the action that each calls for, after the immediate action in NVIDIA's Xid catalogue. For
//! cards before Ampere, which the catalogue leaves out, after its older list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a report calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum XidClass {
    /// The machine must be restarted, or the hardware inspected.
    Fatal,
    /// Nothing on the card is to be trusted until it is reset.
    NeedsReset,
    /// The program that ran failed. The card is all right.
    Application,
    /// Nothing, by itself.
    Information,
}

impl XidClass {
    /// Whether the card is out of order.
    pub(crate) const fn is_fault(self) -> bool {
        matches!(self, Self::Fatal | Self::NeedsReset)
    }
}

/// `words` is the driver's text after the number: for two numbers only the text decides the severity.
pub(super) fn class_of(code: i64, words: &str) -> XidClass {
    match code {
        54 | 79 => XidClass::Fatal,
        46 | 48 | 61 | 62 | 64 | 74 | 95 | 109 | 110 | 119 | 120 | 136 | 140 | 143 | 151 | 155 | 156 | 158 => {
            XidClass::NeedsReset
        }
        // The links of NVLink 5 report both kinds of errors by the same number.
        144..=150 if words.split(' ').any(|word| word == "Fatal") => XidClass::NeedsReset,
        154 => recovery(words),
        8 | 11 | 13 | 25 | 31 | 32 | 39..=41 | 43 | 45 | 60 | 68..=72 | 75..=77 | 80 | 82..=86 | 88 | 89 | 94 => {
            XidClass::Application
        }
        96..=105 | 126..=135 | 139 => XidClass::Application,
        _ => XidClass::Information,
    }
}

/// `GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)`.
fn recovery(words: &str) -> XidClass {
    let wanted = words.rsplit_once(" to ").map_or("", |(_, wanted)| wanted).to_ascii_lowercase();
    if wanted.contains("reboot") {
        XidClass::Fatal
    } else if wanted.contains("reset") {
        XidClass::NeedsReset
    } else {
        XidClass::Information
    }
}

/// The meaning of a number; empty for rare ones.
pub(super) const fn meaning(code: i64) -> &'static str {
    match code {
        8 | 43 => "程序在卡上停止响应",
        11 | 32 | 80 => "程序给显卡的命令有误",
        13 => "程序在卡上运行出错（常见于越界访问）",
        31 => "程序访问了无效的显存地址",
        45 => "程序异常退出后的清理",
        46 => "显卡停止响应",
        48 => "显存出现不可纠正的错误",
        54 => "显卡的辅助供电没有接好",
        61 | 62 => "显卡内部控制器停止工作",
        63 => "一处显存已标记替换",
        64 => "显存替换失败",
        68 | 69 => "程序使用的解码或图形引擎出错",
        74 => "NVLink 出错",
        79 => "显卡从总线上掉线",
        92 => "可纠正的显存错误过多",
        94 => "显存错误，只影响出错的程序",
        95 => "显存错误，影响卡上所有程序",
        109 => "切换程序时显卡超时",
        110 => "显卡安全引擎出错",
        119 | 120 => "显卡固件（GSP）没有响应或出错",
        136 => "NVLink 训练失败",
        140 => "显卡有未恢复的显存错误",
        143 => "显卡初始化失败",
        144..=150 => "NVLink 5 出错",
        154 => "驱动给出的恢复办法变了",
        158 => "显卡严重超时",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_fail_are_no_fault_of_the_card() {
        for code in [8, 13, 31, 32, 43, 45, 68, 69, 94] {
            assert_eq!(class_of(code, ""), XidClass::Application, "{code}");
        }
        for code in [0, 14, 38, 63, 92, 137, 152, 160, 999, -1] {
            assert_eq!(class_of(code, ""), XidClass::Information, "{code}");
        }
    }

    #[test]
    fn hardware_takes_a_reset_or_hands() {
        for code in [46, 48, 62, 64, 74, 95, 109, 119, 120, 140, 143, 158] {
            assert_eq!(class_of(code, ""), XidClass::NeedsReset, "{code}");
            assert!(!meaning(code).is_empty(), "{code}");
        }
        assert_eq!(class_of(79, "GPU has fallen off the bus."), XidClass::Fatal);
    }

    #[test]
    fn two_numbers_say_in_words_how_bad_it_is() {
        assert_eq!(class_of(149, "NETIR_LINK_EVT Fatal XC0 i0 Link 12"), XidClass::NeedsReset);
        assert_eq!(class_of(149, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 12"), XidClass::Information);
        let changed = |to: &str| class_of(154, &format!("GPU recovery action changed from 0x0 (None) to {to}"));
        assert_eq!(changed("0x1 (GPU Reset Required)"), XidClass::NeedsReset);
        assert_eq!(changed("0x2 (Node Reboot Required)"), XidClass::Fatal);
        assert_eq!(changed("0x4 (Drain and Reset)"), XidClass::NeedsReset);
        assert_eq!(changed("0x0 (None)"), XidClass::Information);
        assert_eq!(
            class_of(154, "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"),
            XidClass::Information
        );
    }
}
