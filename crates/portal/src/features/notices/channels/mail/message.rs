//! A notice as a mail in plain text, with safe headers; without I/O.

use std::time::{Duration, SystemTime};

use kernel::{Timestamp, rules};
use lettre::Address;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};

use super::super::Sender;
use super::model::{MailContent, MailServer};
use crate::features::notices::UserNoticeKind;

const LONGEST_SUBJECT: usize = 200;
const LONGEST_NAME: usize = 100;

/// The text of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MailText {
    /// The platform.
    product: String,
    subject: String,
    body: String,
}

impl MailText {
    /// `kind`: `None` for a kind of another version.
    pub(crate) fn of(content: &MailContent, kind: Option<UserNoticeKind>, from: &Sender) -> Self {
        let mut lines = vec![content.title.clone(), content.words.clone()];
        lines.extend(from.link(&content.link));
        let about = kind.map_or("这", |kind| kind.group().label());
        lines.push(format!(
            "—\n这封邮件由 {} 自动发出，请勿回复。不想再收到{about}类的邮件，可在“个人资料”关闭。",
            from.product
        ));
        Self::new(from, &content.title, &lines)
    }

    /// For trying settings out.
    pub(crate) fn test(by: &str, from: &Sender) -> Self {
        let lines = [format!("{by} 在设置页面发送。收到这封邮件，说明通知可以送达。")];
        Self::new(from, "测试邮件", &lines)
    }

    fn new(from: &Sender, title: &str, paragraphs: &[String]) -> Self {
        let subject = rules::as_line(&format!("【{}】{title}", from.product), LONGEST_SUBJECT);
        let lines: Vec<String> = paragraphs.iter().map(|text| as_text(text)).collect();
        Self { product: from.product.clone(), subject, body: lines.join("\n\n") + "\n" }
    }
}

/// Line breaks stay; other control characters and marks of direction don't.
fn as_text(text: &str) -> String {
    text.split('\n').map(|line| rules::as_line(line, usize::MAX)).collect::<Vec<_>>().join("\n")
}

/// The recipient of a mail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipient<'a> {
    /// May be empty.
    pub(crate) name: &'a str,
    pub(crate) address: &'a str,
}

/// Builds the mail. Its id is the delivery's, so that a mail client recognises a repeated one.
///
/// # Errors
/// The part that can't be put into a mail, in words.
pub(crate) fn build(
    server: &MailServer,
    id: &str,
    at: Timestamp,
    to: Recipient<'_>,
    text: &MailText,
) -> Result<Message, String> {
    let sender = address(&server.from).ok_or("发件人地址不是邮箱地址")?;
    let recipient = address(to.address).ok_or("收件人地址不是邮箱地址")?;
    let message_id = format!("<{id}@{}>", sender.domain());
    let from_name = if server.from_name.is_empty() { &text.product } else { &server.from_name };
    let automatic = HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
    Message::builder()
        .from(Mailbox::new(name(from_name), sender))
        .to(Mailbox::new(name(to.name), recipient))
        .subject(text.subject.as_str())
        .date(time(at))
        .message_id(Some(message_id))
        .raw_header(automatic)
        .header(ContentType::TEXT_PLAIN)
        .body(text.body.clone())
        .map_err(|error| format!("邮件拼不起来：{error}"))
}

fn time(at: Timestamp) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or_default())
}

fn address(text: &str) -> Option<Address> {
    if rules::is_email(text) { text.parse().ok() } else { None }
}

fn name(text: &str) -> Option<String> {
    Some(rules::as_line(text.trim(), LONGEST_NAME)).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::model::MailTarget;
    use super::*;

    fn from() -> Sender {
        Sender { product: "云实验室".to_owned(), base_url: "https://lab.cn/".to_owned() }
    }

    fn content(title: &str) -> MailContent {
        MailContent {
            user: 1,
            title: title.to_owned(),
            words: "ann 回复了工单".to_owned(),
            link: "/profile/worksheet?one=7".to_owned(),
        }
    }

    fn built(title: &str, person: &str) -> String {
        let mut server = MailTarget::default().server;
        server.from = "lab@lab.cn".to_owned();
        let text = MailText::of(&content(title), Some(UserNoticeKind::WorksheetReplied), &from());
        let to = Recipient { name: person, address: "ann@lab.cn" };
        let mail = build(&server, "n1", Timestamp::from_millis(1_599_360_473_123), to, &text).unwrap();
        String::from_utf8(mail.formatted()).unwrap()
    }

    #[test]
    fn a_mail_says_what_happened_and_where() {
        let text = MailText::of(&content("工单 #1 显存报错"), Some(UserNoticeKind::WorksheetReplied), &from());
        assert_eq!(text.subject, "【云实验室】工单 #1 显存报错");
        assert!(text.body.starts_with(
            "工单 #1 显存报错\n\nann 回复了工单\n\nhttps://lab.cn/profile/worksheet?one=7\n\n—\n这封邮件由 云实验室"
        ));
        let nowhere = MailText::of(&content("x"), None, &Sender { base_url: String::new(), ..from() });
        assert!(!nowhere.body.contains("http"));
    }

    #[test]
    fn nothing_that_people_write_becomes_a_header() {
        let hostile = "x\r\nBcc: all@lab.cn\r\n\r\n<script>\u{202e}";
        for mail in [built(hostile, "ann"), built("x", hostile), built(&"字".repeat(3000), &"名".repeat(3000))] {
            let (headers, _) = mail.split_once("\r\n\r\n").unwrap();
            for line in headers.split("\r\n") {
                assert!(line.len() <= 998 && line.is_ascii(), "{line}");
                let name = line.split(':').next().unwrap();
                let known = [
                    "From",
                    "To",
                    "Subject",
                    "Date",
                    "Message-ID",
                    "Auto-Submitted",
                    "Content-Type",
                    "Content-Transfer-Encoding",
                    "MIME-Version",
                ];
                assert!(line.starts_with(' ') || known.contains(&name), "{line}");
            }
        }
    }

    #[test]
    fn the_same_delivery_is_the_same_mail() {
        assert!(built("x", "").contains("Message-ID: <n1@lab.cn>\r\n"));
        assert!(built("x", "").contains("Auto-Submitted: auto-generated\r\n"));
    }
}
