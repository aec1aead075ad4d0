//! The jail from inside: no path, and no entry on the disk, leads out of the space.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kernel::Person;
use proptest::prelude::*;
use rustix::fs::OFlags;

use super::*;
use crate::error::DiskError;
use crate::rules::Access;
use crate::view::{Place, View, ViewSettings};

/// The fuzzer's corpus, which every test run goes through as well.
fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/virtual_path");
    let read = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read(entry.unwrap().path()).unwrap();
    std::fs::read_dir(folder).unwrap().map(read).collect()
}

/// Properties of every text that parses as a path.
fn check_path(text: &str) {
    let Ok(path) = VirtualPath::parse(text) else { return };
    for name in path.names() {
        assert!(!name.is_empty() && name != "." && name != ".." && name.len() <= MAX_NAME_BYTES, "{text:?}");
        assert!(!name.contains(['/', '\0']), "{text:?}");
    }
    // Parsing its encoded and its decoded form gives the same path.
    let again = VirtualPath::parse(&path.encoded());
    assert!(path.is_root() || again.as_ref() == Ok(&path), "{text:?} -> {again:?}");
    assert!(path.is_root() || VirtualPath::from_decoded(&path.to_string()).as_ref() == Ok(&path), "{text:?}");
}

#[test]
fn the_corpus_of_the_fuzzer() {
    let corpus = corpus();
    assert!(corpus.len() > 20);
    for bytes in corpus {
        check_path(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn what_is_said_and_what_is_meant() {
    let names = |text: &str| VirtualPath::parse(text).map(|path| path.names().join("|"));
    assert_eq!(names("").as_deref(), Ok(""));
    assert_eq!(names("/").as_deref(), Ok(""));
    assert_eq!(names("/a/b/").as_deref(), Ok("a|b"));
    assert_eq!(names("/a%2Fb").as_deref(), Ok("a|b"));
    assert_eq!(names("/a%5Cb+c").as_deref(), Ok("a\\b+c"));
    assert_eq!(names("/%252e%252e").as_deref(), Ok("%2e%2e"));
    assert_eq!(names("/%2e%2e"), Err(PathError::Dots));
    assert_eq!(names("//"), Err(PathError::Empty));
    assert_eq!(names("/a//"), Err(PathError::Empty));
    assert_eq!(names("/%00"), Err(PathError::Nul));
    assert_eq!(names("/%c0%ae"), Err(PathError::Utf8));
    assert_eq!(names("/%2"), Err(PathError::Encoding));
    assert_eq!(names(&format!("/{}", "x".repeat(256))), Err(PathError::TooLong));
}

/// A disk with Ann's home among other folders, each with a file that names its place.
struct Tree {
    folder: tempfile::TempDir,
    jails: [Jail; 2],
}

const PLACES: [&str; 6] = ["home/ann", "home/ann/d", "home/ann/d/e", "home/bob", "share", "."];

impl Tree {
    fn new(links: &[(usize, String, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for place in PLACES {
            std::fs::create_dir_all(folder.path().join(place)).unwrap();
            std::fs::write(folder.path().join(place).join("f"), place).unwrap();
        }
        for (place, name, target) in links {
            // Two links with one name: the first stays.
            let _ = symlink(target, folder.path().join(PLACES[*place]).join(name));
        }
        let jail = || Jail::open(folder.path()).unwrap();
        let jails = [jail(), jail().one_by_one(true)];
        Self { folder, jails }
    }

    /// Where a handle really leads.
    fn lies_at(&self, handle: &rustix::fd::OwnedFd) -> PathBuf {
        use std::os::fd::AsRawFd;
        let real = std::fs::read_link(format!("/proc/self/fd/{}", handle.as_raw_fd())).unwrap();
        real.strip_prefix(self.folder.path().canonicalize().unwrap()).unwrap().to_owned()
    }
}

fn ann() -> View {
    let person = Person {
        username: "ann".into(),
        name: String::new(),
        role: kernel::Role::User,
        disk_quota: 0,
        active: true,
        groups: Vec::new(),
        datasets: Vec::new(),
        own_datasets: Vec::new(),
    };
    let settings = ViewSettings { share_read_only: false, make_homes: true };
    View::new(false, Arc::new(person), settings, Access::default(), &VirtualPath::default()).unwrap()
}

/// Parts of link targets and paths that could lead somewhere.
fn part() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["..", ".", "d", "e", "f", "l", "m", "n", "home", "ann", "bob", "share", ""])
        .prop_map(str::to_owned)
}

fn target() -> impl Strategy<Value = String> {
    (any::<bool>(), prop::collection::vec(part(), 1..7)).prop_map(|(absolute, parts)| {
        let text = parts.join("/");
        if absolute || text.is_empty() { format!("/{text}") } else { text }
    })
}

fn links() -> impl Strategy<Value = Vec<(usize, String, String)>> {
    let name = prop::sample::select(vec!["l", "m", "n"]).prop_map(str::to_owned);
    prop::collection::vec((0..3_usize, name, target()), 0..6)
}

#[test]
fn a_link_to_the_space_itself_is_no_place_for_a_file() {
    let tree = Tree::new(&[(0, "n".to_owned(), "d/..".to_owned())]);
    let path = VirtualPath::from_decoded("/home/n").unwrap();
    let Place::At(location) = ann().place(&path) else { panic!("a place") };
    for jail in &tree.jails {
        assert!(matches!(jail.target(&location), Err(DiskError::Conflict(_))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_is_a_good_path_or_none(text in any::<String>()) {
        check_path(&text);
    }

    #[test]
    fn any_escapes_are_a_good_path_or_none(text in "(/|%2[eEfF]|%5[cC]|%00|%25|\\.|a|%[0-9a-fA-F]{2}|图){0,40}") {
        check_path(&text);
    }

    #[test]
    fn every_name_can_be_said(names in prop::collection::vec("[^/\0]{1,40}", 1..6)) {
        let dots = names.iter().any(|name| name == "." || name == "..");
        let long = names.iter().any(|name| name.len() > MAX_NAME_BYTES);
        let path = VirtualPath::from_decoded(&format!("/{}", names.join("/")));
        prop_assert_eq!(path.is_ok(), !dots && !long);
        if let Ok(path) = path {
            prop_assert_eq!(VirtualPath::parse(&path.encoded()), Ok(path));
        }
    }

    #[test]
    fn no_view_leaves_its_spaces(text in "(/|home|share|groups|datasets|bob|%2e%2e|%2f|\\.\\.|x){0,12}") {
        if let Ok(path) = VirtualPath::parse(&text)
            && let Place::At(location) = ann().place(&path)
        {
            let names: Vec<_> = location.names.iter().filter_map(|name| name.to_str()).collect();
            prop_assert!(matches!(names[..], ["home", "ann", ..] | ["share", ..] | ["datasets", ..]), "{:?}", names);
            prop_assert!(location.base > 0);
        }
    }

    #[test]
    fn nothing_resolves_outside_of_the_space(
        links in links(),
        names in prop::collection::vec(part(), 1..6).prop_map(|parts| {
            parts.into_iter().filter(|part| !matches!(part.as_str(), "." | ".." | "")).collect::<Vec<_>>()
        }),
    ) {
        let tree = Tree::new(&links);
        let path = VirtualPath::from_decoded(&format!("/home/{}", names.join("/"))).unwrap_or_default();
        let Place::At(location) = ann().place(&path) else { return Ok(()) };
        let mut seen = BTreeSet::new();
        for jail in &tree.jails {
            match jail.find(&location) {
                Ok(found) => {
                    let real = tree.lies_at(&found.handle);
                    prop_assert!(real.starts_with("home/ann"), "{} -> {}", path, real.display());
                    prop_assert_eq!(&real, &found.names.iter().collect::<PathBuf>());
                    if found.meta.kind == Kind::File {
                        let said = std::io::read_to_string(jail.read_file(&found).unwrap()).unwrap();
                        prop_assert!(said.starts_with("home/ann"));
                    }
                    seen.insert(format!("at {}", real.display()));
                }
                Err(DiskError::NotFound | DiskError::Forbidden) => { seen.insert("refused".to_owned()); }
                Err(other) => prop_assert!(false, "{}: {}", path, other),
            }
            if let Ok((entry, _)) = jail.target(&location) {
                prop_assert!(tree.lies_at(&entry.folder).starts_with("home/ann"));
            }
        }
        // With and without the kernel's help it is the same.
        prop_assert_eq!(seen.len(), 1, "{:?}", seen);
    }

    #[test]
    fn folders_are_made_inside_only(
        links in links(),
        names in prop::collection::vec(prop::sample::select(vec!["d", "l", "m", "new", "f"]), 1..4),
    ) {
        let tree = Tree::new(&links);
        let outside = |path: &str| std::fs::read_dir(tree.folder.path().join(path)).unwrap().count();
        let before = ["home/bob", "share", ".", "home"].map(outside);
        let path = VirtualPath::from_decoded(&format!("/home/{}", names.join("/"))).unwrap_or_default();
        if let Place::At(location) = ann().place(&path) {
            for jail in &tree.jails {
                if let Ok((made, _)) = jail.make_folders(&location) {
                    prop_assert!(tree.lies_at(&made).starts_with("home/ann"));
                }
            }
        }
        prop_assert_eq!(["home/bob", "share", ".", "home"].map(outside), before);
    }
}

#[test]
fn handles_read_and_write_nothing_by_themselves() {
    let tree = Tree::new(&[]);
    let Place::At(location) = ann().place(&VirtualPath::parse("/home/f").unwrap()) else { panic!("no place") };
    let found = tree.jails[0].find(&location).unwrap();
    assert!(rustix::fs::fcntl_getfl(&found.handle).unwrap().contains(OFlags::PATH));
}
