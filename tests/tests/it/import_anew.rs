//! `yunlab admin import` with a File Browser that is there: it makes a database, and holds it while it runs.

use std::process::{Command, Stdio};

use tests::{Server, Setup, root, skipped};

use crate::import::{copy_files, import};

/// Its short companion is `import`, which reads what the same script made before.
#[tokio::test]
#[ignore = "long: a File Browser is built, makes its database and serves"]
async fn what_a_file_browser_makes_now_is_taken_over() {
    let Some(program) = std::env::var_os("TEST_FILEBROWSER") else {
        skipped("TEST_FILEBROWSER names no File Browser");
        return;
    };
    let server = Server::start(Setup::new()).await;
    let file = server.setup().dir().join("anew.db");
    std::fs::write(&file, "").expect("it is written");
    let made = Command::new(root().join("tests/fixtures/filebrowser/make.sh")).arg(&program).arg(&file).output();
    let made = made.expect("the script starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let name = file.display().to_string();
    copy_files(&server.setup().data_dir().join("disk"));

    let mut running = Command::new(&program);
    running.args(["--database", &name, "--port", "0", "--root"]).arg(server.setup().dir());
    running.current_dir(server.setup().dir()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = running.spawn().expect("it starts");
    let held = async || import(server.setup(), &name, &[]).contains("File Browser 正在使用这个数据库").then_some(());
    tests::until("the File Browser to hold its database", std::time::Duration::from_secs(60), held).await;
    running.kill().expect("it can be ended");
    running.wait().expect("it ends");

    let said = import(server.setup(), &name, &["--yes"]);
    assert!(said.contains("已导入：账号 5 个，网盘用户 5 个，全局规则 4 条，分享 4 个"), "{said}");
    let ann = server.sign_in("ann", "ann-Secret-1").await;
    ann.download("/home/docs/report.txt").await.is(200);
    ann.download("/home/private/hidden.txt").await.is(403);
}
