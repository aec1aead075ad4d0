//! The words of comments and of the glossary: no comment has a phrase that a stranger must read twice, and every type,
//! table and URL in `docs/GLOSSARY.md` exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tests::{files, root};

/// Phrases in lower case, each with what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("whoever", "name the actor: the caller, the next leader, the last writer"),
    ("one's", "the owner: the caller's, the user's, the instance's"),
    ("oneself", "the caller, the user"),
    ("it is none", "what it is not: it is not a file"),
    ("gone back", "rolled back"),
    ("gone on with", "resumed, continued"),
    ("goes on with", "resumes, continues with"),
    ("go on with", "resume, continue with"),
    ("begun anew", "restarted"),
    ("made anew", "recreated"),
    ("let go on", "resumed"),
    ("lets go", "releases, resumes"),
    ("of which one", "two sentences, or: one of them"),
    ("of whom", "two sentences"),
    ("said of", "what it is: the description of, the report about"),
    ("is to be said", "the message, the text"),
    ("may not say", "what happens instead: swallows, hides"),
    ("tells that", "reports that"),
    ("learns of", "is notified of"),
    ("knows of", "has, is notified of"),
    ("one learns", "is revealed; other people's objects answer 404"),
    ("one does not", "the subject: the caller does not"),
    ("nobody knows", "is unknown"),
    ("somebody else's", "another user's, another process's, foreign"),
    ("is nobody's", "has no owner, is reserved"),
    ("stands for itself", "is independent"),
    ("who comes", "the subject: the client, the user"),
    ("who asks", "the subject: the caller, the client"),
    ("nobody who", "no user who, no process that"),
    ("but for", "except, apart from"),
    ("likewise", "in the same way, also"),
    ("somebody", "the user, the caller, another process"),
    ("somebody's", "a user's, another user's"),
    ("anybody", "any user, every visitor"),
    ("anybody's", "any user's"),
    ("everybody", "all users, everyone"),
    ("everybody's", "all users'"),
    ("nobody", "no user, no process; or a passive: is not used"),
    ("nobody's", "no user's"),
    ("so many", "the parameter: this many, at most `limit`"),
    ("is told", "is notified, receives; or: the event, the message"),
    ("are told", "are notified, receive"),
    ("was told", "was notified, received"),
    ("were told", "were notified, received"),
    ("was said", "the output, the reply"),
    ("what becomes", "the action, the treatment"),
    ("what became", "the outcome"),
    ("what comes", "the form, the input"),
    ("what came", "the outcome, the response"),
    ("tells of", "reports, notifies of"),
    ("told of", "notified of"),
    ("whose it is", "its owner"),
    ("may stand in", "is valid in: the validation"),
    ("what stands", "the content"),
    ("what is wrong", "the fault, the error"),
];

/// Folders with their kinds of sources, and the marks that begin a comment there.
const SOURCES: &[(&str, &[&str], &[&str])] = &[
    ("crates", &[".rs"], SLASHES),
    ("tests", &[".rs", ".mjs"], SLASHES),
    ("web/src", &[".ts", ".tsx"], SLASHES),
    ("tests", &[".py", ".sh"], HASH),
    ("scripts", &[""], HASH),
];
const SLASHES: &[&str] = &["//", "/*", "* ", "{/*"];
const HASH: &[&str] = &["#"];

/// The text of a line's comment. After code it is only looked for where the quotes before it are closed.
fn comment<'a>(line: &'a str, marks: &[&str]) -> Option<&'a str> {
    let line = line.trim();
    if marks.iter().any(|mark| line.starts_with(mark)) {
        return Some(line);
    }
    let (code, comment) = line.split_once(" // ").filter(|_| marks == SLASHES)?;
    (code.matches('"').count() % 2 == 0).then_some(comment)
}

/// The words of a text in lower case between single blanks; punctuation is a word of its own.
fn words(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '/' | '*' | '#' | '!' | '`' | '"' => spaced.push(' '),
            '\'' | '-' | '_' => spaced.push(character),
            _ if character.is_alphanumeric() => spaced.extend(character.to_lowercase()),
            _ if character.is_whitespace() => spaced.push(' '),
            _ => spaced.push_str(" . "),
        }
    }
    let mut words = String::from(" ");
    for word in spaced.split_whitespace() {
        words.push_str(word);
        words.push(' ');
    }
    words
}

/// Each banned phrase in the comments of a text, also across two lines, with the number of its line.
fn offences(text: &str, marks: &[&str]) -> Vec<(usize, &'static str, &'static str)> {
    let lines: Vec<Option<String>> = text.lines().map(|line| comment(line, marks).map(words)).collect();
    let phrases: Vec<String> = BANNED.iter().map(|(phrase, _)| format!(" {phrase} ")).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(line) = line else { continue };
        let next = lines.get(at + 1).and_then(Option::as_deref).unwrap_or(" ");
        let both = format!("{line}{}", next.trim_start());
        for (alone, (phrase, instead)) in phrases.iter().zip(BANNED) {
            if both.contains(alone.as_str()) && !next.contains(alone.as_str()) {
                found.push((at + 1, *phrase, *instead));
            }
        }
    }
    found
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn comments_use_plain_words() {
    let mut found = Vec::new();
    for (folder, endings, marks) in SOURCES {
        for path in endings.iter().flat_map(|ending| files(&root().join(folder), ending)) {
            // Generated from the API documents.
            if shown(&path).ends_with(".d.ts") {
                continue;
            }
            // Skips binary files, such as Python's cache.
            let Ok(text) = fs::read_to_string(&path) else { continue };
            for (number, phrase, instead) in offences(&text, marks) {
                found.push(format!("{}:{number}: \"{phrase}\": write {instead}", shown(&path)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_reading_of_comments_works() {
    let (phrase, _) = BANNED[0];
    let after_code = format!("let a = 1; // It is {phrase}, now.");
    for text in [format!("    /// It is {phrase}."), after_code, format!("{{/* {phrase} */}}")] {
        assert_eq!(offences(&text, SLASHES).len(), 1, "{text}");
    }
    for text in [format!("let a = \"b // {phrase} \";"), format!("//! un{phrase}"), phrase.to_owned()] {
        assert_eq!(offences(&text, SLASHES).len(), 0, "{text}");
    }
    assert_eq!(offences(&format!("# {phrase}"), HASH).len(), 1);
}

/// The rows of the glossary's tables, each with its cells.
fn rows(glossary: &str) -> Vec<Vec<&str>> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| 中文 ");
    glossary.lines().filter(is_row).map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// The name after `struct`, `enum` or `trait` in a line of code.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.find(|word| matches!(*word, "struct" | "enum" | "trait"))?;
    words.next()
}

fn types() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files(&root().join("crates"), ".rs") {
        let text = fs::read_to_string(path).expect("text");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        names.extend(code.filter_map(declared).map(str::to_owned));
    }
    names
}

fn tables() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files(&root().join("crates"), ".sql") {
        let text = fs::read_to_string(path).expect("text");
        let created = text.split("create table ").skip(1).filter_map(|rest| rest.split_whitespace().next());
        names.extend(created.map(str::to_owned));
    }
    names
}

fn urls() -> BTreeSet<String> {
    let mut urls = BTreeSet::new();
    for (document, base) in [("portal", ""), ("disk", "/disk")] {
        let text = fs::read_to_string(root().join("openapi").join(format!("{document}.json"))).expect("a document");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let paths = document["paths"].as_object().expect("paths");
        urls.extend(paths.keys().map(|path| format!("{base}{path}")));
    }
    urls
}

#[test]
fn the_glossary_names_what_exists() {
    let glossary = fs::read_to_string(root().join("docs/GLOSSARY.md")).expect("the glossary");
    let rows = rows(&glossary);
    assert!(rows.len() >= 40, "{} terms", rows.len());
    let known = [types(), tables(), urls()];
    let mut missing = Vec::new();
    for row in &rows {
        assert_eq!(row.len(), 5, "{row:?}");
        for (cell, known) in row[2..].iter().zip(&known) {
            let name = cell.trim_matches('`');
            if name != "–" && !known.contains(name) {
                missing.push(format!("{}: {name}", row[1]));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
