//! `yunlab admin import`: from databases that a real File Browser made (`tests/fixtures/filebrowser`).

use std::fs::{self, File};
use std::path::Path;

use rstest::rstest;
use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use tests::{Answer, Client, Server, Setup, root};

use crate::admin::admin;
use crate::storage_host::{at, host_of, portal};

const ANN: (&str, &str) = ("ann", "ann-Secret-1");
const SHARE_PASSWORD: &str = "open-Sesame-1";
/// All users are imported.
const RENAMED: [&str; 5] = ["--yes", "--rename", "Ann=ann2", "--rename", "li-lei=lilei"];

fn sample() -> Vec<u8> {
    let packed = File::open(root().join("tests/fixtures/filebrowser/2.63.23.db.zst")).expect("a fixture");
    zstd::decode_all(packed).expect("it is packed by zstd")
}

fn database(setup: &Setup) -> String {
    let path = setup.dir().join("filebrowser.db");
    fs::write(&path, sample()).expect("it is written");
    path.display().to_string()
}

/// Runs an import; returns its output.
pub(crate) fn import(setup: &Setup, file: &str, options: &[&str]) -> String {
    admin(setup, &[&["import", file], options].concat(), None).expect_ok().to_owned()
}

/// The line that speaks of this.
#[track_caller]
fn line<'a>(said: &'a str, of: &str) -> &'a str {
    said.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("no {of} in {said}"))
}

/// Copies the File Browser's files to where the report says.
pub(crate) fn copy_files(disk: &Path) {
    let files = [
        ("home/ann/docs/report.txt", "report\n"),
        ("home/ann/private/hidden.txt", "hidden\n"),
        ("home/ann/secret/plan.txt", "plan\n"),
        ("home/boss/movies/film.mp4", "movie\n"),
    ];
    for (path, content) in files {
        let path = disk.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, content).expect("the file is written");
    }
}

async fn total(server: &Server) -> Value {
    server.admin().await.get("/api/users").await.expect(200)["total"].clone()
}

/// The address of the link that the report has on this line.
fn hash(said: &str, of: &str) -> String {
    line(said, of).trim().split('：').next().expect("an address").to_owned()
}

async fn visit(server: &Server, hash: &str, password: Option<&str>) -> Answer {
    let visitor = server.anonymous();
    let request = visitor.request(http::Method::GET, &format!("/disk/api/public/share/{hash}"));
    let request = password.iter().fold(request, |request, password| request.header("X-SHARE-PASSWORD", *password));
    visitor.send(request).await
}

#[tokio::test]
async fn without_yes_it_only_says_what_it_would_do() {
    let server = Server::start(Setup::new()).await;
    let file = database(server.setup());
    let said = import(server.setup(), &file, &[]);
    assert!(said.contains("用户 7 个，分享 6 个，全局规则 2 条") && said.contains("这是预演"), "{said}");
    for (of, words) in [
        ("  boss：", "新建账号"),
        ("  Ann：", "与 ann 只有大小写不同"),
        ("  li-lei：", "--rename li-lei=新名"),
        ("规则：禁止 /private", "→ /home/private"),
        ("规则：禁止 正则", r"→ 正则 ^/home(?:/notes/.*\.key$)"),
        ("  禁止 /secret", "→ /home/boss/secret、/home/secret"),
        ("ann 的 /home/docs/report.txt（永久）", "文件还不在"),
        ("ann 的 /home/docs（到 2126-11-01，有密码）", "文件还不在"),
        ("ann 的 /docs/report.txt（到 2026-11-25）", "已过期"),
        ("boss 的 /home/ann/docs/report.txt", "文件还不在"),
        ("team1 的 /plan.txt", "没有对应的位置"),
        ("team1、team2 共用的目录 /team", "--place /team=groups/用户组"),
        ("cp -aT /srv/filebrowser/users/ann ", "/disk/home/ann"),
        ("rsync -a --exclude=/team/ --exclude=/users/ann/ ", " /srv/filebrowser/ "),
        ("  · 自己注册", "管理员"),
        ("hooks", "不运行"),
    ] {
        assert!(line(&said, of).contains(words), "{of}: {said}");
    }
    assert_eq!(total(&server).await, 1);
    assert_eq!(fs::read(&file).expect("it is there"), sample(), "the File Browser's database was changed");
}

#[tokio::test]
async fn people_come_with_passwords_rights_rules_and_links() {
    moved(Setup::new()).await;
}

#[tokio::test]
async fn people_come_to_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    moved(setup).await;
}

async fn moved(setup: Setup) {
    let server = Server::start(setup).await;
    let file = database(server.setup());
    let said = import(server.setup(), &file, &RENAMED);
    assert!(said.contains("已导入：账号 7 个，网盘用户 7 个，全局规则 4 条，分享 0 个"), "{said}");
    passwords(&server).await;
    let ann = server.sign_in(ANN.0, ANN.1).await;
    copy_files(&server.setup().data_dir().join("disk"));
    rights(&server, &ann).await;
    let said = import(server.setup(), &file, &RENAMED);
    assert!(said.contains("已导入：账号 0 个，网盘用户 0 个，全局规则 0 条，分享 4 个"), "{said}");
    links(&server, &said).await;
    let said = import(server.setup(), &file, &RENAMED);
    assert!(said.contains("已经导入过，没有新的内容") && said.contains("已经有了"), "{said}");
    assert_eq!(total(&server).await, 8);
}

/// The old password is right, at the first time and, with a hash of our own, after that.
async fn passwords(server: &Server) {
    let tried = |name: &'static str, password: &'static str| async move {
        let body = json!({ "username": name, "password": password });
        server.anonymous().post("/api/auth", body).await.status.as_u16()
    };
    let own = "update users set active = active where username = 'ann' and password_hash like '$argon2id$%'";
    assert_eq!((server.sql(own).await, tried("ann", "ann-Secret-2").await), (0, 422));
    for _ in 0..2 {
        assert_eq!((tried(ANN.0, ANN.1).await, server.sql(own).await), (200, 1));
    }
    assert_eq!((tried("ann", "ann-Secret-2").await, tried("nobody", ANN.1).await), (422, 422));
    assert_eq!((tried("ann2", "other-Secret-1").await, tried("lilei", "lilei-Secret-1").await), (200, 200));
    let ann = server.sign_in(ANN.0, ANN.1).await;
    let id = server.admin().await.get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone();
    let change = json!({ "oldPassword": ANN.1, "newPassword": "fresh2026" });
    let locked = ann.put(&format!("/api/users/{id}/passwd"), change).await;
    assert_eq!(locked.expect(409)["code"], "password_locked");
}

async fn rights(server: &Server, ann: &Client) {
    let boss = server.sign_in("boss", "boss-Secret-1").await;
    boss.get("/api/users").await.is(200);
    ann.get("/api/users").await.is(403);
    let users = boss.get("/disk/api/users").await.json();
    let user = |name: &str| {
        let found = users.as_array().into_iter().flatten().find(|user| user["username"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {users:#}")).clone()
    };
    let of_ann = user("ann");
    let expected = json!(["mosaic", true, true, ["git", "ls"], { "by": "size", "asc": false }, "/"]);
    let names = ["viewMode", "hideDotfiles", "lockPassword", "commands", "sorting", "scope"];
    assert_eq!(json!(names.map(|name| &of_ann[name])), expected);
    assert_eq!(of_ann["perm"]["execute"], true);
    let of_bob = user("bob");
    assert_eq!(of_bob["sorting"], json!({ "by": "name", "asc": false }), "asc is the other way round there");
    let may = ["create", "rename", "modify", "delete", "share", "execute", "admin", "download"];
    assert_eq!(may.map(|name| of_bob["perm"][name] == true), [false, false, false, false, false, false, false, true]);
    // Bob may not write, and the rules of all and of ann hold.
    let bob = server.sign_in("bob", "bob-Secret-1").await;
    bob.upload("/home/x.txt", "x").await.is(403);
    ann.download("/home/docs/report.txt").await.is(200);
    for denied in ["/home/private/hidden.txt", "/home/secret/plan.txt"] {
        ann.download(denied).await.is(403);
    }
    ann.upload("/home/notes/a.key", "x").await.is(403);
    ann.upload("/home/notes/a.bak", "x").await.is(403);
    ann.upload("/home/notes/a.txt", "x").await.is(200);
}

async fn links(server: &Server, said: &str) {
    let of_file = hash(said, "ann 的 /home/docs/report.txt（永久）");
    let shared = visit(server, &of_file, None).await;
    assert_eq!(shared.expect(200)["name"], "report.txt");
    let content = server.anonymous().get(&format!("/disk/api/public/dl/{of_file}")).await;
    assert_eq!(&content.body[..], b"report\n");
    let of_folder = hash(said, "ann 的 /home/docs（到 2126-11-01，有密码）");
    let own =
        format!("update disk_shares set downloads = 0 where hash = '{of_folder}' and password like '$argon2id$%'");
    visit(server, &of_folder, None).await.is(401);
    visit(server, &of_folder, Some("open-Sesame-2")).await.is(401);
    assert_eq!(server.sql(&own).await, 0);
    for _ in 0..2 {
        let inside = visit(server, &of_folder, Some(SHARE_PASSWORD)).await.expect(200);
        assert_eq!(inside["items"][0]["name"], "report.txt", "{inside:#}");
        assert_eq!(server.sql(&own).await, 1);
        let token = inside["token"].as_str().expect("a token");
        server.anonymous().get(&format!("/disk/api/public/dl/{of_folder}/report.txt?token={token}")).await.is(200);
    }
    for (of, owner) in [("boss 的 /home/boss/movies/film.mp4", "boss"), ("boss 的 /home/ann/docs/report.txt", "boss")]
    {
        visit(server, &hash(said, of), None).await.is(200);
        let owners = server.sign_in(owner, "boss-Secret-1").await.get("/disk/api/shares").await.json();
        assert!(owners.as_array().is_some_and(|all| all.iter().any(|one| one["hash"] == hash(said, of))), "{owners:#}");
    }
}

#[tokio::test]
async fn who_is_there_already_stays_as_they_are() {
    let server = Server::start(Setup::new()).await;
    let root = server.admin().await;
    root.post("/api/users", json!({ "username": "BOSS", "password": "lab2026a" })).await.is(201);
    let file = database(server.setup());
    let said = import(server.setup(), &file, &["--yes", "--no-admins"]);
    assert!(line(&said, "  BOSS（原名 boss）：").contains("看作同一个人，账号和密码不变，仍是普通用户"), "{said}");
    server.sign_in("boss", "lab2026a").await.get("/api/users").await.is(403);
    let wrong = json!({ "username": "boss", "password": "boss-Secret-1" });
    server.anonymous().post("/api/auth", wrong).await.is(422);
    let profile = root.get("/disk/api/users").await.json();
    assert!(profile.as_array().is_some_and(|all| all.iter().all(|one| one["perm"]["admin"] == (one["id"] == 1))));
}

#[tokio::test]
async fn a_folder_of_some_goes_where_it_is_said() {
    let server = Server::start(Setup::new()).await;
    let file = database(server.setup());
    let root = server.admin().await;
    let group = root.post("/api/groups", json!({ "name": "team" })).await.expect(201);
    let place = ["--yes", "--place", "/team=groups/team"];
    assert!(line(&import(server.setup(), &file, &place), "team1 的 /groups/team/plan.txt").contains("文件还不在"));
    let people = root.get("/api/users?q=team").await.expect(200);
    let ids: Vec<&Value> = people["items"].as_array().into_iter().flatten().map(|person| &person["id"]).collect();
    root.post(&format!("/api/groups/{}/members", group["id"]), json!({ "users": ids })).await.is(200);
    let team = server.sign_in("team1", "team1-Secret-1").await;
    team.upload("/groups/team/plan.txt", "plan").await.is(200);
    let said = import(server.setup(), &file, &place);
    assert!(line(&said, "team1 的 /groups/team/plan.txt").contains("链接不变"), "{said}");
    visit(&server, &hash(&said, "team1 的 /groups/team/plan.txt"), None).await.is(200);
}

#[tokio::test]
async fn a_storage_host_takes_its_part() {
    let portal = portal().await;
    let host = host_of(&portal).await;
    let file = database(portal.setup());
    let early = import(host.setup(), &file, &["--yes"]);
    assert!(line(&early, "  ann：").contains("请先在平台上导入"), "{early}");
    let accounts = import(portal.setup(), &file, &["--yes", "--accounts-only"]);
    assert!(accounts.contains("账号 5 个，网盘用户 0 个") && accounts.contains("到存储节点上"), "{accounts}");
    copy_files(&host.setup().data_dir().join("disk"));
    let said = import(host.setup(), &file, &["--yes"]);
    assert!(said.contains("已导入：账号 0 个，网盘用户 5 个，全局规则 4 条，分享 4 个"), "{said}");
    let ann = at(&host, &portal.sign_in(ANN.0, ANN.1).await);
    ann.download("/home/docs/report.txt").await.is(200);
    ann.download("/home/private/hidden.txt").await.is(403);
    visit(&host, &hash(&said, "ann 的 /home/docs/report.txt（永久）"), None).await.is(200);
}

#[rstest]
#[case::empty(b"".to_vec(), "文件是空的")]
#[case::text(b"ann:boss\n".to_vec(), "不是 bbolt 数据库")]
#[case::cut(sample()[..20_000].to_vec(), "已损坏或不完整")]
fn what_is_no_database_of_a_file_browser_is_refused(#[case] content: Vec<u8>, #[case] words: &str) {
    let setup = Setup::new();
    let path = setup.dir().join("filebrowser.db");
    fs::write(&path, content).expect("it is written");
    let refused = admin(&setup, &["import", &path.display().to_string(), "--yes"], None);
    assert!(refused.expect_refused().contains(words), "{refused:?}");
    assert!(!setup.data_dir().exists(), "not even a folder is made");
}

#[test]
fn a_missing_file_a_folder_and_wrong_words_are_refused() {
    let setup = Setup::new();
    let file = database(&setup);
    let folder = setup.dir().display().to_string();
    for (arguments, words) in [
        (&["import", "nothing.db"][..], "文件或目录不存在"),
        (&["import", &folder], "不是文件"),
        (&["import", &file, "--rename", "nobody=ann"], "没有用户 nobody"),
        (&["import", &file, "--rename", "ann"], "旧名=新名"),
        (&["import", &file, "--place", "/team=../etc"], "--place 的位置"),
        (&["import", &file], "没有数据目录"),
    ] {
        let refused = admin(&setup, arguments, None);
        assert!(refused.expect_refused().contains(words), "{arguments:?} {refused:?}");
    }
}

#[tokio::test]
async fn while_the_file_browser_runs_only_the_plan_is_made() {
    let server = Server::start(Setup::new()).await;
    let file = database(server.setup());
    // As bbolt holds it.
    let held = File::options().read(true).write(true).open(&file).expect("it opens");
    flock(&held, FlockOperation::LockExclusive).expect("nobody else holds it");
    assert!(import(server.setup(), &file, &[]).contains("File Browser 正在使用这个数据库"));
    let refused = admin(server.setup(), &["import", &file, "--yes"], None);
    assert!(refused.expect_refused().contains("请先停止它"), "{refused:?}");
    assert_eq!(total(&server).await, 1);
}
