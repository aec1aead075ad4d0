//! The bits of a scan.

/// Reads from the most significant bit on. After the end there are zeros.
pub(super) struct Bits<'a> {
    data: &'a [u8],
    at: usize,
    /// The next bits, from the top.
    next: u64,
    count: u32,
    /// How many of them are made up.
    made_up: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0, next: 0, count: 0, made_up: 0 }
    }

    /// The next bits, at least 32 of them, from the top.
    #[inline]
    pub(super) fn peek(&mut self) -> u64 {
        if self.count < 32 {
            self.fill();
        }
        self.next
    }

    /// Skips at most as many bits as [`Bits::peek`] returned.
    #[inline]
    pub(super) fn skip(&mut self, bits: u8) {
        self.next <<= u32::from(bits);
        self.count -= u32::from(bits);
    }

    #[inline]
    fn fill(&mut self) {
        let four = self.data.get(self.at..).and_then(|rest| rest.first_chunk::<4>());
        if let Some(four) = four.copied().map(u32::from_be_bytes)
            && !has_marker(four)
        {
            self.next |= u64::from(four) << (32 - self.count);
            self.count += 32;
            self.at += 4;
            return;
        }
        while self.count <= 56 {
            self.byte();
        }
    }

    /// One byte; `FF 00` is a byte `FF`, and any other `FF` is a marker, at which the scan ends.
    fn byte(&mut self) {
        let byte = match self.data.get(self.at..) {
            Some([0xFF, 0, ..]) => {
                self.at += 2;
                0xFF
            }
            Some([0xFF, ..]) | Some([]) | None => {
                self.made_up = self.made_up.saturating_add(8);
                0
            }
            Some([byte, ..]) => {
                self.at += 1;
                *byte
            }
        };
        self.next |= u64::from(byte) << (56 - self.count);
        self.count += 8;
    }

    /// A number of `size` bits, of which the lower half is negative (T.81, F.2.2.1).
    #[inline]
    pub(super) fn difference(&mut self, size: u8) -> i32 {
        if size == 0 {
            return 0;
        }
        let value = i32::try_from(self.peek() >> (64 - u32::from(size))).unwrap_or_default();
        self.skip(size);
        if value < 1 << (size - 1) { value - (1 << size) + 1 } else { value }
    }

    /// Skips the marker that must come here.
    pub(super) fn restart(&mut self) -> Option<()> {
        // Filled up to a whole byte, and read ahead not beyond the marker.
        if self.ran_out() || self.count - self.made_up > 7 {
            return None;
        }
        match self.data.get(self.at..)? {
            [0xFF, 0xD0..=0xD7, ..] => self.at += 2,
            _ => return None,
        }
        (self.next, self.count, self.made_up) = (0, 0, 0);
        Some(())
    }

    /// More was read than there was.
    pub(super) fn ran_out(&self) -> bool {
        self.made_up > self.count
    }
}

/// Whether one of the bytes is `FF`.
fn has_marker(four: u32) -> bool {
    (!four).wrapping_sub(0x0101_0101) & four & 0x8080_8080 != 0
}
