//! Converts SubRip and SubStation Alpha to WebVTT. Pure. Unreadable parts are left out.

use super::Kind;

const HEAD: &str = "WEBVTT\n\n";

/// The same as WebVTT.
pub(super) fn to_vtt(kind: Kind, text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    match kind {
        // Browsers require the first line.
        Kind::Vtt if !text.starts_with("WEBVTT") => format!("{HEAD}{text}"),
        Kind::Vtt => text,
        Kind::Srt => written(srt(&text)),
        Kind::Ass => written(ass(&text)),
    }
}

/// One text and its time, in milliseconds.
struct Cue {
    start: u64,
    end: u64,
    text: String,
}

fn written(mut cues: Vec<Cue>) -> String {
    cues.sort_by_key(|cue| cue.start);
    let mut out = HEAD.to_owned();
    for Cue { start, end, text } in cues {
        out.push_str(&format!("{} --> {}\n{text}\n\n", clock(start), clock(end)));
    }
    out
}

fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    format!("{:02}:{:02}:{:02}.{:03}", seconds / 3600, seconds / 60 % 60, seconds % 60, millis % 1000)
}

/// A line with times, then lines of text up to an empty one; a preceding number is optional.
fn srt(text: &str) -> Vec<Cue> {
    let mut cues = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((start, end)) = line.split_once("-->") else { continue };
        let end = end.split_whitespace().next().unwrap_or_default();
        let (Some(start), Some(end)) = (millis(start), millis(end)) else { continue };
        let text: Vec<String> = lines.by_ref().take_while(|line| !line.trim().is_empty()).map(tagged).collect();
        cues.push(Cue { start, end, text: text.join("\n") });
    }
    cues
}

/// The lines of `[Events]`, whose columns `Format:` names.
fn ass(text: &str) -> Vec<Cue> {
    let mut columns: Vec<String> = Vec::new();
    let mut cues = Vec::new();
    for line in text.lines() {
        if let Some(names) = line.strip_prefix("Format:") {
            columns = names.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
        } else if let Some(values) = line.strip_prefix("Dialogue:") {
            cues.extend(dialogue(&columns, values));
        }
    }
    cues
}

fn dialogue(columns: &[String], values: &str) -> Option<Cue> {
    // The text is the last column and may have commas.
    let values: Vec<&str> = values.splitn(columns.len().max(1), ',').collect();
    let value = |name: &str| values.get(columns.iter().position(|column| column == name)?).copied();
    let text = spoken(value("text")?)?;
    Some(Cue { start: millis(value("start")?)?, end: millis(value("end")?)?, text })
}

/// A text without its commands in braces; nothing for a drawing.
fn spoken(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (command, after) = after.split_once('}')?;
        if command.contains("\\p1") || command.contains("\\p2") || command.contains("\\p4") {
            return None;
        }
        plain.push_str(before);
        rest = after;
    }
    plain.push_str(rest);
    let lines = plain.replace("\\N", "\n").replace("\\n", "\n").replace("\\h", "\u{a0}");
    let lines: Vec<String> = lines.lines().filter(|line| !line.trim().is_empty()).map(escaped).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `1:02:03,450`, `1:02:03.45` and `02:03.450`.
fn millis(text: &str) -> Option<u64> {
    let text = text.trim().replace(',', ".");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    let seconds =
        whole.split(':').try_fold(0_u64, |sum, part| sum.checked_mul(60)?.checked_add(part.trim().parse().ok()?))?;
    let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(3).collect();
    seconds.checked_mul(1000)?.checked_add(digits.parse().ok()?)
}

/// Escapes characters with a meaning in WebVTT.
fn escaped(line: &str) -> String {
    line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// SubRip's tags that WebVTT has too stay, others go.
fn tagged(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(&escaped(before));
        match after.split_once('>') {
            Some((tag, after)) if is_tag(tag) => {
                if matches!(tag.trim_start_matches('/').to_ascii_lowercase().as_str(), "i" | "b" | "u") {
                    out.push_str(&format!("<{}>", tag.to_ascii_lowercase()));
                }
                rest = after;
            }
            _ => {
                out.push_str("&lt;");
                rest = after;
            }
        }
    }
    out.push_str(&escaped(rest));
    out
}

fn is_tag(text: &str) -> bool {
    let name = text.trim_start_matches('/');
    ["i", "b", "u", "s", "font"].iter().any(|tag| {
        name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
            && name[tag.len()..].chars().next().is_none_or(char::is_whitespace)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subrip() {
        let text = "1\r\n00:00:01,000 --> 00:00:02,500 X1:0\r\n<I>你好</I> & <font color=\"red\">a<b</font>\r\nb\r\n\r\n\
            2\r\n100:00:03,5 --> 100:00:04\r\n<script>x</script>\r\n\r\nbroken --> times\r\nlost\r\n";
        assert_eq!(
            to_vtt(Kind::Srt, text),
            "WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n<i>你好</i> &amp; a&lt;b\nb\n\n\
             100:00:03.500 --> 100:00:04.000\n&lt;script&gt;x&lt;/script&gt;\n\n"
        );
    }

    #[test]
    fn substation_alpha() {
        let text = "[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Text\n\
            Dialogue: 0,0:00:05.50,0:00:06.00,Default,second, with a comma\\Nand a line\n\
            Comment: 0,0:00:00.00,0:00:09.00,Default,no\n\
            Dialogue: 0,0:00:01.25,0:00:02.00,Default,{\\i1}first{\\i0}\n\
            Dialogue: 0,0:00:01.25,0:00:02.00,Default,{\\p1}m 0 0 l 1 1\n\
            Dialogue: 0,never\n";
        assert_eq!(
            to_vtt(Kind::Ass, text),
            "WEBVTT\n\n00:00:01.250 --> 00:00:02.000\nfirst\n\n\
             00:00:05.500 --> 00:00:06.000\nsecond, with a comma\nand a line\n\n"
        );
        assert_eq!(to_vtt(Kind::Ass, "Dialogue: no columns"), "WEBVTT\n\n");
    }

    #[test]
    fn webvtt_stays() {
        assert_eq!(to_vtt(Kind::Vtt, "WEBVTT x\r\n\r\na"), "WEBVTT x\n\na");
        assert_eq!(to_vtt(Kind::Vtt, "00:01.000 --> 00:02.000\na"), "WEBVTT\n\n00:01.000 --> 00:02.000\na");
    }
}
