//! The hooks of `scripts/hooks`, in a repository made for them: what they refuse, and that they look at what is staged.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tests::root;

const GOOD: &str = "fn good() {}\n";
const BAD: &str = "fn  bad( ) {}\n";

fn git(repository: &Path, arguments: &[&str]) -> Output {
    let person = ["-c", "user.name=test", "-c", "user.email=test@lab.test", "-c", "core.hooksPath=scripts/hooks"];
    let mut command = Command::new("git");
    // Where this runs from a hook of its own.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.current_dir(repository).args(person).args(arguments).output().expect("git is installed")
}

/// Stages everything and commits it.
fn commit(repository: &Path, subject: &str) -> Result<(), String> {
    git(repository, &["add", "."]);
    let output = git(repository, &["commit", "--quiet", "--message", subject]);
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(dir.path().join("scripts/hooks")).expect("folders");
    for name in ["rustfmt.toml", "scripts/common.sh", "scripts/hooks/pre-commit", "scripts/hooks/commit-msg"] {
        // With its permissions.
        fs::copy(root().join(name), dir.path().join(name)).expect("a copy");
    }
    assert!(git(dir.path(), &["init", "--quiet"]).status.success());
    dir
}

#[test]
fn commits_of_another_format_are_refused_by_what_is_staged() {
    let dir = repository();
    let file = dir.path().join("some file.rs");
    fs::write(&file, BAD).expect("a file");
    let said = commit(dir.path(), "all: begin").expect_err("it is refused");
    assert!(said.contains("some file.rs") && said.contains("cargo fmt"), "{said}");
    fs::write(&file, GOOD).expect("a file");
    commit(dir.path(), "all: begin").expect("it is taken");
    // What lies beside the staged state is not asked about, and neither is what was not touched.
    fs::write(dir.path().join("other.rs"), GOOD).expect("a file");
    git(dir.path(), &["add", "other.rs"]);
    fs::write(dir.path().join("other.rs"), BAD).expect("a file");
    assert!(git(dir.path(), &["commit", "--quiet", "--message", "all: go on"]).status.success());
}

#[test]
fn a_subject_has_72_characters_at_most() {
    let dir = repository();
    let said = commit(dir.path(), &"工".repeat(73)).expect_err("it is refused");
    assert!(said.contains("73"), "{said}");
    commit(dir.path(), &format!("{}\n\n{}", "工".repeat(72), "x".repeat(200))).expect("it is taken");
}
