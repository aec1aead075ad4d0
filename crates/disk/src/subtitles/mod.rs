//! Subtitles of videos: the files that belong to a video, and their conversion to WebVTT, the only format that browsers
//! support.

mod convert;
mod http;

pub(crate) use http::routes;

/// The kinds, by their endings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Vtt,
    Srt,
    /// SubStation Alpha, both versions.
    Ass,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "vtt" => Self::Vtt,
            "srt" => Self::Srt,
            "ass" | "ssa" => Self::Ass,
            _ => return None,
        })
    }
}

/// Whether this file has subtitles of the film: `film.srt`, `film.zh.vtt` for `film.mp4`.
pub(crate) fn belongs_to(name: &str, film: &str) -> bool {
    let base = film.rsplit_once('.').map_or(film, |(base, _)| base);
    Kind::of(name).is_some() && name.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s172_what_belongs_to_a_film() {
        for (name, expected) in [
            ("film.vtt", true),
            ("film.zh-CN.SRT", true),
            ("film.ass", true),
            ("film.ssa", true),
            ("film2.vtt", false),
            ("film.mp4", false),
            ("film.txt", false),
            ("Film.vtt", false),
            ("vtt", false),
        ] {
            assert_eq!(belongs_to(name, "film.mp4"), expected, "{name}");
        }
    }
}
