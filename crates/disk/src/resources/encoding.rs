//! Encodings of texts. Mostly UTF-8; files of Chinese Windows programs are often in GBK or GB18030, and some are in
//! UTF-16.

use std::fs::File;
use std::io::{self, Read, Seek};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use encoding_rs::{Decoder, Encoding, GB18030, GBK, UTF_8, UTF_16BE, UTF_16LE};

/// Read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// The top-level domain that the detection assumes, which prefers Chinese encodings.
const USUAL: &[u8] = b"cn";

/// An encoding, with or without a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextEncoding {
    encoding: &'static Encoding,
    marked: bool,
}

impl TextEncoding {
    /// Detects the encoding of a whole text. `None` when it is not a text: it contains control characters, or its
    /// encoding is unknown.
    pub(crate) fn of(file: &mut File) -> io::Result<Option<Self>> {
        let mut beginning = Vec::new();
        file.rewind()?;
        file.take(3).read_to_end(&mut beginning)?;
        if let Some((encoding, _)) = Encoding::for_bom(&beginning) {
            return Ok(decodes(file, encoding)?.then_some(Self { encoding, marked: true }));
        }
        let mut utf8 = Some(Utf8::default());
        let mut controls = false;
        each_chunk(file, |chunk, last| {
            controls |= has_controls(chunk);
            utf8 = utf8.take().and_then(|utf8| utf8.takes(chunk, last));
            !controls
        })?;
        if controls {
            return Ok(None);
        }
        if utf8.is_some() {
            return Ok(Some(Self { encoding: UTF_8, marked: false }));
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        each_chunk(file, |chunk, last| {
            detector.feed(chunk, last);
            true
        })?;
        for encoding in [widest(detector.guess(Some(USUAL), Utf8Detection::Deny)), GB18030] {
            if decodes(file, encoding)? {
                return Ok(Some(Self { encoding, marked: false }));
            }
        }
        Ok(None)
    }

    /// Returns the encoding by its name: that of [`Self::name`], or any label of the Encoding Standard.
    pub(crate) fn named(name: &str) -> DiskResult<Self> {
        let lower = name.to_ascii_lowercase();
        let (label, marked) = lower.strip_suffix("-bom").map_or((lower.as_str(), false), |label| (label, true));
        let unknown = || DiskError::bad_request(Reason::EncodingUnknown);
        let encoding = Encoding::for_label_no_replacement(label.as_bytes()).ok_or_else(unknown)?;
        if marked && encoding != UTF_8 {
            return Err(unknown());
        }
        // UTF-16 is not recognised without its mark.
        Ok(Self { encoding, marked: marked || encoding == UTF_16LE || encoding == UTF_16BE })
    }

    /// As the `encoding` of a file is called.
    pub(crate) fn name(self) -> String {
        let name = self.encoding.name().to_ascii_lowercase();
        if self.encoding == UTF_8 && self.marked { name + "-bom" } else { name }
    }

    /// Text in this encoding.
    ///
    /// # Errors
    /// 400 when it has a character that the encoding has not.
    pub(crate) fn encode(self, text: &str) -> DiskResult<Vec<u8>> {
        let mark = if self.marked { "\u{feff}" } else { "" };
        if self.encoding == UTF_16LE || self.encoding == UTF_16BE {
            let bytes = if self.encoding == UTF_16LE { u16::to_le_bytes } else { u16::to_be_bytes };
            return Ok(mark.encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect());
        }
        let (bytes, _, lost) = self.encoding.encode(text);
        if lost {
            return Err(DiskError::bad_request(Reason::EncodingLacks));
        }
        Ok([mark.as_bytes(), &bytes].concat())
    }

    fn decoder(self) -> Decoder {
        self.encoding.new_decoder_with_bom_removal()
    }
}

/// Hands the text on in pieces, decoded and without its mark.
pub(crate) fn decode(
    file: &mut File,
    encoding: TextEncoding,
    mut each: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let mut decoder = encoding.decoder();
    let mut text = String::new();
    let mut result = Ok(());
    each_chunk(file, |chunk, last| {
        text.clear();
        text.reserve(decoder.max_utf8_buffer_length(chunk.len()).unwrap_or_default());
        // With this capacity the whole chunk is consumed.
        let _ = decoder.decode_to_string(chunk, &mut text, last);
        result = each(&text);
        result.is_ok()
    })?;
    result
}

/// Whether this beginning of a file can be text in a known encoding; its last character may be cut off.
pub(super) fn may_be_text(beginning: &[u8]) -> bool {
    if let Some((encoding, _)) = Encoding::for_bom(beginning) {
        return Checking::new(encoding).takes(beginning, false);
    }
    let in_one_of = || [UTF_8, GB18030].into_iter().any(|encoding| Checking::new(encoding).takes(beginning, false));
    !has_controls(beginning) && in_one_of()
}

fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte <= 8)
}

/// GB18030 has all of GBK and more.
fn widest(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

fn decodes(file: &mut File, encoding: &'static Encoding) -> io::Result<bool> {
    let mut check = Checking::new(encoding);
    let mut good = true;
    each_chunk(file, |chunk, last| {
        good = check.takes(chunk, last);
        good
    })?;
    Ok(good)
}

/// UTF-8 in pieces: the beginning of a character that the next piece must complete.
#[derive(Default)]
struct Utf8(Vec<u8>);

impl Utf8 {
    /// `None` when the next bytes are invalid.
    fn takes(self, bytes: &[u8], last: bool) -> Option<Self> {
        let Self(mut open) = self;
        let mut bytes = bytes;
        while !open.is_empty() && !bytes.is_empty() {
            let (next, rest) = bytes.split_at(1);
            open.extend_from_slice(next);
            bytes = rest;
            match std::str::from_utf8(&open) {
                Ok(_) => open.clear(),
                Err(error) if error.error_len().is_some() => return None,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => {}
            Err(error) if error.error_len().is_some() => return None,
            Err(error) => open.extend_from_slice(&bytes[error.valid_up_to()..]),
        }
        (open.is_empty() || !last).then_some(Self(open))
    }
}

/// Decodes to validate, and discards the output.
struct Checking {
    decoder: Decoder,
    text: String,
}

impl Checking {
    fn new(encoding: &'static Encoding) -> Self {
        Self { decoder: encoding.new_decoder_with_bom_removal(), text: String::new() }
    }

    /// Whether the next bytes are good.
    fn takes(&mut self, bytes: &[u8], last: bool) -> bool {
        self.text.clear();
        self.text.reserve(self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or_default());
        let (_, _, replaced) = self.decoder.decode_to_string(bytes, &mut self.text, last);
        !replaced
    }
}

/// Reads from the beginning, until `each` returns false. The last call is marked, and may have no bytes.
fn each_chunk(file: &mut File, mut each: impl FnMut(&[u8], bool) -> bool) -> io::Result<()> {
    // A text that grows while it is read is not followed.
    let size = file.metadata()?.len();
    file.rewind()?;
    let mut file = file.take(size);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match file.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if !each(&chunk[..read], read == 0) || read == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn of(bytes: &[u8]) -> Option<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        TextEncoding::of(&mut file).unwrap().map(|encoding| {
            let mut text = String::new();
            decode(&mut file, encoding, |piece| {
                text.push_str(piece);
                Ok(())
            })
            .unwrap();
            format!("{}: {text}", encoding.name())
        })
    }

    #[test]
    fn what_texts_are_in() {
        let chinese = "实验室的日志\n第二行";
        for name in ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "gb18030"] {
            let encoded = TextEncoding::named(name).unwrap().encode(chinese).unwrap();
            assert_eq!(of(&encoded), Some(format!("{name}: {chinese}")));
        }
        assert_eq!(of(&GBK.encode("中文").0).as_deref(), Some("gb18030: 中文"));
        assert_eq!(of(b"").as_deref(), Some("utf-8: "));
        assert_eq!(of(b"\x7fELF\0\x01"), None);
        assert_eq!(of(b"text with a NUL\0"), None);
        // Over the edge of a chunk, and cut off in a character.
        let long = "图".repeat(CHUNK_BYTES);
        assert_eq!(of(long.as_bytes()), Some(format!("utf-8: {long}")));
        let mut utf8 = Some(Utf8::default());
        for byte in "a图🧪".as_bytes() {
            utf8 = utf8.and_then(|utf8| utf8.takes(&[*byte], false));
        }
        assert!(utf8.is_some_and(|utf8| utf8.takes(&[], true).is_some()));
        assert_ne!(of(&"图".as_bytes()[..2]).as_deref(), Some("utf-8: "));
    }

    #[test]
    fn what_can_be_written() {
        assert!(TextEncoding::named("ebcdic").is_err() && TextEncoding::named("gbk-bom").is_err());
        assert!(TextEncoding::named("gbk").unwrap().encode("🧪").is_err());
        assert!(TextEncoding::named("GB18030").unwrap().encode("🧪").is_ok());
        assert_eq!(TextEncoding::named("utf-16le").unwrap().encode("a").unwrap(), [0xFF, 0xFE, b'a', 0]);
        assert_eq!(TextEncoding::named("utf-8-bom").unwrap().encode("a").unwrap(), [0xEF, 0xBB, 0xBF, b'a']);
    }

    #[test]
    fn how_text_may_begin() {
        assert!(may_be_text("日志".as_bytes()) && may_be_text(&"日志".as_bytes()[..4]));
        assert!(may_be_text(&GBK.encode("日志").0) && may_be_text(&[0xFF, 0xFE, b'a', 0]));
        assert!(!may_be_text(b"\x7fELF\x02\x01\0") && !may_be_text(b"\xff\xfd\xff\xff"));
    }
}
