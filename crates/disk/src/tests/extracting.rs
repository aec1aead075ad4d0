//! Extracting archives, valid and hostile ones.

use std::fs::File;
use std::io::{Cursor, Write};
use std::os::unix::fs::MetadataExt;

use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;

use super::harness::{Answer, Call, TestDisk};
use super::paths::snapshot;
use super::tasks::{ended, until};

const MIB: usize = 1024 * 1024;

async fn ask(call: Call, path: &str, destination: &str) -> Answer {
    call.post("/api/tasks", json!({"kind": "extract", "path": path, "destination": destination}).to_string()).await
}

/// Unpacks and answers the task as it ended.
async fn extract(call: Call, path: &str, destination: &str) -> Value {
    let task = ask(call.clone(), path, destination).await.expect(202).json();
    ended(call, task["id"].as_str().unwrap()).await
}

/// A tar's entry with any name, which the library would refuse to write.
fn entry(kind: EntryType, name: &[u8], link: &[u8], mode: u32, content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_gnu();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link);
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(1_600_000_000);
    header.set_size(content.len() as u64);
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn file(name: &str, content: &str) -> Vec<u8> {
    entry(EntryType::Regular, name.as_bytes(), b"", 0o644, content.as_bytes())
}

fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = entries.concat();
    out.resize(out.len() + 1024, 0);
    out
}

fn gz(content: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(content).unwrap();
    out.finish().unwrap()
}

pub(super) fn zip(files: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, mode, content) in files {
        let at = zip::DateTime::from_date_and_time(2020, 9, 13, 20, 26, 40).unwrap();
        let options = SimpleFileOptions::default().unix_permissions(*mode).last_modified_time(at);
        match name.strip_suffix('/') {
            Some(name) => out.add_directory(name, options).unwrap(),
            None => out.start_file(*name, options).unwrap(),
        }
        if !name.ends_with('/') {
            out.write_all(content).unwrap();
        }
    }
    out.finish().unwrap().into_inner()
}

fn sevenz(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    for (name, content) in files {
        let entry = match name.strip_suffix('/') {
            Some(name) => sevenz_rust2::ArchiveEntry::new_directory(name),
            None => sevenz_rust2::ArchiveEntry::new_file(name),
        };
        out.push_archive_entry(entry, (!name.ends_with('/')).then_some(*content)).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[tokio::test]
async fn every_format() {
    let disk = TestDisk::new().await;
    let plain = tar(&[
        entry(EntryType::Directory, b"./", b"", 0o755, b""),
        entry(EntryType::Directory, b"./docs/empty/", b"", 0o755, b""),
        file("./docs/a.txt", "text"),
        entry(EntryType::Regular, b"bin/run", b"", 0o6755, b"#!"),
        file("图/片.txt", "片"),
    ]);
    let packed = |mut encoder: Box<dyn Write>| {
        encoder.write_all(&plain).unwrap();
        encoder.flush().unwrap();
    };
    let path = |name: &str| disk.seed(&format!("home/ann/{name}"), "");
    let create = |name: &str| Box::new(File::create(path(name)).unwrap());
    std::fs::write(path("a.tar"), &plain).unwrap();
    std::fs::write(path("a.tar.gz"), gz(&plain)).unwrap();
    packed(Box::new(bzip2::write::BzEncoder::new(create("a.tar.bz2"), bzip2::Compression::fast())));
    packed(Box::new(liblzma::write::XzEncoder::new(create("a.tar.xz"), 1)));
    packed(Box::new(zstd::stream::write::Encoder::new(create("a.tar.zst"), 1).unwrap().auto_finish()));
    packed(Box::new(lz4_flex::frame::FrameEncoder::new(create("a.tar.lz4")).auto_finish()));
    packed(Box::new(snap::write::FrameEncoder::new(create("a.tar.sz"))));
    let files: [(&str, u32, &[u8]); 4] = [
        ("docs/empty/", 0o755, b""),
        ("docs/a.txt", 0o644, b"text"),
        ("bin/run", 0o755, b"#!"),
        ("图/片.txt", 0o600, "片".as_bytes()),
    ];
    std::fs::write(path("a.zip"), zip(&files)).unwrap();
    let files = files.map(|(name, _, content)| (name, content));
    std::fs::write(path("a.7z"), sevenz(&files)).unwrap();
    // Names do not count.
    std::fs::write(path("renamed.txt"), zip(&[("docs/a.txt", 0o644, b"text")])).unwrap();

    for name in ["tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "tar.lz4", "tar.sz", "zip", "7z"] {
        let to = format!("out/{name}");
        let task = extract(disk.ann(), &format!("/home/a.{name}"), &format!("/home/{to}")).await;
        assert_eq!((&task["state"], &task["error"]), (&"done".into(), &Value::Null), "{name}");
        assert_eq!((&task["kind"], &task["entriesSkipped"]), (&"extract".into(), &0.into()), "{name}");
        assert_eq!(task["destination"], format!("/home/{to}"));
        assert_eq!(task["entriesDone"], 7, "{name}");
        let real = |below: &str| disk.real(&format!("home/ann/{to}/{below}"));
        assert_eq!(std::fs::read(real("docs/a.txt")).unwrap(), b"text", "{name}");
        assert_eq!(std::fs::read(real("图/片.txt")).unwrap(), "片".as_bytes(), "{name}");
        assert!(real("docs/empty").is_dir());
        let program = std::fs::metadata(real("bin/run")).unwrap();
        let expected = if name == "7z" { 0o640 } else { 0o750 };
        assert_eq!(program.mode() & 0o7777, expected, "{name}");
        assert_eq!(std::fs::metadata(real("docs/a.txt")).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(std::fs::metadata(real("docs")).unwrap().mode() & 0o7777, 0o750);
        if name != "7z" {
            assert_eq!(program.mtime(), 1_600_000_000, "{name}");
            assert_eq!(std::fs::metadata(real("docs/empty")).unwrap().mtime(), 1_600_000_000, "{name}");
        }
    }
    extract(disk.ann(), "/home/renamed.txt", "/home/renamed").await;
    assert_eq!(disk.read("home/ann/renamed/docs/a.txt"), "text");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn a_single_compressed_file() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/notes.txt.gz", [gz(b"one "), gz(b"two")].concat());
    disk.seed("home/ann/.gz", gz(b"x"));
    assert_eq!(extract(disk.ann(), "/home/notes.txt.gz", "/home/out").await["state"], "done");
    assert_eq!(disk.read("home/ann/out/notes.txt"), "one two");
    assert_eq!(extract(disk.ann(), "/home/.gz", "/home/unnamed").await["state"], "done");
    assert_eq!(disk.read("home/ann/unnamed/content"), "x");
}

#[tokio::test]
async fn names_in_gbk() {
    let disk = TestDisk::new().await;
    let names = ["实验数据/第一次测量结果.txt", "实验数据/说明文件.txt"];
    let mut bytes = zip(&[("XXXXXXXX/XXXXXXXXXXXXXX.txt", 0o644, b"1"), ("YYYYYYYY/YYYYYYYY.txt", 0o644, b"2")]);
    for (placeholder, name) in ["XXXXXXXX/XXXXXXXXXXXXXX.txt", "YYYYYYYY/YYYYYYYY.txt"].iter().zip(names) {
        let gbk = encoding_rs::GBK.encode(name).0;
        assert_eq!(gbk.len(), placeholder.len());
        for at in 0..bytes.len() - gbk.len() {
            if bytes[at..].starts_with(placeholder.as_bytes()) {
                bytes[at..at + gbk.len()].copy_from_slice(&gbk);
            }
        }
    }
    disk.seed("home/ann/gbk.zip", bytes);
    let name = encoding_rs::GBK.encode("实验/报告.txt").0;
    disk.seed("home/ann/gbk.tar", tar(&[entry(EntryType::Regular, &name, b"", 0o644, b"3")]));
    assert_eq!(extract(disk.ann(), "/home/gbk.zip", "/home/z").await["state"], "done");
    assert_eq!(extract(disk.ann(), "/home/gbk.tar", "/home/t").await["state"], "done");
    assert_eq!(disk.read(&format!("home/ann/z/{}", names[0])), "1");
    assert_eq!(disk.read(&format!("home/ann/z/{}", names[1])), "2");
    assert_eq!(disk.read("home/ann/t/实验/报告.txt"), "3");
}

/// CVE-2026-83xp and its kin from the other side: nothing in an archive leaves the folder.
#[tokio::test]
async fn nothing_escapes() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/secret", "secret");
    disk.seed("home/ann/mine", "mine");
    let link = |name: &str, to: &str| entry(EntryType::Symlink, name.as_bytes(), to.as_bytes(), 0o777, b"");
    let hard = |name: &str, to: &str| entry(EntryType::Link, name.as_bytes(), to.as_bytes(), 0o644, b"");
    let special = |kind| entry(kind, b"special", b"", 0o666, b"");
    let deep = ["d"; 40].join("/") + "/x";
    let hostile = [
        file("../evil", "x"),
        file("a/../../evil", "x"),
        file("..", "x"),
        file("a/..", "x"),
        file(".yunlab/trash/x", "x"),
        file("a/.YunLab", "x"),
        link("up", ".."),
        link("home", "/etc"),
        link("secret", "../../bob/secret"),
        link("dir/secret", "../../x"),
        link("round", "a/../../x"),
        link("reserved", ".yunlab/uploads"),
        hard("stolen", "../mine"),
        hard("stolen", "/etc/passwd"),
        hard("stolen", "nothing"),
        special(EntryType::Fifo),
        special(EntryType::Char),
        special(EntryType::Block),
        entry(EntryType::new(b'V'), b"volume", b"", 0o644, b""),
    ];
    let mut entries = hostile.to_vec();
    entries.extend([
        file("/etc/absolute", "absolute"),
        file("..\\..\\windows", "a name like any other"),
        file(&deep, "deep"),
        // Files through links that the archive itself made: the links wait until the end.
        link("into", "inside"),
        file("into/x", "x"),
        file("inside/y", "y"),
        link("inside/back", "../real"),
        hard("second", "real"),
        file("real", "real"),
        hard("second", "real"),
        // `x/..` is the parent of `x`'s target, so such a link is left out.
        link("x", "."),
        link("y", "x/../.."),
        file("twice", "first"),
        file("twice", "second"),
        file("inside", "a folder is there"),
        file("real/below-a-file", "x"),
        entry(EntryType::Regular, b"setuid", b"", 0o7777, b"x"),
    ]);
    disk.seed("home/ann/hostile.tar", tar(&entries));
    let before = snapshot(&disk);
    let task = extract(disk.ann(), "/home/hostile.tar", "/home/out").await;
    assert_eq!((&task["state"], &task["error"]), (&"done".into(), &Value::Null));
    // The hostile ones; the first `second`, `y`, the link whose name a folder took, the file at a folder's name and the
    // one below a file.
    assert_eq!(task["entriesSkipped"], hostile.len() + 5);
    let out = disk.real("home/ann/out");
    let mut names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let expected = ["..\\..\\windows", "d", "etc", "inside", "into", "real", "second", "setuid", "twice", "x"];
    assert_eq!(names, expected);
    assert_eq!(disk.read("home/ann/out/etc/absolute"), "absolute");
    assert_eq!(disk.read("home/ann/out/twice"), "second");
    assert!(out.join("into").is_dir() && !out.join("into").is_symlink());
    assert_eq!(disk.read("home/ann/out/into/x"), "x");
    assert_eq!(std::fs::read_link(out.join("inside/back")).unwrap().to_str(), Some("../real"));
    assert_eq!(std::fs::metadata(out.join("second")).unwrap().nlink(), 2);
    assert_eq!(std::fs::metadata(out.join("setuid")).unwrap().mode() & 0o7777, 0o750);
    // Everything else is unchanged.
    std::fs::remove_dir_all(&out).unwrap();
    assert_eq!(snapshot(&disk), before);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn nothing_escapes_from_zip_and_7z() {
    let disk = TestDisk::new().await;
    let names = ["../evil", "a/../../evil", "..", ".yunlab/x"];
    let mut files: Vec<(&str, u32, &[u8])> = names.map(|name| (name, 0o644, b"x".as_slice())).to_vec();
    files.extend([("/etc/absolute", 0o644, b"x".as_slice()), ("ok", 0o4755, b"ok"), ("..\\unix", 0o644, b"x")]);
    let mut bytes = zip(&files);
    let placed = bytes.clone();
    disk.seed("home/ann/unix.zip", &placed);
    // The same as if Windows had made it: then a backslash separates.
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(4).position(|window| window == b"PK\x01\x02") {
        at += found + 4;
        bytes[at + 1] = 0;
    }
    disk.seed("home/ann/windows.zip", &bytes);
    // A link by its mode.
    let mut links = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, to) in [("out", "../../bob"), ("fine", "dir/file"), ("absolute", "/etc/passwd")] {
        links.add_symlink(name, to, SimpleFileOptions::default()).unwrap();
    }
    disk.seed("home/ann/links.zip", links.finish().unwrap().into_inner());
    disk.seed("home/ann/a.7z", sevenz(&[("../evil", b"x"), ("/abs", b"x"), ("a/../../evil", b"x"), ("ok", b"ok")]));
    for (name, skipped, expected) in [
        ("unix.zip", 4, vec!["..\\unix", "etc", "ok"]),
        ("windows.zip", 5, vec!["etc", "ok"]),
        ("links.zip", 2, vec!["fine"]),
        ("a.7z", 2, vec!["abs", "ok"]),
    ] {
        let task = extract(disk.ann(), &format!("/home/{name}"), &format!("/home/out-{name}")).await;
        assert_eq!((&task["state"], &task["entriesSkipped"]), (&"done".into(), &skipped.into()), "{name} {task}");
        let mut names = disk.ann().get(&format!("/api/resources/home/out-{name}")).await.expect(200).names();
        names.sort();
        assert_eq!(names, expected, "{name}");
        assert!(!disk.real("home/bob").exists());
    }
    assert_eq!(std::fs::metadata(disk.real("home/ann/out-unix.zip/ok")).unwrap().mode() & 0o7777, 0o750);
    for folder in ["home", "home/ann", ""] {
        assert!(!disk.real(folder).join("evil").exists());
    }
}

/// Archives that are small and grow without end, or take memory instead of room.
#[tokio::test]
async fn bombs() {
    let disk = TestDisk::new().await;
    // 80 MiB in 80 members of some bytes each.
    let bz2 = |content: &[u8]| {
        let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        out.write_all(content).unwrap();
        out.finish().unwrap()
    };
    let member = bz2(&vec![0; MIB]);
    let zeros = member.repeat(80);
    disk.seed("home/ann/zeros.bz2", &zeros);
    // The same inside a tar, passed over and not written.
    let header = entry(EntryType::Fifo, b"pipe", b"", 0o644, b"");
    let mut passed = Header::from_byte_slice(&header).clone();
    passed.set_size(80 * MIB as u64);
    passed.set_cksum();
    disk.seed("home/ann/passed.tar.bz2", [bz2(passed.as_bytes()), zeros].concat());
    // A name that is as long as memory.
    let mut name = Header::from_byte_slice(&entry(EntryType::GNULongName, b"././@LongLink", b"", 0, b"")).clone();
    name.set_size(8 * MIB as u64);
    name.set_cksum();
    disk.seed("home/ann/name.tar.bz2", [bz2(name.as_bytes()), member.repeat(8)].concat());
    // Many entries of a zip that share their content.
    let content = vec![0; MIB];
    let one = zip(&[("a", 0o644, &content)]);
    let directory = one.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let end = one.windows(4).position(|window| window == b"PK\x05\x06").unwrap();
    let mut shared = one[..directory].to_vec();
    for number in 0..200_u8 {
        let mut record = one[directory..end].to_vec();
        record[46] = number;
        shared.extend_from_slice(&record);
    }
    let size = u32::try_from(shared.len() - directory).unwrap();
    let mut last = one[end..].to_vec();
    last[8..10].copy_from_slice(&200_u16.to_le_bytes());
    last[10..12].copy_from_slice(&200_u16.to_le_bytes());
    last[12..16].copy_from_slice(&size.to_le_bytes());
    shared.extend_from_slice(&last);
    disk.seed("home/ann/shared.zip", shared);
    // A list of entries that expands to gigabytes.
    let mut list = sevenz(&[("a", b"a")]);
    list[20..28].copy_from_slice(&(1_u64 << 32).to_le_bytes());
    disk.seed("home/ann/list.7z", list);

    for (name, error) in [
        ("zeros.bz2", "400 Bad Request (the archive grows too much)"),
        ("passed.tar.bz2", "400 Bad Request (the archive grows too much)"),
        ("name.tar.bz2", "400 Bad Request (the archive is damaged)"),
        ("shared.zip", "400 Bad Request (the archive grows too much)"),
        ("list.7z", "400 Bad Request (the archive has too many entries)"),
    ] {
        let task = extract(disk.ann(), &format!("/home/{name}"), "/home/out").await;
        assert_eq!((&task["state"], &task["error"]), (&"failed".into(), &error.into()), "{name}");
        assert!(!disk.real("home/ann/out").exists() && disk.leftovers().is_empty(), "{name}");
    }
}

#[tokio::test]
async fn damaged_and_foreign_files() {
    let disk = TestDisk::new().await;
    let whole = zip(&[("a.txt", 0o644, b"a text that is long enough to be packed, packed, packed")]);
    let plain = tar(&[file("a", "a"), file("b", "b")]);
    let packed = gz(&plain);
    for (name, bytes) in [
        ("cut.zip", whole[..whole.len() - 10].to_vec()),
        ("cut.tar", plain[..1500].to_vec()),
        ("cut.tar.gz", packed[..packed.len() - 20].to_vec()),
        ("cut.7z", sevenz(&[("a", b"a")])[..40].to_vec()),
    ] {
        disk.seed(&format!("home/ann/{name}"), bytes);
        let task = extract(disk.ann(), &format!("/home/{name}"), "/home/out").await;
        assert_eq!(task["error"], "400 Bad Request (the archive is damaged)", "{name}");
        assert!(!disk.real("home/ann/out").exists() && disk.leftovers().is_empty(), "{name}");
    }
    for (name, bytes) in [("text", b"just text".to_vec()), ("empty", Vec::new()), ("zeros", vec![0; 2048])] {
        disk.seed(&format!("home/ann/{name}"), bytes);
        let refused = ask(disk.ann(), &format!("/home/{name}"), "/home/out").await.expect(400);
        assert_eq!(refused.text(), "400 Bad Request (not an archive that can be unpacked)\n");
    }
}

#[tokio::test]
async fn refusals_and_rights() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.zip", zip(&[("a", 0o644, b"new"), ("b", 0o644, b"b")]));
    disk.seed("home/ann/there/a", "old");
    disk.seed("home/ann/file", "x");
    disk.seed("home/bob/b.zip", zip(&[("a", 0o644, b"x")]));
    ask(disk.ann(), "/home/none.zip", "/home/out").await.expect(404);
    ask(disk.ann(), "/home/there", "/home/out").await.expect(400);
    ask(disk.ann(), "/home/a.zip", "/home/there").await.expect(409);
    ask(disk.ann(), "/home/a.zip", "/home").await.expect(403);
    ask(disk.ann(), "/home/a.zip", "/").await.expect(400);
    ask(disk.ann(), "/home/a.zip", "/datasets/x").await.expect(403);
    ask(disk.ann(), "/home/a.zip", "/elsewhere/x").await.expect(403);
    ask(disk.ann(), "/home/../bob/b.zip", "/home/out").await.expect(400);
    ask(disk.bob(), "/home/a.zip", "/home/out").await.expect(404);
    for body in ["", "{}", r#"{"kind":"melt"}"#, r#"{"kind":"extract","path":"/home/a.zip"}"#, "[]"] {
        disk.ann().post("/api/tasks", body).await.expect(400);
    }
    let with = async |flag: &str, destination: &str| {
        let body = json!({"kind": "extract", "path": "/home/a.zip", "destination": destination, flag: true});
        disk.ann().post("/api/tasks", body.to_string()).await
    };
    with("override", "/home/file").await.expect(409);
    let task = with("rename", "/home/there").await.expect(202).json();
    assert_eq!(ended(disk.ann(), task["id"].as_str().unwrap()).await["destination"], "/home/there(1)");
    let task = with("override", "/home/there").await.expect(202).json();
    assert_eq!(ended(disk.ann(), task["id"].as_str().unwrap()).await["state"], "done");
    assert_eq!((disk.read("home/ann/there/a"), disk.read("home/ann/there/b")), ("new".into(), "b".into()));

    for take in [|may: &mut crate::Permissions| may.download = false, |may: &mut crate::Permissions| may.create = false]
    {
        let disk = TestDisk::without(take).await;
        disk.seed("home/ann/a.zip", zip(&[("a", 0o644, b"x")]));
        ask(disk.ann(), "/home/a.zip", "/home/out").await.expect(403);
    }
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.seed("home/ann/a.zip", zip(&[("a", 0o644, b"x")]));
    disk.seed("home/ann/there/a", "old");
    let body = json!({"kind": "extract", "path": "/home/a.zip", "destination": "/home/there", "override": true});
    disk.ann().post("/api/tasks", body.to_string()).await.expect(403);
    assert_eq!(disk.read("home/ann/there/a"), "old");
}

#[tokio::test]
async fn quota_and_rules() {
    let disk = TestDisk::with(|config| {
        config.settings.rules =
            serde_json::from_value(json!([{"regex": false, "allow": false, "path": "/home/out/denied"}])).unwrap();
    })
    .await;
    disk.portal.set(2, |ann| ann.disk_quota = MIB as u64);
    let content = "x".repeat(2 * MIB);
    disk.seed("home/ann/large.tar.gz", gz(&tar(&[file("small", "s"), file("large", &content)])));
    let task = extract(disk.ann(), "/home/large.tar.gz", "/home/large").await;
    assert_eq!(task["error"], "507 Insufficient Storage (quota exceeded)");
    assert!(!disk.real("home/ann/large").exists() && disk.leftovers().is_empty());
    // The reserved space is released, and what stays counts.
    let used = async || disk.ann().get("/api/usage/home").await.expect(200).json()["used"].as_u64().unwrap();
    let before = used().await;
    disk.seed("home/ann/rules.tar", tar(&[file("denied/x", "x"), file("denied.txt", "x"), file("a/b", "x")]));
    let task = extract(disk.ann(), "/home/rules.tar", "/home/out").await;
    assert_eq!((&task["state"], &task["entriesSkipped"]), (&"done".into(), &1.into()));
    assert!(!disk.real("home/ann/out/denied").exists() && disk.real("home/ann/out/denied.txt").exists());
    assert_eq!(used().await, before + 4 * 4096);
}

/// A zip is read back and forth; repeated reads are no progress.
#[tokio::test]
async fn what_is_read_of_a_zip_counts_once() {
    let disk = TestDisk::new().await;
    let names: Vec<String> = (0..40).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, u32, &[u8])> = names.iter().map(|name| (name.as_str(), 0o644, &b"hello"[..])).collect();
    let archive = zip(&files);
    let size = archive.len();
    disk.seed("home/ann/many.zip", archive);
    let task = extract(disk.ann(), "/home/many.zip", "/home/out").await;
    assert_eq!((&task["state"], &task["entriesDone"]), (&"done".into(), &40.into()));
    assert_eq!((&task["bytesDone"], &task["bytesTotal"]), (&size.into(), &size.into()));
}

#[tokio::test]
async fn cancelled_while_unpacking() {
    let disk = TestDisk::new().await;
    let mut header = Header::from_byte_slice(&file("large", "")).clone();
    header.set_size(1 << 40);
    header.set_cksum();
    let path = disk.seed("home/ann/endless.tar", header.as_bytes());
    File::options().write(true).open(path).unwrap().set_len((1 << 40) + 4096).unwrap();
    let task = ask(disk.ann(), "/home/endless.tar", "/home/out").await.expect(202).json();
    let id = task["id"].as_str().unwrap();
    until(disk.ann(), id, |task| task["bytesDone"].as_u64().unwrap() > 0).await;
    disk.ann().delete(&format!("/api/tasks/{id}")).await.expect(200);
    let task = ended(disk.ann(), id).await;
    assert_eq!((&task["state"], &task["error"]), (&"cancelled".into(), &Value::Null));
    assert!(!disk.real("home/ann/out").exists() && disk.leftovers().is_empty());
}
