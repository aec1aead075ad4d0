//! A JPEG at an eighth of its size, without decoding the rest.
//!
//! Each block of 8 × 8 pixels in a JPEG begins with the block's mean. A thumbnail of a photograph needs nothing more:
//! the other coefficients are skipped, which is several times faster than to decode and average them. No Rust library
//! does it fast enough (`jpeg-decoder` scales, but is no faster than vipsthumbnail), and a decoder in C would parse
//! hostile files in this process.
//!
//! Only the output of cameras and phones is supported: baseline, 8 bits, grey or YCbCr in one scan. Any other or
//! damaged file gives `None`, and the caller decodes all of it.

mod bits;
mod huffman;

use image::RgbImage;

use bits::Bits;
use huffman::Table;

/// Markers (ITU-T T.81, table B.1).
const START_OF_IMAGE: u8 = 0xD8;
const BASELINE: u8 = 0xC0;
const EXTENDED: u8 = 0xC1;
const HUFFMAN_TABLES: u8 = 0xC4;
const QUANTIZATION_TABLES: u8 = 0xDB;
const RESTART_INTERVAL: u8 = 0xDD;
const START_OF_SCAN: u8 = 0xDA;
const ADOBE: u8 = 0xEE;

/// The picture, or nothing.
pub(super) fn decode(jpeg: &[u8]) -> Option<RgbImage> {
    let mut header = Header::default();
    let mut rest = jpeg.strip_prefix(&[0xFF, START_OF_IMAGE])?;
    loop {
        let (marker, segment, after) = next_segment(rest)?;
        rest = after;
        match marker {
            BASELINE | EXTENDED => header.frame(segment)?,
            HUFFMAN_TABLES => header.huffman_tables(segment)?,
            QUANTIZATION_TABLES => header.quantization_tables(segment)?,
            RESTART_INTERVAL => header.restart_interval = be16(segment)?,
            START_OF_SCAN => {
                header.scan(segment)?;
                return header.picture(rest);
            }
            // Colours that are no YCbCr.
            ADOBE if segment.starts_with(b"Adobe") && segment.get(11) != Some(&1) => return None,
            // Application data, comments.
            0xE0..=0xEF | 0xFE => {}
            _ => return None,
        }
    }
}

fn next_segment(jpeg: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[0xFF, marker], rest) = jpeg.split_first_chunk()? else { return None };
    let length = usize::from(be16(rest)?);
    let segment = rest.get(2..length)?;
    Some((marker, segment, &rest[length..]))
}

fn be16(bytes: &[u8]) -> Option<u16> {
    bytes.first_chunk().copied().map(u16::from_be_bytes)
}

#[derive(Default)]
struct Header {
    width: u32,
    height: u32,
    components: Vec<Component>,
    /// For each table the step of the means.
    steps: [Option<i32>; 4],
    means: [Option<Table>; 4],
    others: [Option<Table>; 4],
    /// In units of `Header::unit`; 0 = none.
    restart_interval: u16,
}

/// One of the components: luminance and two colours.
struct Component {
    id: u8,
    /// Blocks of it in a unit.
    across: u32,
    down: u32,
    step: usize,
    means: usize,
    others: usize,
    /// The last mean; the next one is encoded as a difference from it.
    last: i32,
    /// Means as pixels, row by row.
    plane: Vec<u8>,
    stride: u32,
}

impl Header {
    fn frame(&mut self, segment: &[u8]) -> Option<()> {
        let (&[bits, h1, h0, w1, w0, count], rest) = segment.split_first_chunk()?;
        (self.height, self.width) = (u16::from_be_bytes([h1, h0]).into(), u16::from_be_bytes([w1, w0]).into());
        let known = bits == 8 && self.width > 0 && self.height > 0 && self.components.is_empty();
        if !known || !matches!(count, 1 | 3) || rest.len() != usize::from(count) * 3 {
            return None;
        }
        for part in rest.chunks_exact(3) {
            let (across, down) = (u32::from(part[1] >> 4), u32::from(part[1] & 15));
            if !(1..=2).contains(&across) || !(1..=2).contains(&down) || part[2] > 3 {
                return None;
            }
            // A single component is encoded block by block, whatever its sampling factors.
            let (across, down) = if count == 1 { (1, 1) } else { (across, down) };
            let (step, last, plane) = (usize::from(part[2]), 0, Vec::new());
            self.components.push(Component {
                id: part[0],
                across,
                down,
                step,
                means: 0,
                others: 0,
                last,
                plane,
                stride: 0,
            });
        }
        let names: Vec<u8> = self.components.iter().map(|component| component.id).collect();
        (names != b"RGB").then_some(())
    }

    fn quantization_tables(&mut self, mut segment: &[u8]) -> Option<()> {
        while let Some((&kind, rest)) = segment.split_first() {
            let wide = kind >> 4 == 1;
            let first = if wide { be16(rest)? } else { (*rest.first()?).into() };
            *self.steps.get_mut(usize::from(kind & 15))? = Some(first.into());
            segment = rest.get(if wide { 128 } else { 64 }..)?;
        }
        Some(())
    }

    fn huffman_tables(&mut self, mut segment: &[u8]) -> Option<()> {
        while let Some((&kind, rest)) = segment.split_first() {
            let (counts, rest) = rest.split_first_chunk::<16>()?;
            let total = counts.iter().map(|count| usize::from(*count)).sum();
            let symbols = rest.get(..total)?;
            let (tables, table) = match kind >> 4 {
                0 => (&mut self.means, Table::of_means(counts, symbols)?),
                1 => (&mut self.others, Table::of_others(counts, symbols)?),
                _ => return None,
            };
            *tables.get_mut(usize::from(kind & 15))? = Some(table);
            segment = &rest[total..];
        }
        Some(())
    }

    fn scan(&mut self, segment: &[u8]) -> Option<()> {
        let (&count, rest) = segment.split_first()?;
        let (tables, spectrum) = rest.split_at_checked(usize::from(count) * 2)?;
        if usize::from(count) != self.components.len() || spectrum != [0, 63, 0] {
            return None;
        }
        for (component, said) in self.components.iter_mut().zip(tables.chunks_exact(2)) {
            if component.id != said[0] {
                return None;
            }
            (component.means, component.others) = (usize::from(said[1] >> 4), usize::from(said[1] & 15));
        }
        Some(())
    }

    /// Width and height in pixels of the unit that interleaves all components.
    fn unit(&self) -> (u32, u32) {
        let most = |side: fn(&Component) -> u32| self.components.iter().map(side).max().unwrap_or(1);
        (most(|component| component.across), most(|component| component.down))
    }

    fn picture(mut self, data: &[u8]) -> Option<RgbImage> {
        let (unit_across, unit_down) = self.unit();
        let across = self.width.div_ceil(8 * unit_across);
        let down = self.height.div_ceil(8 * unit_down);
        for component in &mut self.components {
            component.stride = across * component.across;
            let pixels = usize::try_from(component.stride * down * component.down).ok()?;
            component.plane = vec![0; pixels];
        }
        let mut bits = Bits::new(data);
        let mut until_restart = self.restart_interval;
        for row in 0..down {
            for column in 0..across {
                if self.restart_interval > 0 {
                    if until_restart == 0 {
                        bits.restart()?;
                        self.components.iter_mut().for_each(|component| component.last = 0);
                        until_restart = self.restart_interval;
                    }
                    until_restart -= 1;
                }
                for component in &mut self.components {
                    let means = self.means.get(component.means)?.as_ref()?;
                    let others = self.others.get(component.others)?.as_ref()?;
                    component.unit(&mut bits, means, others, (*self.steps.get(component.step)?)?, (column, row))?;
                }
            }
            if bits.ran_out() {
                return None;
            }
        }
        self.mix((unit_across, unit_down))
    }

    /// Merges the planes into one RGB image.
    fn mix(&self, (unit_across, unit_down): (u32, u32)) -> Option<RgbImage> {
        let (width, height) = (self.width.div_ceil(8), self.height.div_ceil(8));
        let mut out = Vec::with_capacity(usize::try_from(width * height * 3).ok()?);
        for y in 0..height {
            for x in 0..width {
                let at = |component: &Component| {
                    let (x, y) = (x * component.across / unit_across, y * component.down / unit_down);
                    component.plane[usize::try_from(y * component.stride + x).unwrap_or_default()]
                };
                match &self.components[..] {
                    [grey] => out.extend([at(grey); 3]),
                    [light, blue, red] => out.extend(rgb(at(light), at(blue), at(red))),
                    _ => return None,
                }
            }
        }
        RgbImage::from_raw(width, height, out)
    }
}

impl Component {
    /// The blocks of this component in one unit.
    fn unit(
        &mut self,
        bits: &mut Bits<'_>,
        means: &Table,
        others: &Table,
        step: i32,
        (column, row): (u32, u32),
    ) -> Option<()> {
        for down in 0..self.down {
            for across in 0..self.across {
                let (length, size) = means.look(bits)?;
                bits.skip(length);
                self.last = self.last.wrapping_add(bits.difference(size));
                others.step_over(bits)?;
                let place = (row * self.down + down) * self.stride + column * self.across + across;
                let mean = self.last.wrapping_mul(step).wrapping_add(4).wrapping_shr(3).wrapping_add(128);
                *self.plane.get_mut(usize::try_from(place).ok()?)? = clamped(mean);
            }
        }
        Some(())
    }
}

fn clamped(value: i32) -> u8 {
    u8::try_from(value.clamp(0, 255)).unwrap_or_default()
}

/// JFIF's conversion, in 1/65536.
fn rgb(light: u8, blue: u8, red: u8) -> [u8; 3] {
    let light = (i32::from(light) << 16) + (1 << 15);
    let (blue, red) = (i32::from(blue) - 128, i32::from(red) - 128);
    let parts = [91_881 * red, -22_554 * blue - 46_802 * red, 116_130 * blue];
    parts.map(|part| clamped((light + part) >> 16))
}

#[cfg(test)]
mod tests {
    use image::{GenericImageView, ImageFormat};
    use proptest::prelude::*;

    use super::*;

    const COLOUR: &[u8] = include_bytes!("../tests/pictures/420.jpg");
    const FULL: &[u8] = include_bytes!("../tests/pictures/444.jpg");
    const RESTARTS: &[u8] = include_bytes!("../tests/pictures/restarts.jpg");
    const GREY: &[u8] = include_bytes!("../tests/pictures/grey.jpg");
    const PROGRESSIVE: &[u8] = include_bytes!("../tests/pictures/progressive.jpg");

    #[test]
    fn it_is_the_mean_of_what_the_library_decodes() {
        // Where colours are coarser than light, the library also smooths them.
        for (name, jpeg, within) in
            [("444", FULL, 1.5), ("grey", GREY, 1.5), ("420", COLOUR, 6.0), ("restarts", RESTARTS, 6.0)]
        {
            let small = decode(jpeg).unwrap_or_else(|| panic!("{name}"));
            let whole = image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).unwrap().to_rgb8();
            assert_eq!(small.dimensions(), (whole.width().div_ceil(8), whole.height().div_ceil(8)), "{name}");
            let mut difference = 0_u64;
            // Whole blocks; those at the edges extend beyond the visible image.
            let (across, down) = (whole.width() / 8, whole.height() / 8);
            for (x, y) in (0..across).flat_map(|x| (0..down).map(move |y| (x, y))) {
                for channel in 0..3 {
                    let block = whole.view(x * 8, y * 8, 8, 8);
                    let sum: u32 = block.pixels().map(|(_, _, pixel)| u32::from(pixel.0[channel])).sum();
                    difference += u64::from((sum / 64).abs_diff(small.get_pixel(x, y).0[channel].into()));
                }
            }
            let mean = difference as f64 / f64::from(across * down * 3);
            assert!(mean < within, "{name}: {mean}");
        }
    }

    #[test]
    fn anything_else_is_left_to_the_library() {
        assert!(decode(PROGRESSIVE).is_none());
        assert!(decode(b"").is_none() && decode(b"\xFF\xD8").is_none() && decode(b"\xFF\xD8\xFF\xC0\0\x02").is_none());
        for length in 0..COLOUR.len() - 2 {
            assert!(decode(&COLOUR[..length]).is_none(), "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn no_damage_makes_it_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), which in 0..4_usize) {
            let mut jpeg = [COLOUR, FULL, RESTARTS, GREY][which].to_vec();
            for (index, byte) in changes {
                let at = index.index(jpeg.len());
                jpeg[at] = byte;
            }
            let _ = decode(&jpeg);
        }
    }
}
