//! `Content-Disposition` (RFC 6266, RFC 8187). Pure.

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that RFC 8187 leaves unencoded.
const ATTRIBUTE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// For saving, or for showing in the browser, under this name.
pub(crate) fn disposition(name: &str, inline: bool) -> HeaderValue {
    let kind = if inline { "inline" } else { "attachment" };
    // For clients that only support the old form: characters that could end the quotes or be taken for an escape are
    // replaced.
    let plain =
        |c: char| if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/') || c == ' ' { c } else { '_' };
    let ascii: String = name.chars().map(plain).collect();
    let encoded = utf8_percent_encode(name, ATTRIBUTE);
    HeaderValue::from_str(&format!("{kind}; filename=\"{ascii}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn hard_names_stay_one_header() {
        let shown = |name: &str| disposition(name, false).to_str().map(str::to_owned).unwrap();
        assert_eq!(shown("a b.txt"), "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt");
        assert_eq!(shown("图.png"), "attachment; filename=\"_.png\"; filename*=UTF-8''%E5%9B%BE.png");
        assert_eq!(
            shown("a\"\r\nSet-Cookie: x=1\\.html"),
            "attachment; filename=\"a___Set-Cookie: x=1_.html\"; \
             filename*=UTF-8''a%22%0D%0ASet-Cookie%3A%20x%3D1%5C.html"
        );
        assert!(disposition("a.pdf", true).to_str().unwrap().starts_with("inline; "));
    }
}
