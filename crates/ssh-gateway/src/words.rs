//! What clients are told beside what programs say: in Chinese, and in ASCII for clients that show nothing else.

use crate::{Reason, Refusal};

/// Shown when none of a client's keys is known. OpenSSH shows this in its log, where only ASCII can be read.
pub(crate) const NO_KEY: &str = "None of your SSH keys is known here. Add the public key of this computer on the profile \
    page (SSH keys) of the web portal, and check the user or instance name.";

/// The reason in ASCII.
pub(crate) fn in_ascii(reason: Reason) -> &'static str {
    match reason {
        Reason::NotFound => "no such instance, or not yours",
        Reason::NotRunning => "the instance is not running",
        Reason::Unreachable => "the server of this instance does not answer",
        Reason::WithoutTools => "restart the instance once on the web page, then SSH works",
        Reason::TooMany => "too many connections",
        Reason::Ended => "you may not use this instance any more",
        Reason::Stopping => "the service is restarting, please connect again",
        Reason::Other => "not possible now",
    }
}

/// A refusal as it is shown on standard error.
pub(crate) fn shown(refusal: &Refusal) -> String {
    format!("云实验室：{}\r\nYunLab: {}\r\n", refusal.words, in_ascii(refusal.reason))
}

/// Where an instance has to be named.
pub(crate) fn which_instance() -> Refusal {
    Refusal::new(
        Reason::NotFound,
        "请写明实例，如 ssh 实例名@主机，或 ssh 用户名+实例名@主机；在终端里直接 ssh 用户名@主机 可以从列表里选择",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_a_line_that_every_client_can_show() {
        let shown = shown(&Refusal::new(Reason::NotRunning, "实例已停止"));
        let lines: Vec<&str> = shown.split("\r\n").collect();
        assert_eq!(lines, ["云实验室：实例已停止", "YunLab: the instance is not running", ""]);
        assert!(lines[1].is_ascii());
    }
}
