//! The sources of the configuration, their priority, and the messages about mistakes.

use std::fs;

use rstest::rstest;
use tests::{Server, Setup, root};

/// One line of `config show`.
fn shown(setup: &Setup, arguments: &[&str], key: &str) -> String {
    let arguments = [&["config", "show"], arguments].concat();
    let output = setup.run(&arguments);
    let line = output.expect_ok().lines().find(|line| line.starts_with(&format!("{key} =")));
    line.unwrap_or_else(|| panic!("no {key} in {output:?}")).to_owned()
}

#[test]
fn later_places_win_over_earlier_ones() {
    let setup = Setup::bare();
    assert_eq!(shown(&setup, &[], "listen"), "listen = \"127.0.0.1:8080\"  # 默认值");
    let setup = setup.file("yunlab.toml", "listen = \"127.0.0.1:1001\"\nstop_seconds = 5\n");
    assert_eq!(shown(&setup, &[], "listen"), listen_from(1001, "文件 yunlab.toml"));
    let setup = setup.with("YUNLAB_LISTEN", "127.0.0.1:1002");
    assert_eq!(shown(&setup, &[], "listen"), listen_from(1002, "环境变量"));
    assert_eq!(shown(&setup, &["--listen", "127.0.0.1:1003"], "listen"), listen_from(1003, "命令行"));
    // Later sources leave other settings unchanged.
    assert_eq!(shown(&setup, &["--listen", "127.0.0.1:1003"], "stop_seconds"), "stop_seconds = 5  # 文件 yunlab.toml");
}

fn listen_from(port: u16, place: &str) -> String {
    format!("listen = \"127.0.0.1:{port}\"  # {place}")
}

#[test]
fn another_file_may_be_named_and_must_be_there() {
    let setup = Setup::bare().file("other.toml", "log_level = \"debug\"\n").file("yunlab.toml", "nonsense = 1\n");
    let line = "log_level = \"debug\"  # 文件 other.toml";
    assert_eq!(shown(&setup, &["--config", "other.toml"], "log_level"), line);
    let setup = setup.with("YUNLAB_CONFIG", "other.toml");
    assert_eq!(shown(&setup, &[], "log_level"), line);
    let missing = setup.run(&["config", "show", "--config", "missing.toml"]);
    assert!(missing.expect_refused().contains("没有配置文件 missing.toml"), "{missing:?}");
}

#[test]
fn every_setting_is_shown_and_no_secret() {
    let password = "geheim2026";
    let setup = Setup::bare()
        .with("YUNLAB_DATABASE_URL", &format!("postgres://lab:{password}@127.0.0.1/lab"))
        .file("yunlab.toml", &format!("admin_password = \"{password}\"\n"));
    let output = setup.run(&["config", "show"]);
    let text = output.expect_ok();
    assert!(!text.contains(password), "{text}");
    for line in text.lines() {
        assert!(line.contains(" = ") && line.contains("  # "), "no source in {line:?}");
    }
    assert!(text.contains("# database_url = \"***\"  # 环境变量，不显示"), "{text}");
    assert!(text.contains("# admin_password = \"***\"  # 文件 yunlab.toml，不显示"), "{text}");
}

#[test]
fn every_setting_is_in_the_table_of_the_readme() {
    let shown = Setup::bare().run(&["config", "show"]);
    let readme = fs::read_to_string(root().join("README.md")).expect("the readme");
    let rows: Vec<&str> = readme.lines().filter(|line| line.starts_with("| `")).collect();
    for line in shown.expect_ok().lines() {
        let key = line.trim_start_matches("# ").split(" = ").next().expect("a key");
        assert!(rows.iter().any(|row| row.contains(&format!("`{key}`"))), "{key}");
    }
}

#[test]
fn what_is_shown_is_a_configuration_file_with_the_same_effect() {
    let options = ["--listen", "127.0.0.1:1003", "--data-dir", "there"];
    let setup = Setup::bare().with("YUNLAB_TRUSTED_PROXIES", "10.0.0.1,10.1.0.0/16").with("YUNLAB_STOP_SECONDS", "7");
    let shown = setup.run(&[&["config", "show"][..], &options].concat());
    let shown = shown.expect_ok().to_owned();
    assert!(shown.contains("# docker_host = \"unix:///var/run/docker.sock\"  # 未设置，实际取这个值"), "{shown}");
    assert!(shown.contains("# database_url = \"sqlite://there/yunlab.db\"  # 未设置，实际取这个值"), "{shown}");
    assert!(shown.contains("# disk_root = \"there/disk\"  # 未设置，实际取这个值"), "{shown}");
    let pasted = Setup::bare().file("yunlab.toml", &shown).run(&["config", "show"]);
    let settings = |text: &str| {
        let set = text.lines().filter(|line| !line.starts_with('#'));
        set.map(|line| line.split("  # ").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(settings(pasted.expect_ok()), settings(&shown));
}

#[test]
fn unknown_keys_are_refused_by_name() {
    let in_file = Setup::bare().file("yunlab.toml", "lisen = \"127.0.0.1:1\"\n").run(&["config", "show"]);
    let said = in_file.expect_refused();
    assert!(said.contains("文件 yunlab.toml") && said.contains("lisen"), "{said}");
    let in_environment = Setup::bare().with("YUNLAB_LISEN", "127.0.0.1:1").run(&["config", "show"]);
    let said = in_environment.expect_refused();
    assert!(said.contains("环境变量") && said.contains("lisen"), "{said}");
    let flag = Setup::bare().run(&["config", "show", "--lisen", "127.0.0.1:1"]);
    assert!(flag.expect_refused().contains("--lisen"), "{flag:?}");
    let table = Setup::bare().file("yunlab.toml", "[portal]\nlisten = \"127.0.0.1:1\"\n").run(&["config", "show"]);
    assert!(table.expect_refused().contains("portal"), "{table:?}");
}

#[rstest]
#[case("listen", "8080")]
#[case("listen", "localhost")]
#[case("log_format", "xml")]
#[case("log_level", "loud=very=much")]
#[case("stop_seconds", "-1")]
#[case("stop_seconds", "soon")]
#[case("trusted_proxies", "10.0.0.0/99")]
#[case("trusted_proxies", "10.0.0.0/8,somewhere")]
#[case("metrics_listen", "everywhere")]
#[case("docker_host", "tcp://10.0.0.1:2375")]
#[case("machine_helper", "maybe")]
#[case("database_url", "mysql://lab:geheim2026@127.0.0.1/lab")]
#[case("tls_cert", "cert.pem")]
#[case("tls_key", "key.pem")]
#[case("admin_password_file", "missing.txt")]
#[case("database_url_file", "missing.txt")]
fn a_wrong_value_is_refused_with_the_name_of_its_setting(#[case] key: &str, #[case] value: &str) {
    let setup = Setup::bare().with(&format!("YUNLAB_{}", key.to_uppercase()), value);
    let listen: &[&str] = if key == "listen" { &[] } else { &["--listen", "127.0.0.1:0"] };
    let output = setup.run(&[&["serve", "--data-dir", "data"], listen].concat());
    let said = output.expect_refused();
    let reason = said.lines().find(|line| line.starts_with("yunlab: ")).unwrap_or_default();
    // A file that is missing is named itself.
    assert!(reason.contains(key) || (key.ends_with("_file") && reason.contains(value)), "{said}");
    assert!(!said.contains("geheim"), "{said}");
    assert!(output.out.is_empty(), "{output:?}");
}

/// A13: people write the address of their proxy.
#[tokio::test]
async fn a_trusted_proxy_is_an_address_or_a_network() {
    for written in ["127.0.0.1", "127.0.0.0/8", "::1 127.0.0.1"] {
        let server = Server::start(Setup::new().with("YUNLAB_TRUSTED_PROXIES", written)).await;
        let nobody = server.anonymous();
        let body = serde_json::json!({ "username": "admin", "password": "wrong2026" });
        let request = nobody.request(http::Method::POST, "/api/auth").json(&body);
        nobody.send(request.header("x-forwarded-for", "203.0.113.7")).await.is(422);
        let admin = server.admin().await;
        let tries = admin.get("/api/logs/login?result=wrong_credentials").await.expect(200);
        assert_eq!(tries["items"][0]["ip"], "203.0.113.7", "{written}: {tries:#}");
    }
    let refused = Setup::bare().with("YUNLAB_TRUSTED_PROXIES", "10.0.0.256").run(&["config", "show"]);
    let said = refused.expect_refused();
    assert!(said.contains("trusted_proxies") && said.contains("10.0.0.256 应为地址或网段"), "{said}");
}

#[test]
fn a_broken_file_is_refused_with_its_name_and_line() {
    let output = Setup::bare().file("yunlab.toml", "log_level = \"info\"\nlisten = \n").run(&["config", "show"]);
    let said = output.expect_refused();
    assert!(said.contains("文件 yunlab.toml 的格式不对") && said.contains("line 2"), "{said}");
}

#[test]
fn a_secret_comes_from_one_place_only() {
    for key in ["YUNLAB_ADMIN_PASSWORD", "YUNLAB_DATABASE_URL"] {
        let setup = Setup::bare().file("secret", "geheim2026\n").with(key, "geheim2026");
        let output = setup.with(&format!("{key}_FILE"), "secret").run(&["config", "show"]);
        let said = output.expect_refused();
        assert!(said.contains("只能设置一个") && !said.contains("geheim"), "{said}");
    }
    let empty = Setup::bare().file("secret", "\n").with("YUNLAB_ADMIN_PASSWORD_FILE", "secret");
    let output = empty.run(&["serve", "--data-dir", "data", "--listen", "127.0.0.1:0"]);
    assert!(output.expect_refused().contains("secret 是空的"), "{output:?}");
}

#[tokio::test]
async fn a_secret_may_lie_in_a_file() {
    let setup = Setup::new().without("YUNLAB_ADMIN_PASSWORD").file("secret", "geheim2026\n");
    let server = Server::start(setup.with("YUNLAB_ADMIN_PASSWORD_FILE", "secret")).await;
    server.sign_in("admin", "geheim2026").await.get("/api/users").await.is(200);
    assert!(!server.printed().contains("geheim2026"), "{}", server.printed());

    let setup = Setup::new();
    let other = setup.dir().join("other.db");
    let setup = setup.file("url", &format!("sqlite://{}", other.display()));
    let server = Server::start(setup.with("YUNLAB_DATABASE_URL_FILE", "url")).await;
    server.admin().await.get("/api/users").await.is(200);
    assert!(other.is_file() && !server.setup().data_dir().join("yunlab.db").exists());
}

/// The environment has no types: a text that looks like a number or a list is still a password there.
#[rstest]
#[case("12345e6")]
#[case("[ab12cd]")]
#[case("{ab12cd}")]
#[case("'ab12cd'")]
#[case("ab12 cd ")]
#[tokio::test]
async fn a_password_in_the_environment_is_taken_as_it_is(#[case] password: &str) {
    let server = Server::start(Setup::new().with("YUNLAB_ADMIN_PASSWORD", password)).await;
    server.sign_in("admin", password).await.get("/api/users").await.is(200);
}
