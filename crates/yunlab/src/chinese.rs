//! The command line in Chinese: clap's headings, texts and errors, and the operating system's errors. Names of options
//! and values are not translated.

use std::ffi::OsString;
use std::io;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};

const TEMPLATE: &str = "{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}";

/// Parses the command line, or prints the error. Help ends the process, like an error.
pub(crate) fn matches(mut command: Command, arguments: impl IntoIterator<Item = OsString>) -> ArgMatches {
    // Only then is clap's own part of it there.
    command.build();
    translated(command).try_get_matches_from(arguments).unwrap_or_else(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            error.exit()
        }
        _ => {
            crate::say::error(&format!("{}\n用 --help 查看用法", fault(&error)));
            std::process::exit(error.exit_code())
        }
    })
}

fn translated(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").replace("[OPTIONS]", "[选项]").replace("COMMAND", "命令");
    let command = command.override_usage(usage).help_template(TEMPLATE).subcommand_help_heading("命令");
    let command = if command.get_name() == "help" { command.about("显示帮助") } else { command };
    command.mut_args(argument).mut_subcommands(translated)
}

fn argument(argument: Arg) -> Arg {
    let heading = if argument.is_positional() { "参数" } else { "选项" };
    let argument = argument.help_heading(heading);
    match argument.get_id().as_str() {
        "help" => argument.help("显示帮助"),
        "version" => argument.help("显示版本"),
        _ => argument,
    }
}

/// The error in Chinese, with the words that it is about.
fn fault(error: &clap::Error) -> String {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(" "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        _ => String::new(),
    };
    let (argument, value) = (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue));
    let meant = |kind| match said(kind) {
        meant if meant.is_empty() => meant,
        meant => format!("，您要的可能是 {meant}"),
    };
    match error.kind() {
        ErrorKind::UnknownArgument => format!("不认识 {argument}{}", meant(ContextKind::SuggestedArg)),
        ErrorKind::InvalidSubcommand => {
            format!("没有命令 {}{}", said(ContextKind::InvalidSubcommand), meant(ContextKind::SuggestedSubcommand))
        }
        ErrorKind::MissingRequiredArgument => format!("缺少 {argument}"),
        ErrorKind::MissingSubcommand => "缺少命令".to_owned(),
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} 后面缺少值"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => format!("{argument} 不能是“{value}”"),
        ErrorKind::TooManyValues => format!("{argument} 不要“{value}”这么多值"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => format!("{argument} 的值的个数不对"),
        ErrorKind::NoEquals => format!("{argument} 和它的值之间应有等号"),
        ErrorKind::ArgumentConflict if said(ContextKind::PriorArg) == argument => format!("{argument} 只能写一次"),
        ErrorKind::ArgumentConflict => format!("{argument} 不能和 {} 一起用", said(ContextKind::PriorArg)),
        ErrorKind::InvalidUtf8 => "参数不是 UTF-8 文字".to_owned(),
        _ => error.to_string(),
    }
}

/// The causes of a failure, from the outermost operation to the root cause.
pub(crate) fn chain(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = match cause.downcast_ref::<io::Error>() {
            Some(fault) => io_fault(fault),
            None => Some(cause.to_string()),
        };
        // An outer error often repeats its cause.
        said.extend(text.filter(|text| !said.iter().any(|before| before.contains(text))));
    }
    if said.is_empty() { error.to_string() } else { said.join("：") }
}

/// The error of the system or a library in Chinese; `None` where the next cause says it.
fn io_fault(fault: &io::Error) -> Option<String> {
    let known = match (fault.kind(), fault.get_ref()) {
        (io::ErrorKind::UnexpectedEof, _) => "内容不完整",
        (_, Some(own)) => return own.source().is_none().then(|| own.to_string()),
        (io::ErrorKind::NotFound, None) => "文件或目录不存在",
        (io::ErrorKind::PermissionDenied, None) => "没有权限",
        (io::ErrorKind::AlreadyExists, None) => "已经存在",
        (io::ErrorKind::NotADirectory, None) => "路径中有一段不是目录",
        (io::ErrorKind::IsADirectory, None) => "是一个目录",
        (io::ErrorKind::ReadOnlyFilesystem, None) => "文件系统只读",
        (io::ErrorKind::StorageFull, None) => "磁盘已满",
        (io::ErrorKind::QuotaExceeded, None) => "超出磁盘配额",
        (io::ErrorKind::AddrInUse, None) => "地址已被占用",
        (io::ErrorKind::AddrNotAvailable, None) => "本机没有这个地址",
        (io::ErrorKind::ConnectionRefused, None) => "连接被拒绝",
        (io::ErrorKind::TimedOut, None) => "超时",
        (_, None) => return Some(fault.to_string()),
    };
    Some(known.to_owned())
}
