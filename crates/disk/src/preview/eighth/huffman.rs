//! Codes of a scan, and what each means for stepping over a block.

use super::bits::Bits;

/// Codes of up to this length are looked up at once.
const QUICK_BITS: u32 = 10;
const QUICK: usize = 1 << QUICK_BITS;
/// Added to a place in a block it says that nothing more comes.
pub(super) const END_OF_BLOCK: u8 = 128;
/// Leads out of the block without being its end: no such code is ever written.
const IMPOSSIBLE: u8 = 64;

/// Bits to go on by, and a meaning.
type Step = (u8, u8);

/// A table of codes.
pub(super) struct Table {
    /// By the next ten bits; a step of no bits where the code is longer.
    quick: Box<[Step; QUICK]>,
    /// For each longer length: the first code, aligned to the top of 16 bits, and the steps.
    long: Vec<(u8, u32, Vec<Step>)>,
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
        Self::new(counts, symbols, |length, symbol| match (symbol >> 4, symbol & 15) {
            (0, 0) => (length, END_OF_BLOCK),
            (15, 0) => (length, 16),
            (_, 0) => (length, IMPOSSIBLE),
            (zeros, size) => (length + size, zeros + 1),
        })
    }

    fn new(counts: &[u8; 16], symbols: &[u8], step: impl Fn(u8, u8) -> Step) -> Option<Self> {
        let mut table = Self { quick: Box::new([(0, 0); QUICK]), long: Vec::new() };
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

    /// What comes next; nothing when it is no code.
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
