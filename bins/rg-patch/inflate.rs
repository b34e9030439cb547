//! Unpacks zlib data (RFC 1950 and 1951) of a known size.

/// The order of the lengths of the code for lengths.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The shortest match of each length code, and its extra bits.
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// The unpacked bytes; None if the data is damaged or does not have exactly `size` bytes.
pub fn zlib(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let header = u16::from_be_bytes([*packed.first()?, *packed.get(1)?]);
    if packed[0] & 15 != 8 || header % 31 != 0 || packed[1] & 0x20 != 0 {
        return None;
    }
    let mut bits = Bits { bytes: &packed[2..], at: 0 };
    let mut out = Vec::new();
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, size)?,
            1 => coded(&mut bits, &mut out, size, &fixed()?)?,
            2 => {
                let codes = dynamic(&mut bits)?;
                coded(&mut bits, &mut out, size, &codes)?;
            }
            _ => return None,
        }
        if is_last {
            break;
        }
    }
    let sum = bits.bytes.get(bits.at.div_ceil(8)..)?.get(..4)?;
    (out.len() == size && sum == adler(&out).to_be_bytes()).then_some(out)
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1u32, 0u32);
    for part in bytes.chunks(5_552) {
        for byte in part {
            low += u32::from(*byte);
            high += low;
        }
        (low, high) = (low % 65_521, high % 65_521);
    }
    high << 16 | low
}

struct Bits<'a> {
    bytes: &'a [u8],
    /// The next bit.
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: u8) -> Option<usize> {
        let mut value = 0;
        for bit in 0..count {
            value |= usize::from(self.bytes.get(self.at / 8)? >> (self.at % 8) & 1) << bit;
            self.at += 1;
        }
        Some(value)
    }
}

/// A prefix code: how many codes each length has, and the symbols in the order of their codes.
struct Code {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Code {
    /// The code with these lengths; None if it has more codes than fit.
    fn new(lengths: &[u8]) -> Option<Code> {
        let mut counts = [0u16; 16];
        lengths.iter().for_each(|length| counts[usize::from(*length)] += 1);
        counts[0] = 0;
        let mut free = 1i32;
        for count in &counts[1..] {
            free = free * 2 - i32::from(*count);
            if free < 0 {
                return None;
            }
        }
        let mut symbols: Vec<u16> =
            (0..lengths.len() as u16).filter(|symbol| lengths[usize::from(*symbol)] > 0).collect();
        symbols.sort_by_key(|symbol| lengths[usize::from(*symbol)]);
        Some(Code { counts, symbols })
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
        for count in &self.counts[1..] {
            code |= bits.take(1)? as i32;
            let count = i32::from(*count);
            if code - count < first {
                return self
                    .symbols
                    .get(usize::try_from(index + code - first).ok()?)
                    .map(|symbol| usize::from(*symbol));
            }
            index += count;
            first = (first + count) * 2;
            code *= 2;
        }
        None
    }
}

fn fixed() -> Option<[Code; 2]> {
    let lengths: Vec<u8> = (0..288)
        .map(|symbol| match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        })
        .collect();
    Some([Code::new(&lengths)?, Code::new(&[5; 30])?])
}

fn dynamic(bits: &mut Bits<'_>) -> Option<[Code; 2]> {
    let (literals, distances, count) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut lengths = [0u8; 19];
    for place in &ORDER[..count] {
        lengths[*place] = bits.take(3)? as u8;
    }
    let code = Code::new(&lengths)?;
    let mut lengths: Vec<u8> = Vec::new();
    while lengths.len() < literals + distances {
        let (value, times) = match code.symbol(bits)? {
            16 => (*lengths.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            length => (length as u8, 1),
        };
        lengths.extend(std::iter::repeat_n(value, times));
    }
    if lengths.len() > literals + distances || literals > 286 {
        return None;
    }
    Some([Code::new(&lengths[..literals])?, Code::new(&lengths[literals..])?])
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>, size: usize) -> Option<()> {
    let at = bits.at.div_ceil(8);
    let head = bits.bytes.get(at..)?.get(..4)?;
    let length = u16::from_le_bytes([head[0], head[1]]);
    if length != !u16::from_le_bytes([head[2], head[3]]) {
        return None;
    }
    let end = at + 4 + usize::from(length);
    out.extend_from_slice(bits.bytes.get(at + 4..end)?);
    bits.at = end * 8;
    (out.len() <= size).then_some(())
}

fn coded(bits: &mut Bits<'_>, out: &mut Vec<u8>, size: usize, [literals, distances]: &[Code; 2]) -> Option<()> {
    loop {
        match literals.symbol(bits)? {
            256 => return Some(()),
            byte @ 0..256 => out.push(byte as u8),
            symbol => {
                let (length, extra) = *LENGTHS.get(symbol - 257)?;
                let length = usize::from(length) + bits.take(extra)?;
                let symbol = distances.symbol(bits)?;
                let extra = (symbol / 2).saturating_sub(1);
                let base = if symbol < 4 { symbol + 1 } else { ((2 + symbol % 2) << extra) + 1 };
                if symbol >= 30 {
                    return None;
                }
                let distance = base + bits.take(extra as u8)?;
                let start = out.len().checked_sub(distance)?;
                for at in start..start + length {
                    out.push(out[at]);
                }
            }
        }
        if out.len() > size {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_block_is_unpacked() {
        // Written by zlib 1.3: a stored, a fixed and a dynamic block.
        let stored = [0x78, 0x01, 0x01, 0x03, 0x00, 0xfc, 0xff, b'a', b'b', b'c', 0x02, 0x4d, 0x01, 0x27];
        assert_eq!(zlib(&stored, 3).as_deref(), Some(&b"abc"[..]));
        let fixed = [0x78, 0x01, 0x4b, 0x4c, 0x84, 0x01, 0x00, 0x14, 0xe1, 0x03, 0xcb];
        assert_eq!(zlib(&fixed, 10).as_deref(), Some(&b"aaaaaaaaaa"[..]));
        assert_eq!(zlib(&fixed, 9), None);
        assert_eq!(zlib(&fixed[..8], 10), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(0u8.., 0..200)) {
            let all: Vec<u8> = [0x78, 0x9c].into_iter().chain(bytes).collect();
            proptest::prop_assert!(zlib(&all, 1000).is_none_or(|out| out.len() == 1000));
        }
    }
}
