//! Names that are allowed and awkward.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::harness::TestDisk;

const NAMES: [&str; 22] = [
    "line\nbreak",
    "carriage\rreturn",
    "\u{202e}txt.exe",
    "\u{200f}mark",
    "👩‍🔬🧪.txt",
    "quote\"s'and`ticks",
    "#?%&=+;,@:$!*()[]{}|<>^~",
    "%41",
    "%2f",
    "  leading and trailing  ",
    "back\\slash",
    "..\\..\\x",
    "-rf",
    "...",
    "..x",
    ".hidden",
    "tab\tname",
    "e\u{301}",
    "\u{e9}",
    "\u{1}",
    "~",
    "*",
];

fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

#[tokio::test]
async fn every_verb_takes_hard_names() {
    let disk = TestDisk::new().await;
    for (number, name) in NAMES.iter().enumerate() {
        let path = format!("/home/{}", encoded(name));
        disk.ann().post(&format!("/api/resources{path}"), number.to_string()).await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/{name}")), number.to_string());
        let seen = disk.ann().get(&format!("/api/resources{path}")).await.expect(200).json();
        assert_eq!((&seen["name"], &seen["path"]), (&(*name).into(), &format!("/home/{name}").into()));
        let raw = disk.ann().get(&format!("/api/raw{path}")).await.expect(200);
        assert_eq!(raw.text(), number.to_string());
        assert!(raw.header("content-disposition").ends_with("''") == name.is_empty());
    }
    let mut listed = disk.ann().get("/api/resources/home").await.expect(200).names();
    let mut names = NAMES.map(str::to_owned).to_vec();
    listed.sort();
    names.sort();
    assert_eq!(listed, names);
    for name in NAMES {
        let moved =
            disk.ann().rename(&format!("/home/{}", encoded(name)), &format!("/home/d/{name}")).await.expect(200);
        let location = moved.header("location").strip_prefix("/disk").unwrap().to_owned();
        disk.ann().put(&location, "new").await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/d/{name}")), "new");
        disk.ann().delete(&location).await.expect(200);
    }
    assert!(disk.ann().get("/api/resources/home/d").await.expect(200).names().is_empty());
}

#[tokio::test]
async fn a_name_that_is_not_utf8_is_shown_and_leads_nowhere() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/folder/x", "");
    let folder = disk.real("home/ann/folder");
    std::fs::write(folder.join(OsStr::from_bytes(b"\xce\xc4\xbc\xfe.txt")), "GBK").unwrap();
    let listing = disk.ann().get("/api/resources/home/folder").await.expect(200);
    let item = listing.item("\u{fffd}ļ\u{fffd}.txt");
    assert_eq!(item["invalidName"], true);
    assert!(listing.item("x").get("invalidName").is_none());
    let path = encoded(item["path"].as_str().unwrap()).replace("%2F", "/");
    disk.ann().get(&format!("/api/raw{path}")).await.expect(404);
    disk.ann().delete(&format!("/api/resources{path}")).await.expect(404);
    disk.ann().get("/api/raw/home/folder/%ce%c4%bc%fe.txt").await.expect(400);
    // With its folder it goes everywhere.
    disk.ann().change("copy", "/home/folder", "/home/second", "").await.expect(200);
    assert_eq!(std::fs::read_dir(disk.real("home/ann/second")).unwrap().count(), 2);
    disk.ann().delete("/api/resources/home/folder").await.expect(200);
}

#[tokio::test]
async fn case_and_composition_make_different_names() {
    let disk = TestDisk::new().await;
    for name in ["Name", "name", "e\u{301}", "\u{e9}"] {
        disk.ann().post(&format!("/api/resources/home/{}", encoded(name)), name).await.expect(200);
    }
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names().len(), 4);
    disk.ann().rename("/home/name", "/home/NAME").await.expect(200);
}
