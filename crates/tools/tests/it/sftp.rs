//! The SFTP server with OpenSSH's own client, which speaks to a local program.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::root::program;

/// Carries commands out, with the server in one folder and the client in another.
fn batch(far: &Path, near: &Path, lines: &str) -> Output {
    let commands = near.join(".batch");
    fs::write(&commands, lines).unwrap();
    let mut sftp = Command::new("sftp");
    sftp.arg("-b").arg(&commands).arg("-D").arg(format!("{} sftp", program().display()));
    let lines = sftp.current_dir(near).env("HOME", far).stdin(Stdio::null()).output();
    lines.expect("sftp, of Debian's openssh-client")
}

fn done(far: &Path, near: &Path, lines: &str) -> String {
    let Output { status, stdout, stderr } = batch(far, near, lines);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(status.success(), "{}{}", text(&stdout), text(&stderr));
    text(&stdout)
}

fn folders() -> (TempDir, TempDir) {
    (TempDir::new().unwrap(), TempDir::new().unwrap())
}

fn content(bytes: u32) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

#[test]
fn files_go_there_and_back_whole() {
    let (far, near) = folders();
    let there = far.path().display();
    let large = content(20_000_000);
    fs::write(near.path().join("数据 1.bin"), &large).unwrap();
    fs::set_permissions(near.path().join("数据 1.bin"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(near.path().join("empty"), "").unwrap();
    done(
        far.path(),
        near.path(),
        &format!("put -p \"数据 1.bin\" {there}/\nput empty {there}/empty\nget \"{there}/数据 1.bin\" back\n"),
    );
    assert!(fs::read(far.path().join("数据 1.bin")).unwrap() == large);
    assert!(fs::read(near.path().join("back")).unwrap() == large);
    let (one, other) = (near.path().join("数据 1.bin"), far.path().join("数据 1.bin"));
    let (one, other) = (one.metadata().unwrap(), other.metadata().unwrap());
    assert_eq!((one.mtime(), one.mode()), (other.mtime(), other.mode()));
    assert_eq!(fs::read(far.path().join("empty")).unwrap(), b"");

    // Resumed where it was broken off.
    let half = &large[..8_000_000];
    fs::write(near.path().join("part"), half).unwrap();
    fs::write(far.path().join("part"), half).unwrap();
    fs::copy(near.path().join("back"), far.path().join("whole")).unwrap();
    fs::rename(near.path().join("part"), near.path().join("whole")).unwrap();
    done(far.path(), near.path(), &format!("reget {there}/whole whole\nreput back {there}/part\n"));
    assert!(fs::read(near.path().join("whole")).unwrap() == large);
    assert!(fs::read(far.path().join("part")).unwrap() == large);
}

#[test]
fn whole_folders_go_there_and_back() {
    let (far, near) = folders();
    fs::create_dir_all(near.path().join("一/二/empty")).unwrap();
    fs::write(near.path().join("一/二/三"), content(1000)).unwrap();
    fs::write(near.path().join("一/x"), content(10)).unwrap();
    done(far.path(), near.path(), &format!("put -r 一 {0}/\nget -r {0}/一 二\n", far.path().display()));
    assert_eq!(fs::read(far.path().join("一/二/三")).unwrap(), content(1000));
    assert_eq!(fs::read(near.path().join("二/二/三")).unwrap(), content(1000));
    assert!(near.path().join("二/二/empty").is_dir());
}

#[test]
fn names_that_are_no_text_are_kept() {
    let (far, near) = folders();
    // As old archives have them.
    let name = std::ffi::OsStr::from_bytes(b"\xca\xfd\xbe\xdd.txt");
    fs::write(far.path().join(name), "gbk").unwrap();
    let lines = [b"rename ".as_slice(), far.path().as_os_str().as_bytes(), b"/", name.as_bytes(), b" "].concat();
    let lines = [lines, far.path().as_os_str().as_bytes().to_vec(), b"/ascii\n".to_vec()].concat();
    fs::write(near.path().join(".raw"), &lines).unwrap();
    let mut sftp = Command::new("sftp");
    sftp.arg("-b").arg(near.path().join(".raw")).arg("-D").arg(format!("{} sftp", program().display()));
    assert!(sftp.output().unwrap().status.success());
    assert_eq!(fs::read_to_string(far.path().join("ascii")).unwrap(), "gbk");
}

#[test]
fn everything_that_the_client_offers_works() {
    let (far, near) = folders();
    let there = far.path().canonicalize().unwrap();
    fs::write(there.join("a"), content(5000)).unwrap();
    let lines = format!(
        "cd {}\nmkdir folder\nrename a folder/b\nln folder/b hard\nln -s folder/b soft\nchmod 600 hard\nls -la\nls -l folder\ndf -h\npwd\n",
        there.display()
    );
    let shown = done(&there, near.path(), &lines);
    assert!(shown.contains(&format!("Remote working directory: {}", there.display())), "{shown}");
    assert!(shown.contains("-rw-------") && shown.contains("soft") && shown.contains("Avail"), "{shown}");
    assert_eq!(fs::read(there.join("hard")).unwrap(), content(5000));
    assert_eq!(fs::read_link(there.join("soft")).unwrap(), Path::new("folder/b"));
    assert_eq!(there.join("folder/b").metadata().unwrap().mode() & 0o777, 0o600);
    let lines = format!("cd {}\nrm soft\nrm hard\nrm folder/b\nrmdir folder\n", there.display());
    done(&there, near.path(), &lines);
    assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
}

#[test]
fn a_folder_with_very_many_files_is_listed() {
    let (far, near) = folders();
    for number in 0..5000 {
        fs::write(far.path().join(format!("file-{number}")), "").unwrap();
    }
    let shown = done(far.path(), near.path(), &format!("ls -1 {}\n", far.path().display()));
    assert_eq!(shown.lines().filter(|line| line.contains("file-")).count(), 5000);
}

#[test]
fn what_is_not_possible_is_refused() {
    let (far, near) = folders();
    let there = far.path().display();
    fs::write(far.path().join("a"), "a").unwrap();
    fs::write(far.path().join("b"), "b").unwrap();
    for line in ["get DIR/none x", "rmdir DIR/a", "rm DIR", "put .batch DIR/none/x", "mkdir DIR/a", "ln DIR/a DIR/b"] {
        let output = batch(far.path(), near.path(), &line.replace("DIR", &there.to_string()));
        assert!(!output.status.success(), "{line}");
    }
    assert_eq!(fs::read_to_string(far.path().join("b")).unwrap(), "b");
}
