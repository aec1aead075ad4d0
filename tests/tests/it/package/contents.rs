//! The files that are given to others.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::DecodePublicKey;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use tempfile::TempDir;
use tests::{Setup, digest, root};

use super::{VERSION, pack, sh, strip, text};

/// Each file's digest by its path.
fn digests(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            found.extend(digests(&path).into_iter().map(|(inner, hash)| (format!("{name}/{inner}"), hash)));
        } else {
            found.insert(name, digest(&fs::read(&path).expect("a file")));
        }
    }
    found
}

fn signed(key: &VerifyingKey, file: &Path) {
    let signature = fs::read_to_string(file.with_file_name(format!("{}.sig", name(file)))).expect("a signature");
    let signature = Signature::from_slice(&STANDARD.decode(signature.trim()).expect("Base64")).expect("a signature");
    key.verify_strict(&fs::read(file).expect("a file"), &signature).expect("signed by the key");
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn packages_are_the_same_each_time_and_signed() {
    let dir = TempDir::new().expect("a folder");
    let (binary, key) = (dir.path().join("yunlab"), dir.path().join("key"));
    let (first, second) = (dir.path().join("first"), dir.path().join("second"));
    strip(&Setup::bare().program(), &binary);
    let options = ["--revision", "3", "--key", text(&key), "--no-image"];
    pack(&binary, &first, &options);
    pack(&binary, &second, &options);
    let found = digests(&first);
    assert_eq!(found, digests(&second));

    let release = format!("{VERSION}-3");
    let (deb, tarball) = (format!("yunlab_{release}_amd64.deb"), format!("yunlab-{release}-x86_64-linux.tar.gz"));
    let sums = fs::read_to_string(first.join("SHA256SUMS")).expect("checksums");
    for file in [&deb, &tarball, &format!("yunlab-{release}.cdx.json")] {
        assert!(sums.contains(&format!("{}  {file}\n", found[file])), "{file} in {sums}");
    }
    let pem = fs::read_to_string(first.join("release-key.pem")).expect("the public key");
    let public = VerifyingKey::from_public_key_pem(&pem).expect("a key");
    signed(&public, &first.join("SHA256SUMS"));
    // The release for updates is signed with the same key, and its program is the packed one.
    signed(&public, &first.join("release/manifest.json"));
    assert!(found.values().any(|hash| *hash == digest(&fs::read(&binary).expect("the binary"))));

    let field = |name: &str| sh("dpkg-deb", &["--field", text(&first.join(&deb)), name]).trim().to_owned();
    assert_eq!((field("Package"), field("Version")), ("yunlab".to_owned(), release.clone()));
    assert!(field("Depends").starts_with("libc6 (>= 2."), "{}", field("Depends"));
    let inside = sh("dpkg-deb", &["--contents", text(&first.join(&deb))]);
    for line in [
        "-rwxr-xr-x root/root",
        "./usr/bin/yunlab",
        "./usr/lib/systemd/system/yunlab.service",
        "./usr/lib/systemd/system-generators/yunlab",
        "./usr/share/doc/yunlab/sbom.cdx.json",
    ] {
        assert!(inside.contains(line), "no {line} in {inside}");
    }
    // There may be passwords in it.
    assert!(inside.lines().any(|line| line.starts_with("-rw-r----- root/root") && line.ends_with("yunlab.toml")));

    let unpacked = dir.path().join("unpacked");
    fs::create_dir(&unpacked).expect("a folder");
    let _ = sh("tar", &["-xzf", text(&first.join(&tarball)), "-C", text(&unpacked)]);
    let program = unpacked.join(format!("yunlab-{release}-x86_64-linux/yunlab"));
    assert!(sh(&program, &["--version"]).contains(VERSION));
    parts_are_named(&first.join(format!("yunlab-{release}.cdx.json")), &release);
}

fn parts_are_named(file: &Path, release: &str) {
    let bom: Value = serde_json::from_slice(&fs::read(file).expect("a file")).expect("JSON");
    assert_eq!((&bom["bomFormat"], &bom["specVersion"]), (&"CycloneDX".into(), &"1.5".into()));
    assert_eq!(bom["metadata"]["component"]["version"], release);
    let components = bom["components"].as_array().expect("components");
    for name in ["axum", "sqlx", "react", "antd", "std"] {
        let found = components.iter().find(|component| component["name"] == name);
        assert!(found.is_some_and(|component| component["licenses"][0]["expression"].is_string()), "{name}");
    }
    for tool in ["vite", "proptest", "typescript"] {
        assert!(!components.iter().any(|component| component["name"] == tool), "{tool} is in no program");
    }
}

#[test]
fn what_is_no_number_of_a_package_is_refused() {
    for wrong in ["0", "-1", "1.2", "a"] {
        let mut command = std::process::Command::new(root().join("scripts/package"));
        let ran = command.args(["--binary", "/bin/true", "--revision", wrong]).output().expect("the script");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!ran.status.success() && said.contains("正整数"), "{said}");
    }
}

/// Before the build, which takes long.
#[test]
fn what_is_no_key_of_a_publisher_is_refused_at_once() {
    let dir = TempDir::new().expect("a folder");
    let (key, out) = (dir.path().join("key"), dir.path().join("out"));
    let options = ["--no-image", "--binary", "/no/program", "--key", text(&key), "--out", text(&out)];
    let refused = || {
        let ran = std::process::Command::new(root().join("scripts/package")).args(options).output();
        let ran = ran.expect("the script");
        assert!(!ran.status.success() && !out.exists(), "{ran:?}");
        String::from_utf8_lossy(&ran.stderr).into_owned()
    };
    fs::write(&key, "-----BEGIN PRIVATE KEY-----\nMTIz\n-----END PRIVATE KEY-----\n").expect("a file");
    assert!(refused().contains("不是发布者的私钥"), "{}", refused());
}

/// The file of the package explains every setting, and sets nothing but where the data lie.
#[test]
fn the_packages_configuration_names_every_setting() {
    let file = root().join("packaging/yunlab.toml");
    let shown = Setup::bare().run(&["config", "show", "--config", text(&file)]);
    let lines: Vec<&str> = shown.expect_ok().lines().collect();
    let written = fs::read_to_string(&file).expect("the file");
    let usual = Setup::bare().run(&["config", "show"]);
    for line in usual.expect_ok().lines() {
        let (key, value) = line.trim_start_matches("# ").split_once(" = ").expect("a setting");
        let given = written.lines().find_map(|line| {
            let (name, given) = line.trim_start_matches('#').split_once(" = ")?;
            (name == key).then(|| (line.starts_with('#'), given.to_owned()))
        });
        let (commented, given) = given.unwrap_or_else(|| panic!("{key} is not in the package's file"));
        assert_eq!(commented, key != "data_dir", "{key}");
        // Settings with a default are written with it.
        if value.contains("# 默认值") && commented {
            assert_eq!(given, value.split("  # ").next().unwrap_or_default(), "{key}");
        }
    }
    assert!(lines.iter().any(|line| line.starts_with("data_dir = \"/var/lib/yunlab\"")), "{lines:?}");
}
