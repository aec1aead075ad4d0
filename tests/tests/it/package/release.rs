//! The packages as a release engineer makes them: `scripts/package` builds the program itself, linked against an old
//! glibc. Not the binary under test, which only has the glibc of the machine that builds it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tests::{digest, root};

use super::{sh, succeeded, text};

/// Where `scripts/package` promises that its program runs.
const OLDEST_GLIBC: &str = "2.28";
/// The parts of glibc, which every userland has.
const GLIBC: [&str; 7] =
    ["ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1", "libutil.so.1"];

/// Packages of a release, and the program from the tarball among them.
pub(crate) struct Release {
    folder: PathBuf,
    unpacked: PathBuf,
    /// Held by this process, because another one would replace the files.
    _lock: File,
}

impl Release {
    pub(crate) const NAME: &str = concat!(env!("CARGO_PKG_VERSION"), "-1");
    /// The folder in the tarball.
    pub(super) const FOLDER: &str = concat!("yunlab-", env!("CARGO_PKG_VERSION"), "-1-x86_64-linux");

    /// Built by the first caller, which takes minutes; the others wait. Cargo keeps what it compiled for the next process.
    pub(crate) fn get() -> &'static Self {
        static RELEASE: OnceLock<Release> = OnceLock::new();
        RELEASE.get_or_init(Self::build)
    }

    fn build() -> Self {
        let name = format!("release-{}", digest(text(&root()).as_bytes()).split_at(8).0);
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&place).expect("a folder");
        let lock = File::create(place.join("lock")).expect("a file");
        lock.lock().expect("no other process packs now");
        let (folder, unpacked) = (place.join("packages"), place.join("unpacked"));
        for old in [&folder, &unpacked] {
            fs::remove_dir_all(old).unwrap_or_default();
        }
        let key = place.join("release.key");
        let mut command = Command::new(root().join("scripts/package"));
        command.args(["--revision", "1", "--key", text(&key), "--out", text(&folder)]);
        let _ = succeeded(&command.output().expect("scripts/package"));
        let release = Self { folder, unpacked, _lock: lock };
        fs::create_dir(&release.unpacked).expect("a folder");
        let _ = sh("tar", &["-xzf", text(&release.tarball()), "-C", text(&release.unpacked)]);
        release
    }

    fn file(&self, name: &str) -> PathBuf {
        let file = self.folder.join(name);
        assert!(file.is_file(), "no {name}");
        file
    }

    pub(crate) fn deb(&self) -> PathBuf {
        self.file(&format!("yunlab_{}_amd64.deb", Self::NAME))
    }

    /// A package with the next number, of the same program.
    pub(crate) fn newer_deb(&self, folder: &Path) -> PathBuf {
        super::pack(&self.program(), folder, &["--no-image", "--revision", "2"]);
        folder.join(concat!("yunlab_", env!("CARGO_PKG_VERSION"), "-2_amd64.deb"))
    }

    pub(super) fn tarball(&self) -> PathBuf {
        self.file(&format!("{}.tar.gz", Self::FOLDER))
    }

    pub(super) fn image(&self) -> PathBuf {
        self.file(&format!("{}.oci.tar", Self::FOLDER))
    }

    pub(super) fn compose_file(&self) -> PathBuf {
        self.file(&format!("compose-{}.yml", Self::NAME))
    }

    pub(super) fn program(&self) -> PathBuf {
        self.unpacked.join(Self::FOLDER).join("yunlab")
    }
}

/// As numbers: 2.9 is older than 2.28.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// The versions of symbols of glibc that a program requires, and such requirements as `ABI_DT_RELR`.
fn required(program: &Path) -> Vec<String> {
    let listed = sh("readelf", &["--wide", "--version-info", text(program)]);
    let names = listed.split("GLIBC_").skip(1);
    let word = |rest: &str| rest.split(|c: char| c.is_whitespace() || c == ')').next().unwrap_or_default().to_owned();
    names.map(word).collect()
}

/// The libraries that a program names.
fn libraries(program: &Path) -> Vec<String> {
    let listed = sh("readelf", &["--wide", "--dynamic", text(program)]);
    let named = listed.lines().filter(|line| line.contains("(NEEDED)"));
    named.filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']').to_owned())).collect()
}

#[test]
#[ignore = "long: a release is built"]
fn a_release_needs_nothing_but_an_old_glibc() {
    let release = Release::get();
    let program = release.program();
    assert!(sh(&program, &["--version"]).contains(Release::NAME));
    let versions = required(&program);
    // Fails also on what is no number.
    let highest = versions.iter().max_by_key(|version| numbers(version)).expect("it requires glibc");
    assert!(numbers(highest) <= numbers(OLDEST_GLIBC), "{highest} is required");
    let libraries = libraries(&program);
    assert!(libraries.iter().all(|name| GLIBC.contains(&name.as_str())), "{libraries:?}");
    let depends = sh("dpkg-deb", &["--field", text(&release.deb()), "Depends"]);
    assert_eq!(depends.trim(), format!("libc6 (>= {highest}), passwd"));

    // The .deb has the same program.
    let inside = release.unpacked.join("deb");
    let _ = sh("dpkg-deb", &["--extract", text(&release.deb()), text(&inside)]);
    let content = fs::read(&program).expect("the program");
    assert_eq!(digest(&content), digest(&fs::read(inside.join("usr/bin/yunlab")).expect("the program")));
    // It would be another program if it was built elsewhere.
    let home = std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| home + "/.cargo"));
    let home = home.expect("a home");
    for place in [text(&root()), home.as_str(), env!("CARGO_TARGET_TMPDIR").trim_end_matches("/tmp")] {
        assert!(!content.windows(place.len()).any(|bytes| bytes == place.as_bytes()), "it names {place}");
    }
}

/// By the lines of `INSTALL.md`, in the folder with the files.
#[test]
#[ignore = "long: a release is built"]
fn a_release_is_verified_as_its_instructions_say() {
    let release = Release::get();
    let instructions = fs::read_to_string(release.unpacked.join(Release::FOLDER).join("INSTALL.md"));
    let instructions = instructions.expect("instructions");
    let mut blocks = instructions.split("```").skip(1).step_by(2);
    let lines = blocks.find(|block| block.contains("sha256sum --check")).expect("how it is verified");
    let verify = |script: &str| {
        let words = ["-euo", "pipefail", "-c", script];
        Command::new("bash").args(words).current_dir(&release.folder).output().expect("bash")
    };
    let said = succeeded(&verify(lines));
    for file in [release.deb(), release.tarball(), release.image(), release.compose_file()] {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(said.contains(&format!("{name}: OK")), "{name} in {said}");
    }
    assert!(said.contains("Signature Verified Successfully"), "{said}");
    let other = lines.replace("-in SHA256SUMS ", "-in release-key.pem ");
    assert!(!verify(&other).status.success(), "the signature is of the checksums");
}
