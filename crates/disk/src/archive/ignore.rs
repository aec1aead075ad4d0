//! `.dockerignore`: paths that are excluded from a build context. Docker's rules: a pattern matches paths relative to
//! the folder, or a folder above them; the last match decides; `!` includes again.

use regex::Regex;

/// Longer files are considered a mistake.
const MOST_LINES: usize = 1000;

/// The patterns of one file, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignore(Vec<Pattern>);

#[derive(Clone, Debug)]
struct Pattern {
    fits: Regex,
    back: bool,
}

impl Ignore {
    /// Lines that are no patterns fit nothing.
    pub(super) fn parse(text: &str) -> Self {
        let lines = text.trim_start_matches('\u{feff}').lines().take(MOST_LINES);
        let lines = lines.filter(|line| !line.starts_with('#')).map(str::trim).filter(|line| !line.is_empty());
        let pattern = |line: &str| {
            let (back, glob) = match line.strip_prefix('!') {
                Some(rest) => (true, rest.trim()),
                None => (false, line),
            };
            let parts: Vec<&str> = glob.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            let fits = Regex::new(&format!("^{}(/.*)?$", expression(&parts.join("/")))).ok()?;
            Some(Pattern { fits, back })
        };
        Self(lines.filter_map(pattern).collect())
    }

    /// Whether this path is left out.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        self.0.iter().rev().find(|pattern| pattern.fits.is_match(path)).is_some_and(|pattern| !pattern.back)
    }
}

/// Go's `filepath.Match` and `**`, as a regular expression.
fn expression(glob: &str) -> String {
    let mut expression = String::new();
    let mut rest = glob;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            expression.push_str("(.*/)?");
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("**") {
            expression.push_str(".*");
            rest = after;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        match first {
            '*' => expression.push_str("[^/]*"),
            '?' => expression.push_str("[^/]"),
            '[' if rest.contains(']') => {
                let (class, after) = rest.split_once(']').unwrap_or_default();
                let (not, class) = class.strip_prefix('^').map_or(("", class), |class| ("^", class));
                let class = class.replace('\\', "\\\\").replace('[', "\\[").replace('&', "\\&").replace('~', "\\~");
                expression.push_str(&format!("[{not}{class}]"));
                rest = after;
            }
            '\\' => {
                let next = rest.chars().next().unwrap_or('\\');
                expression.push_str(&regex::escape(&next.to_string()));
                rest = rest.strip_prefix(next).unwrap_or_default();
            }
            other => expression.push_str(&regex::escape(&other.to_string())),
        }
    }
    expression
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dockers_own_examples() {
        let ignore =
            Ignore::parse("# comment\n*/temp*\n*/*/temp*\ntemp?\n*.md\n!README*.md\nREADME-secret.md\n/logs/\n");
        for (path, out) in [
            ("somedir/temporary.txt", true),
            ("somedir/subdir/temporary.txt", true),
            ("tempa", true),
            ("tempab", false),
            ("notes.md", true),
            ("README.md", false),
            ("README-secret.md", true),
            ("docs/notes.md", false),
            ("logs/a/b", true),
            ("logs", true),
            ("my/logs", false),
        ] {
            assert_eq!(ignore.leaves_out(path), out, "{path}");
        }
    }

    #[test]
    fn two_stars_cross_folders_and_the_rest_is_taken_literally() {
        let ignore = Ignore::parse("**/*.go\na.b\n[x-z]1\n(\n**\n!keep/**");
        assert!(ignore.leaves_out("a/b/c.go") && ignore.leaves_out("c.go") && !ignore.leaves_out("keep/me"));
        let ignore = Ignore::parse("a.b\n[x-z]1\n(");
        assert!(ignore.leaves_out("a.b") && !ignore.leaves_out("aXb"));
        assert!(ignore.leaves_out("y1") && !ignore.leaves_out("a1") && ignore.leaves_out("("));
    }
}
