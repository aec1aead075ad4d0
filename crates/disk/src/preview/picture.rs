//! Making a picture smaller. Everything in it may be hostile: sizes are judged before anything is
//! decoded, and a decoder that panics has met a broken picture.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{DynamicImage, ImageDecoder, ImageEncoder, ImageError, ImageFormat, ImageReader, Limits};

use super::eighth;
use super::workshop::Room;

/// The side of a thumbnail's square, in pixels.
const THUMB_SIDE: u32 = 256;
/// The longer side of a small preview at most: enough for a tile.
const SMALL_SIDE: u32 = 384;
/// The longer side of a big preview at most.
const BIG_SIDE: u32 = 1080;
/// Larger pictures are not decoded.
const MAX_PIXELS: u64 = 100_000_000;
/// Nor are larger files: some formats are read into memory whole.
const MAX_FILE_BYTES: u64 = 128 * 1024 * 1024;
/// Memory limit for decoding one image.
pub(super) const MAX_DECODED_BYTES: u64 = 512 * 1024 * 1024;
/// A colour profile that is worth carrying.
const MAX_PROFILE_BYTES: usize = 16 * 1024;
/// A higher quality is not visible at these sizes.
const JPEG_QUALITY: u8 = 82;

const FORMATS: [ImageFormat; 6] =
    [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff];

/// How small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Size {
    /// A square out of the middle, at most 256 pixels wide.
    Thumb,
    /// All of it, at most 384 pixels wide and high.
    Small,
    /// All of it, at most 1080 pixels wide and high.
    Big,
}

/// Why there is no smaller picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("not a picture of a known format")]
    Unknown,
    #[error("broken picture")]
    Broken,
    #[error("picture too large")]
    TooLarge,
}

/// A JPEG or, where something shines through, a PNG. Waits for `room` when others need it.
/// Blocks.
pub(super) fn make(file: File, size: Size, room: &Room) -> Result<Vec<u8>, Refusal> {
    let made = catch_unwind(AssertUnwindSafe(|| try_to_make(file, size, room)));
    match made {
        Ok(made) => made.map_err(|fault| refusal(&fault)),
        Err(_) => {
            tracing::warn!("an image decoder panicked; the picture counts as broken");
            Err(Refusal::Broken)
        }
    }
}

enum Fault {
    Refused(Refusal),
    Image(ImageError),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ImageError> for Fault {
    fn from(error: ImageError) -> Self {
        Self::Image(error)
    }
}

fn refusal(fault: &Fault) -> Refusal {
    match fault {
        Fault::Refused(refusal) => *refusal,
        Fault::Image(ImageError::Limits(_)) => Refusal::TooLarge,
        Fault::Image(ImageError::Unsupported(_)) => Refusal::Unknown,
        Fault::Image(_) => Refusal::Broken,
    }
}

fn try_to_make(mut file: File, size: Size, room: &Room) -> Result<Vec<u8>, Fault> {
    let bytes = file.metadata().map_err(ImageError::IoError)?.len();
    let format = format_of(&mut file)?;
    if bytes > MAX_FILE_BYTES {
        return Err(Refusal::TooLarge.into());
    }
    if format == ImageFormat::Jpeg {
        let mut jpeg = Vec::new();
        file.take(MAX_FILE_BYTES).read_to_end(&mut jpeg).map_err(ImageError::IoError)?;
        return from_reader(Cursor::new(&jpeg), format, Some(&jpeg), size, room);
    }
    from_reader(BufReader::new(file), format, None, size, room)
}

fn from_reader<R: BufRead + Seek>(
    reader: R,
    format: ImageFormat,
    jpeg: Option<&[u8]>,
    size: Size,
    room: &Room,
) -> Result<Vec<u8>, Fault> {
    let mut reader = ImageReader::with_format(reader, format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS || decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(Refusal::TooLarge.into());
    }
    if width == 0 || height == 0 {
        return Err(Refusal::Broken.into());
    }
    let orientation = decoder.orientation()?;
    let profile = decoder.icc_profile()?.filter(|profile| is_usable(profile));
    let enough = match size {
        Size::Thumb => width.min(height) / 8 >= THUMB_SIDE,
        Size::Small => width.max(height) / 8 >= SMALL_SIDE,
        Size::Big => false,
    };
    let mut small = match jpeg.filter(|_| enough).and_then(eighth::decode) {
        Some(eighth) => shrink(eighth.into(), size)?,
        None => {
            let _held = room.take(decoder.total_bytes());
            shrink(eight_bits(DynamicImage::from_decoder(decoder)?), size)?
        }
    };
    small.apply_orientation(orientation);
    encode(&small, profile)
}

/// By how it begins, not by its name.
fn format_of(file: &mut File) -> Result<ImageFormat, Fault> {
    let mut beginning = Vec::new();
    file.take(64).read_to_end(&mut beginning).map_err(ImageError::IoError)?;
    file.rewind().map_err(ImageError::IoError)?;
    let format = image::guess_format(&beginning).ok().filter(|format| FORMATS.contains(format));
    Ok(format.ok_or(Refusal::Unknown)?)
}

/// The output is RGB (or grey, which any RGB profile can display).
fn is_usable(profile: &[u8]) -> bool {
    profile.len() <= MAX_PROFILE_BYTES && profile.get(16..20) == Some(b"RGB ")
}

fn eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        image @ (DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_)) => image,
        other if other.color().has_alpha() => other.into_rgba8().into(),
        other => other.into_rgb8().into(),
    }
}

/// The part of the picture that is shown and how large it becomes; never larger than it is.
fn plan(width: u32, height: u32, size: Size) -> ((u32, u32), (u32, u32)) {
    match size {
        Size::Thumb => {
            let side = width.min(height);
            ((side, side), (side.min(THUMB_SIDE), side.min(THUMB_SIDE)))
        }
        Size::Small => whole_within(width, height, SMALL_SIDE),
        Size::Big => whole_within(width, height, BIG_SIDE),
    }
}

fn whole_within(width: u32, height: u32, most: u32) -> ((u32, u32), (u32, u32)) {
    let longer = width.max(height);
    let fit = |side: u32| {
        let exact = u64::from(side) * u64::from(most) + u64::from(longer) / 2;
        u32::try_from(exact / u64::from(longer)).unwrap_or(most).max(1)
    };
    let whole = (width, height);
    (whole, if longer <= most { whole } else { (fit(width), fit(height)) })
}

fn shrink(image: DynamicImage, size: Size) -> Result<DynamicImage, Fault> {
    let (shown, (width, height)) = plan(image.width(), image.height(), size);
    if shown == (image.width(), image.height()) && shown == (width, height) {
        return Ok(image);
    }
    let left = f64::from(image.width() - shown.0) / 2.0;
    let top = f64::from(image.height() - shown.1) / 2.0;
    let options = ResizeOptions::new()
        .crop(left, top, f64::from(shown.0), f64::from(shown.1))
        .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom));
    let mut small = DynamicImage::new(width, height, image.color());
    // Sizes and kinds of pixels are right by now, so this is no fault of the picture.
    Resizer::new().resize(&image, &mut small, &options).map_err(|_| Refusal::Broken)?;
    Ok(small)
}

fn encode(image: &DynamicImage, profile: Option<Vec<u8>>) -> Result<Vec<u8>, Fault> {
    let clear = image.as_rgba8().is_some_and(|image| image.pixels().any(|pixel| pixel.0[3] < u8::MAX));
    let mut out = Vec::new();
    if clear {
        let mut encoder = PngEncoder::new(&mut out);
        carry(&mut encoder, profile);
        image.write_with_encoder(encoder)?;
    } else {
        let mut encoder = JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY);
        carry(&mut encoder, profile);
        image.to_rgb8().write_with_encoder(encoder)?;
    }
    Ok(out)
}

fn carry(encoder: &mut impl ImageEncoder, profile: Option<Vec<u8>>) {
    if let Some(profile) = profile {
        // Both formats can; without it colours would only be a little off.
        let _ = encoder.set_icc_profile(profile);
    }
}

/// The type of [`make`]'s output.
pub(super) fn content_type(made: &[u8]) -> &'static str {
    if made.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_becomes_larger() {
        let table = [
            ((4000, 3000), ((3000, 3000), (256, 256)), ((4000, 3000), (1080, 810))),
            ((3000, 4000), ((3000, 3000), (256, 256)), ((3000, 4000), (810, 1080))),
            ((100, 50), ((50, 50), (50, 50)), ((100, 50), (100, 50))),
            ((1080, 1080), ((1080, 1080), (256, 256)), ((1080, 1080), (1080, 1080))),
            ((1081, 1), ((1, 1), (1, 1)), ((1081, 1), (1080, 1))),
            ((1, 100_000_000), ((1, 1), (1, 1)), ((1, 100_000_000), (1, 1080))),
        ];
        for ((width, height), thumb, big) in table {
            assert_eq!(plan(width, height, Size::Thumb), thumb, "{width} x {height}");
            assert_eq!(plan(width, height, Size::Big), big, "{width} x {height}");
        }
        assert_eq!(plan(4000, 3000, Size::Small), ((4000, 3000), (384, 288)));
        assert_eq!(plan(384, 100, Size::Small), ((384, 100), (384, 100)));
    }
}
