//! Files: sftp, and scp with both of its protocols.

use std::fs;

use crate::client::{House, run};
use crate::lab::INSTANCE;
use crate::root::Content;

#[tokio::test]
async fn files_go_both_ways_by_every_protocol() {
    for content in [Content::Busybox, Content::Nothing] {
        let house = House::new(content).await;
        let data: Vec<u8> = (0..=252).cycle().take(5_000_000).collect();
        fs::write(house.file("数据1.bin"), &data).unwrap();
        let there = format!("{INSTANCE}@127.0.0.1:/dev/shm/数据1.bin");
        for protocol in ["-s", "-O"] {
            let mut up = house.client("scp");
            up.args(["-p", protocol]).arg(house.file("数据1.bin")).arg(&there);
            assert_eq!(run(up, b"").await.code, Some(0), "{content:?} {protocol}");
            let mut down = house.client("scp");
            down.arg(protocol).arg(&there).arg(house.file("again"));
            assert_eq!(run(down, b"").await.code, Some(0), "{content:?} {protocol}");
            assert!(fs::read(house.file("again")).unwrap() == data);
            fs::remove_file(house.file("again")).unwrap();
        }
    }
}

#[tokio::test]
async fn sftp_lists_renames_and_removes() {
    let house = House::new(Content::Busybox).await;
    house.lab.root.sh("mkdir /tmp/夹 && echo 1 >/tmp/夹/一");
    let mut sftp = house.client("sftp");
    sftp.args(["-b", "-"]).arg(format!("{INSTANCE}@127.0.0.1"));
    let said = run(sftp, "cd /tmp/夹\nls\nrename 一 二\nls\nrm 二\nls\n".as_bytes()).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.text().contains('一') && said.text().contains('二'), "{said:?}");
    assert_eq!(house.lab.root.sh("ls /tmp/夹"), "");
    assert!(house.lab.root.path("/tmp").is_dir());
}
