//! Notices of the real binary: two portals on one database, and a kill while a mail is being sent.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{MailMode, TestMail};
use tests::{Client, Server, Setup, until};

use crate::metrics::with_metrics;
use crate::portals::{beside, listen, looks_after_servers, next_word};

const PATIENCE: Duration = Duration::from_secs(60);
const PASSWORD: &str = "lab2026a";

/// An administrator with an address, and a user who files a request; their mail goes to this server.
async fn people(server: &Server, mail: &TestMail) -> (Client, Client, Client) {
    let admin = server.admin().await;
    admin.put("/api/settings/mail", mail.settings()).await.is(200);
    let zhao = json!({ "username": "zhao", "password": PASSWORD, "name": "zhao", "email": "zhao@lab.cn", "role": 1 });
    admin.post("/api/users", zhao).await.is(201);
    admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD, "name": "ann" })).await.is(201);
    (admin, server.sign_in("zhao", PASSWORD).await, server.sign_in("ann", PASSWORD).await)
}

async fn ask(who: &Client) {
    let order = json!({ "type": "fault", "title": "显存报错", "content": "卡 3" });
    who.post("/api/worksheets", order).await.is(201);
}

async fn waiting(admin: &Client) -> Value {
    admin.get("/api/settings/mail").await.expect(200)["waiting"].clone()
}

async fn nothing_waits(admin: &Client) {
    until("nothing to wait", PATIENCE, async || (waiting(admin).await == 0).then_some(())).await;
}

async fn took(mail: &TestMail, count: usize) {
    until("the mail", PATIENCE, async || (mail.mails().len() >= count).then_some(())).await;
}

/// Reads a page's messages up to this one.
async fn hears(socket: &mut crate::portals::Socket, word: &str) {
    while next_word(socket).await != word {}
}

#[tokio::test]
async fn a_notice_of_one_portal_is_heard_at_the_other_and_mailed_by_one_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let mail = TestMail::start(MailMode::Plain);
    let mut first = Server::start(with_metrics(setup)).await;
    let second = Server::start(beside(&first)).await;
    let (admin, zhao, ann) = people(&first, &mail).await;
    let there = |who: &Client| second.anonymous().with_token(who.token());
    let mut heard = listen(&second, &zhao).await;
    let mut ann_heard = listen(&second, &ann).await;
    ask(&ann).await;
    hears(&mut heard, "notices changed").await;
    let unread = there(&zhao).get("/api/notices/unread").await.expect(200);
    assert_eq!(unread["unread"], 1);

    // Read at one portal, of which the pages at the other are notified.
    let mut at_first = listen(&first, &zhao).await;
    there(&zhao).post("/api/notices/read", json!({ "all": true })).await.is(200);
    hears(&mut at_first, "notices changed").await;
    assert_eq!(zhao.get("/api/notices/unread").await.expect(200)["unread"], 0);

    // Only the leading portal sends, and the other takes over when it has ended.
    took(&mail, 1).await;
    assert!(looks_after_servers(&first).await && !looks_after_servers(&second).await);
    // A kill before it is recorded as sent would make it be sent again, much later.
    nothing_waits(&admin).await;
    first.kill_hard();
    ask(&there(&ann)).await;
    took(&mail, 2).await;
    nothing_waits(&there(&admin)).await;
    assert_eq!(mail.mails().len(), 2);

    // Ann got messages about her orders, but no notice: users are not notified of their own actions.
    let said = json!({ "content": "在看" });
    let order = there(&ann).get("/api/worksheets").await.expect(200)["Worksheets"][0]["id"].clone();
    hears(&mut ann_heard, "worksheets changed").await;
    hears(&mut ann_heard, "worksheets changed").await;
    let path = format!("/api/worksheets/{}/replies", order.as_str().expect("an id"));
    there(&zhao).post(&path, said).await.is(200);
    let mut words = vec![next_word(&mut ann_heard).await, next_word(&mut ann_heard).await];
    words.sort();
    assert_eq!(words, ["notices changed", "worksheets changed"]);
}

#[tokio::test]
async fn a_kill_between_sending_and_noting_sends_once_more() {
    let mail = TestMail::start(MailMode::StartTls);
    let mut server = Server::start(Setup::new()).await;
    let (_, _, ann) = people(&server, &mail).await;
    // The mail is taken, and the portal does not hear that.
    mail.hold();
    ask(&ann).await;
    took(&mail, 1).await;
    server.kill_hard();
    mail.release();
    server.start_again().await;
    took(&mail, 2).await;
    nothing_waits(&server.admin().await).await;
    let mails = mail.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].part("id"), mails[1].part("id"), "the same mail to its reader");
}
