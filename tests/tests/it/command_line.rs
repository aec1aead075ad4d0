//! The command line's messages are in Chinese, for any input.

use rstest::rstest;
use tests::Setup;

/// Words that clap has of its own.
fn has_english(text: &str) -> bool {
    let words = ["Usage", "Options", "Commands", "Arguments", "OPTIONS", "Print", "error", "default", "help for"];
    words.iter().any(|word| text.contains(word))
}

#[rstest]
#[case(&["--help"], &["用法：yunlab [选项] [命令]", "命令:", "选项:", "显示帮助", "显示版本"])]
#[case(&["help"], &["用法：yunlab [选项] [命令]"])]
#[case(&["admin", "create", "--help"], &["用法：yunlab admin create [选项] <USERNAME>", "参数:", "选项:"])]
#[case(&["healthcheck", "-h"], &["--wait"])]
#[test]
fn help_is_chinese(#[case] arguments: &[&str], #[case] said: &[&str]) {
    let ran = Setup::bare().run(arguments);
    let text = ran.expect_ok();
    assert!(said.iter().all(|part| text.contains(part)) && !has_english(text), "{text}");
}

#[rstest]
#[case(&["--bogus"], "不认识 --bogus")]
#[case(&["--listn", "x"], "不认识 --listn，您要的可能是 --listen")]
#[case(&["serv"], "没有命令 serv，您要的可能是 serve")]
#[case(&["admin"], "用法：yunlab admin [选项] <命令>")]
#[case(&["admin", "create"], "缺少 <USERNAME>")]
#[case(&["admin", "create", "a", "b"], "不认识 b")]
#[case(&["--listen"], "--listen <ADDR:PORT> 后面缺少值")]
#[case(&["healthcheck", "--wait", "soon"], "--wait <SECONDS> 不能是“soon”")]
#[case(&["--listen", "a", "--listen", "b"], "--listen <ADDR:PORT> 只能写一次")]
#[case(&["admin", "restore", "nowhere"], "打开 nowhere：文件或目录不存在")]
#[case(&["admin", "restore", "yunlab.toml"], "不是备份文件")]
#[case(&["admin", "backup", "nowhere/x"], "不是平台的数据目录")]
#[test]
fn mistakes_are_told_in_chinese(#[case] arguments: &[&str], #[case] said: &str) {
    let ran = Setup::bare().file("yunlab.toml", "").run(arguments);
    let text = ran.expect_refused();
    assert!(text.contains(said) && !has_english(text), "{text}");
}
