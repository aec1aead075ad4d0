//! The old protocol with OpenSSH's own client, for which a script stands in for ssh.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::root::program;

/// Runs the remote command in a shell that finds our scp first.
const STAND_IN: &str = "#!/bin/sh
while [ \"$1\" != -- ]; do shift; done
shift 2
PATH=PARTS:$PATH exec sh -c \"$*\"
";

struct Lab {
    folder: TempDir,
}

impl Lab {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["near", "far", "parts"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        symlink(program(), folder.path().join("parts/scp")).unwrap();
        let script = folder.path().join("ssh");
        fs::write(&script, STAND_IN.replace("PARTS", &folder.path().join("parts").display().to_string())).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn near(&self, name: &str) -> PathBuf {
        self.folder.path().join("near").join(name)
    }

    fn far(&self, name: &str) -> PathBuf {
        self.folder.path().join("far").join(name)
    }

    fn remote(&self, name: &str) -> String {
        format!("host:{}", self.far(name).display())
    }

    fn scp(&self, flags: &str, from: &str, to: &str) -> Output {
        let mut scp = Command::new("scp");
        scp.arg("-O").arg("-S").arg(self.folder.path().join("ssh"));
        scp.args(flags.split_whitespace()).arg(from).arg(to).current_dir(self.folder.path().join("near"));
        scp.output().expect("scp, of Debian's openssh-client")
    }

    fn copied(&self, flags: &str, from: &str, to: &str) {
        let output = self.scp(flags, from, to);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

fn content(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn files_and_folders_go_there_and_back() {
    let lab = Lab::new();
    let large: Vec<u8> = (0..5_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(lab.near("数据.bin"), &large).unwrap();
    fs::set_permissions(lab.near("数据.bin"), fs::Permissions::from_mode(0o604)).unwrap();
    lab.copied("-p", "数据.bin", &lab.remote(""));
    let (one, other) = (lab.near("数据.bin").metadata().unwrap(), lab.far("数据.bin").metadata().unwrap());
    assert_eq!((one.mode(), one.mtime()), (other.mode(), other.mtime()));
    assert!(content(&lab.far("数据.bin")) == large);
    lab.copied("", &lab.remote("数据.bin"), "back");
    assert!(content(&lab.near("back")) == large);

    // A shorter one over a longer one, and by the shell's patterns.
    fs::write(lab.near("short"), "short").unwrap();
    lab.copied("", "short", &lab.remote("数据.bin"));
    lab.copied("", &lab.remote("*.bin"), ".");
    assert_eq!(content(&lab.near("数据.bin")), b"short");

    fs::create_dir_all(lab.near("一/二/empty")).unwrap();
    fs::write(lab.near("一/二/三"), "3").unwrap();
    lab.copied("-r", "一", &lab.remote(""));
    lab.copied("-rp", &lab.remote("一"), "copy");
    assert_eq!(content(&lab.near("copy/二/三")), b"3");
    assert!(lab.near("copy/二/empty").is_dir());
}

#[test]
fn what_is_not_possible_is_said_and_the_rest_is_copied() {
    let lab = Lab::new();
    fs::create_dir_all(lab.far("folder/taken")).unwrap();
    fs::create_dir_all(lab.near("folder")).unwrap();
    fs::write(lab.near("folder/taken"), "a file over a folder").unwrap();
    fs::write(lab.near("folder/z"), "z").unwrap();
    let output = lab.scp("-r", "folder", &lab.remote(""));
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("taken"), "{output:?}");
    assert_eq!(content(&lab.far("folder/z")), b"z");
    for (from, to) in [(lab.remote("none"), "x"), (lab.remote("folder"), "x")] {
        let output = lab.scp("", &from, to);
        assert!(!output.status.success() && !output.stderr.is_empty(), "{output:?}");
    }
    assert!(!lab.scp("", "folder/z", &lab.remote("none/x/y")).status.success());
}
