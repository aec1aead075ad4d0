//! A notice as each kind of receiver wants it: words, body and signature; pure.
//!
//! Group robots as their makers document them: 企业微信 path/91770, 钉钉 “自定义机器人安全设置”, 飞书 “自定义机器人使用指南”.

use base64::{Engine, engine::general_purpose::STANDARD};
use db_kit::Word;
use kernel::Timestamp;
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::model::{Event, Format, GroupNotice, Target, WorksheetNotice};
use crate::features::notices::channels::Sender;

/// 企业微信 takes 2048 bytes of text.
const MOST_BYTES: usize = 2000;

/// A notice on its way.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    /// `None` for a test.
    pub(crate) event: Option<Event>,
    pub(crate) created: Timestamp,
    pub(crate) notice: GroupNotice,
}

/// A request about to be made.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) url: Url,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl GroupNotice {
    /// The title of the event, one line.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Worksheet(WorksheetNotice { number, title, .. }) => format!("工单 #{number} {title}"),
            Self::Finding { instance, .. } => format!("异常行为：实例 {instance}"),
            Self::Alert(one) => one.title.clone(),
            Self::Test { .. } => "测试消息".to_owned(),
        }
    }

    fn lines(&self) -> Vec<String> {
        match self {
            Self::Worksheet(one) => {
                vec![format!("{} {}", one.by, one.what), format!("申请人：{}", one.requester)]
            }
            Self::Finding { username, server, found, .. } => {
                vec![format!("发现{found}"), format!("用户：{username}，服务器：{server}")]
            }
            Self::Alert(one) => vec![one.words.clone(), format!("级别：{}", one.severity.label())],
            Self::Test { by } => vec![format!("{by} 在设置页面发送。收到这条消息，说明通知可以送达。")],
        }
    }

    /// The page with it, below the platform's address.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Worksheet(one) => format!("/profile/worksheet?one={}", one.id),
            Self::Finding { .. } => "/servers/finding_list".to_owned(),
            Self::Alert(_) => "/settings/alerts".to_owned(),
            Self::Test { .. } => String::new(),
        }
    }
}

impl Sender {
    /// Plain text. Robots call people out by `<…>` in it, which no user's words may do.
    fn text(&self, notice: &GroupNotice) -> String {
        let mut lines = vec![format!("【{}】{}", self.product, notice.title())];
        lines.extend(notice.lines());
        let mut text = lines.join("\n").replace('<', "＜").replace('>', "＞");
        let link = self.link(&notice.path()).unwrap_or_default();
        let mut room = MOST_BYTES.saturating_sub(link.len()).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        text.truncate(room);
        if link.is_empty() { text } else { format!("{text}\n{link}") }
    }
}

/// Builds the request for a message.
pub(crate) fn prepare(mut url: Url, target: &Target, from: &Sender, one: &Message, now: Timestamp) -> Prepared {
    let secret = target.secret.expose();
    let seconds = now.as_seconds().to_string();
    let mut headers = Vec::new();
    let body = match target.format {
        Format::Json => {
            let body = own(from, one).to_string();
            if !secret.is_empty() {
                let signature = mac(secret, &format!("{seconds}.{body}"));
                let hex: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
                headers.push(("x-yunlab-timestamp", seconds));
                headers.push(("x-yunlab-signature", format!("sha256={hex}")));
            }
            body
        }
        Format::Wecom => json!({ "msgtype": "text", "text": { "content": from.text(&one.notice) } }).to_string(),
        Format::Dingtalk => {
            if !secret.is_empty() {
                let millis = now.as_millis().to_string();
                let signature = STANDARD.encode(mac(secret, &format!("{millis}\n{secret}")));
                url.query_pairs_mut().append_pair("timestamp", &millis).append_pair("sign", &signature);
            }
            json!({ "msgtype": "text", "text": { "content": from.text(&one.notice) } }).to_string()
        }
        Format::Feishu => {
            let mut body = json!({ "msg_type": "text", "content": { "text": from.text(&one.notice) } });
            if !secret.is_empty() {
                // Here time and secret are the key, and nothing is signed with it.
                let signature = STANDARD.encode(mac(&format!("{seconds}\n{secret}"), ""));
                body["timestamp"] = seconds.into();
                body["sign"] = signature.into();
            }
            body.to_string()
        }
    };
    Prepared { url, headers, body }
}

/// For a program of the lab's own.
fn own(from: &Sender, one: &Message) -> Value {
    json!({
        "id": one.id,
        "event": one.event.map_or_else(|| "test".to_owned(), |event| Word(event).to_string()),
        "time": one.created,
        "from": from.product,
        "title": one.notice.title(),
        "text": from.text(&one.notice),
        "link": from.link(&one.notice.path()),
        "data": one.notice,
    })
}

fn mac(key: &str, text: &str) -> Vec<u8> {
    sign(&Key::new(HMAC_SHA256, key.as_bytes()), text.as_bytes()).as_ref().to_vec()
}

/// The result in a robot's answer: 企业微信 and 钉钉 in `errcode`, 飞书 in `code`, formerly `StatusCode`.
#[derive(Deserialize)]
struct Verdict {
    errcode: Option<i64>,
    errmsg: Option<String>,
    code: Option<i64>,
    msg: Option<String>,
    #[serde(rename = "StatusCode")]
    status_code: Option<i64>,
}

/// Whether the answer means that the message was accepted; else the reason.
pub(crate) fn verdict(format: Format, answer: &[u8]) -> Result<(), String> {
    if format == Format::Json {
        return Ok(());
    }
    let Ok(said) = serde_json::from_slice::<Verdict>(answer) else {
        return Err("应答不是群机器人的，请检查地址和格式".to_owned());
    };
    let (code, words) = match format {
        Format::Feishu => (said.code.or(said.status_code), said.msg),
        _ => (said.errcode, said.errmsg),
    };
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(format!("机器人拒绝了消息：{}（错误码 {code}）", words.unwrap_or_default().trim())),
        None => Err("应答里没有错误码，请检查地址和格式".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use kernel::Secret;
    use rstest::rstest;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_599_360_473_123);

    fn from() -> Sender {
        Sender { product: "云实验室".to_owned(), base_url: "https://lab.cn/".to_owned() }
    }

    fn order(title: &str) -> Message {
        let one = WorksheetNotice {
            id: "7".to_owned(),
            number: 12,
            title: title.to_owned(),
            requester: "ann".to_owned(),
            by: "ann".to_owned(),
            what: "提交了工单".to_owned(),
        };
        Message {
            id: "n1".to_owned(),
            event: Some(Event::WorksheetCreated),
            created: NOW,
            notice: GroupNotice::Worksheet(one),
        }
    }

    fn prepared(format: Format, secret: &str) -> Prepared {
        let target = Target { format, secret: Secret::new(secret), ..Target::default() };
        prepare(Url::parse("https://a.cn/send?access_token=x").unwrap(), &target, &from(), &order("显存报错"), NOW)
    }

    // The signatures were made with Python's hmac, as the makers' examples have it.
    #[test]
    fn dingtalk_is_signed_in_the_address() {
        let request = prepared(Format::Dingtalk, "SEC0815");
        let pairs: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
        assert_eq!(pairs[0], ("access_token".to_owned(), "x".to_owned()));
        assert_eq!(pairs[1], ("timestamp".to_owned(), "1599360473123".to_owned()));
        assert_eq!(pairs[2], ("sign".to_owned(), "37LnphvWz3te+4WksZrt8oetRw6giv1jbZ3R/89UBaI=".to_owned()));
        assert_eq!(prepared(Format::Dingtalk, "").url.query(), Some("access_token=x"));
    }

    #[test]
    fn feishu_is_signed_in_the_body() {
        let body: Value = serde_json::from_str(&prepared(Format::Feishu, "0815").body).unwrap();
        assert_eq!(
            (&body["timestamp"], &body["sign"]),
            (&json!("1599360473"), &json!("EoRnzK4gOKsFV98DjGJjNZqwGRP2cD55P8E8AWB/PTo="))
        );
        assert_eq!(body["msg_type"], "text");
        assert!(!prepared(Format::Feishu, "").body.contains("sign"));
    }

    #[test]
    fn ones_own_is_signed_in_headers() {
        let request = prepared(Format::Json, "0815");
        let expected = sign(
            &Key::new(HMAC_SHA256, b"0815"),
            [b"1599360473.".as_slice(), request.body.as_bytes()].concat().as_slice(),
        );
        let hex: String = expected.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            request.headers,
            [("x-yunlab-timestamp", "1599360473".to_owned()), ("x-yunlab-signature", format!("sha256={hex}"))]
        );
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!((&body["event"], &body["data"]["number"]), (&json!("worksheet_created"), &json!(12)));
        assert!(prepared(Format::Json, "").headers.is_empty());
    }

    #[test]
    fn words_are_plain_short_and_call_nobody_out() {
        let text = from().text(&order("<at user_id=\"all\"></at>").notice);
        assert_eq!(
            text,
            "【云实验室】工单 #12 ＜at user_id=\"all\"＞＜/at＞\nann 提交了工单\n申请人：ann\n\
             https://lab.cn/profile/worksheet?one=7"
        );
        let long = from().text(&order(&"字".repeat(3000)).notice);
        assert!(long.len() <= 2048 && long.ends_with("\nhttps://lab.cn/profile/worksheet?one=7"));
        let nowhere = Sender { base_url: String::new(), ..from() };
        assert!(nowhere.text(&order("x").notice).ends_with("申请人：ann"));
    }

    #[rstest]
    #[case(Format::Json, "<html>", "")]
    #[case(Format::Wecom, r#"{"errcode":0,"errmsg":"ok"}"#, "")]
    #[case(Format::Wecom, r#"{"errcode":93000,"errmsg":"invalid webhook url"}"#, "invalid webhook url（错误码 93000）")]
    #[case(Format::Dingtalk, r#"{"errcode":310000,"errmsg":"sign not match"}"#, "sign not match（错误码 310000）")]
    #[case(Format::Feishu, r#"{"StatusCode":0,"StatusMessage":"success"}"#, "")]
    #[case(Format::Feishu, r#"{"code":0,"msg":"success","data":{}}"#, "")]
    #[case(Format::Feishu, r#"{"code":19021,"msg":"sign match fail"}"#, "sign match fail（错误码 19021）")]
    #[case(Format::Feishu, r#"{"errcode":0}"#, "没有错误码")]
    #[case(Format::Wecom, "<html>登录</html>", "不是群机器人的")]
    fn what_robots_say(#[case] format: Format, #[case] answer: &str, #[case] fault: &str) {
        match verdict(format, answer.as_bytes()) {
            Ok(()) => assert_eq!(fault, ""),
            Err(said) => assert!(!fault.is_empty() && said.contains(fault), "{said}"),
        }
    }
}
