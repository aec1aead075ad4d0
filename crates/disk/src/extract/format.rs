//! Which kind of archive a file is: by its first bytes, because names lie.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;

use bzip2::read::MultiBzDecoder;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use flate2::read::MultiGzDecoder;
use liblzma::read::XzDecoder;
use liblzma::stream::{CONCATENATED, Stream};

/// Memory limit of xz decoders; the strongest common level needs 65 MiB.
const XZ_MEMORY: u64 = 192 * 1024 * 1024;
/// Bytes of a tar header, and enough of any other.
pub(super) const HEAD_BYTES: usize = 512;

/// How an archive is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Zip,
    SevenZip,
    Tar,
    /// A tar, or a single file.
    Compressed(Compression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Lz4,
    Snappy,
}

impl Format {
    /// 400 for a file that is no archive, or an unsupported one.
    pub(super) fn of(file: &File) -> DiskResult<Self> {
        let mut head = [0; HEAD_BYTES];
        let mut known = 0;
        while known < HEAD_BYTES {
            match file.read_at(&mut head[known..], known.try_into().unwrap_or(u64::MAX))? {
                0 => break,
                more => known += more,
            }
        }
        Self::of_head(&head[..known]).ok_or_else(|| DiskError::bad_request(Reason::NoArchive))
    }

    fn of_head(head: &[u8]) -> Option<Self> {
        const SIGNATURES: [(&[u8], Format); 10] = [
            (b"PK\x03\x04", Format::Zip),
            (b"PK\x05\x06", Format::Zip),
            (b"PK\x07\x08", Format::Zip),
            (b"7z\xbc\xaf\x27\x1c", Format::SevenZip),
            (b"\x1f\x8b", Format::Compressed(Compression::Gzip)),
            (b"BZh", Format::Compressed(Compression::Bzip2)),
            (b"\xfd7zXZ\0", Format::Compressed(Compression::Xz)),
            (b"\x28\xb5\x2f\xfd", Format::Compressed(Compression::Zstd)),
            (b"\x04\x22\x4d\x18", Format::Compressed(Compression::Lz4)),
            (b"\xff\x06\0\0sNaPpY", Format::Compressed(Compression::Snappy)),
        ];
        let by_signature = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature));
        by_signature.map(|(_, format)| *format).or_else(|| is_tar(head).then_some(Self::Tar))
    }
}

impl Compression {
    pub(super) fn decoder<'a>(self, packed: impl Read + 'a) -> DiskResult<Box<dyn Read + 'a>> {
        Ok(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(packed)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Xz => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED).map_err(DiskError::internal)?;
                Box::new(XzDecoder::new_stream(packed, stream))
            }
            // The decoder itself refuses windows over 128 MiB.
            Self::Zstd => Box::new(zstd::stream::read::Decoder::new(packed)?),
            Self::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(packed)),
            Self::Snappy => Box::new(snap::read::FrameDecoder::new(packed)),
        })
    }
}

/// Whether this is the header of a tar's entry: its checksum is right.
pub(super) fn is_tar(head: &[u8]) -> bool {
    let Ok(head) = <&[u8; HEAD_BYTES]>::try_from(head) else { return false };
    let header = tar::Header::from_byte_slice(head);
    // The checksum itself counts as blanks.
    let sum: u32 =
        head.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) }).sum();
    head[0] != 0 && header.cksum().is_ok_and(|said| said == sum)
}
