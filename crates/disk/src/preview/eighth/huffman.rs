//! Huffman codes of a scan, and their effect on skipping a block.

use super::bits::Bits;

/// Codes of up to this length use the lookup table.
const QUICK_BITS: u32 = 10;
const QUICK: usize = 1 << QUICK_BITS;
/// A table over this many bits, which may hold several codes.
const LEAP_BITS: u32 = 12;
/// Places in a block.
pub(super) const PLACES: u32 = 64;
/// Added to a position in a block to mark that no more codes follow.
const END_OF_BLOCK: u8 = 128;
/// Leads out of the block without being its end: no encoder writes such a code.
const IMPOSSIBLE: u8 = 64;

/// Bits to go on by, and a meaning.
type Step = (u8, u8);

/// A table of codes.
pub(super) struct Table {
    /// By the next ten bits; a step of no bits where the code is longer.
    quick: Box<[Step; QUICK]>,
    /// For each longer length: the first code, aligned to the top of 16 bits, and the steps.
    long: Vec<(u8, u32, Vec<Step>)>,
    /// For the next twelve bits, the combined effect of all codes in them; a step of no bits where there is no complete
    /// code. Only for skipped coefficients.
    leaps: Vec<Step>,
}

impl Table {
    /// Codes of means: their length, and of how many bits the difference that follows is.
    pub(super) fn of_means(counts: &[u8; 16], symbols: &[u8]) -> Option<Self> {
        if symbols.iter().any(|size| *size > 15) {
            return None;
        }
        Self::new(counts, symbols, |length, size| (length, size))
    }

    /// Codes of all other coefficients: length with the bits that follow, and how far they lead.
    pub(super) fn of_others(counts: &[u8; 16], symbols: &[u8]) -> Option<Self> {
        let step = |length, symbol| match (symbol >> 4, symbol & 15) {
            (0, 0) => (length, END_OF_BLOCK),
            (15, 0) => (length, 16),
            (_, 0) => (length, IMPOSSIBLE),
            (zeros, size) => (length + size, zeros + 1),
        };
        let lengths = Self::new(counts, symbols, |length, _| (length, 0))?;
        let mut table = Self::new(counts, symbols, step)?;
        table.leaps = (0..1_u32 << LEAP_BITS).map(|window| table.leap(&lengths, window)).collect();
        Some(table)
    }

    /// All codes that lie wholly within these bits; the next one may extend beyond.
    fn leap(&self, lengths: &Self, window: u32) -> Step {
        let (mut bits, mut advance) = (0_u8, 0_u8);
        while u32::from(bits) < LEAP_BITS {
            let rest = window << bits & ((1 << LEAP_BITS) - 1);
            let index = usize::try_from(rest >> (LEAP_BITS - QUICK_BITS)).unwrap_or_default();
            let (code, (length, places)) = (lengths.quick[index].0, self.quick[index]);
            let whole = code > 0 && u32::from(bits + code) <= LEAP_BITS;
            if !whole || places == IMPOSSIBLE {
                break;
            }
            if places == END_OF_BLOCK {
                return (bits + length, advance + END_OF_BLOCK);
            }
            if u32::from(advance + places) >= PLACES {
                break;
            }
            (bits, advance) = (bits + length, advance + places);
        }
        (bits, advance)
    }

    /// Steps over all but the first coefficient of a block; nothing when it is no block.
    #[inline]
    pub(super) fn step_over(&self, bits: &mut Bits<'_>) -> Option<()> {
        let mut at = 1;
        while at < PLACES {
            let index = usize::try_from(bits.peek() >> (64 - LEAP_BITS)).ok()?;
            let (length, advance) = *self.leaps.get(index)?;
            let to = at + u32::from(advance & (END_OF_BLOCK - 1));
            // A full block has no end code: the next code belongs to the next block.
            if length > 0 && (to < PLACES || to == PLACES && advance < END_OF_BLOCK) {
                bits.skip(length);
                at = if advance < END_OF_BLOCK { to } else { PLACES };
                continue;
            }
            let (length, advance) = self.look(bits)?;
            bits.skip(length);
            at = if advance == END_OF_BLOCK { PLACES } else { at + u32::from(advance) };
        }
        (at == PLACES).then_some(())
    }

    fn new(counts: &[u8; 16], symbols: &[u8], step: impl Fn(u8, u8) -> Step) -> Option<Self> {
        let mut table = Self { quick: Box::new([(0, 0); QUICK]), long: Vec::new(), leaps: Vec::new() };
        let mut symbols = symbols.iter();
        // Aligned to the top of 16 bits.
        let mut code = 0_u32;
        for (length, count) in (1_u8..).zip(counts) {
            let width = 1_u32 << (16 - u32::from(length));
            let first = code;
            let steps: Vec<Step> = symbols.by_ref().take((*count).into()).map(|symbol| step(length, *symbol)).collect();
            for step in &steps {
                if u32::from(length) <= QUICK_BITS {
                    let from = usize::try_from(code >> (16 - QUICK_BITS)).ok()?;
                    let many = usize::try_from(width >> (16 - QUICK_BITS)).ok()?;
                    table.quick.get_mut(from..from + many)?.fill(*step);
                }
                code += width;
            }
            if code > 1 << 16 {
                return None;
            }
            if u32::from(length) > QUICK_BITS && !steps.is_empty() {
                table.long.push((length, first, steps));
            }
        }
        Some(table)
    }

    /// The next code's effect; `None` when it is invalid.
    #[inline]
    pub(super) fn look(&self, bits: &mut Bits<'_>) -> Option<Step> {
        let next = bits.peek();
        let step = self.quick[usize::try_from(next >> (64 - QUICK_BITS)).unwrap_or_default()];
        if step.0 > 0 { Some(step) } else { self.look_further(next) }
    }

    #[cold]
    fn look_further(&self, next: u64) -> Option<Step> {
        let next = u32::try_from(next >> 48).ok()?;
        self.long.iter().find_map(|(length, first, steps)| {
            let index = next.checked_sub(*first)? >> (16 - u32::from(*length));
            steps.get(usize::try_from(index).ok()?).copied()
        })
    }
}
