//! Where a run of ordinary characters in a string ends.

/// How many bytes `text` begins with that mean nothing in a string: no quote, no backslash, no
/// control character.
///
/// Texts with an escape or two in every line have short runs, which are faster by words; longer
/// ones go by blocks that fit vector registers.
#[inline]
pub(super) fn plain_len(text: &[u8]) -> usize {
    /// Bytes that are looked at by words before it pays to look at blocks.
    const SHORT_MAX: usize = 64;

    let (words, rest) = text.as_chunks::<8>();
    let mut len = 0;
    for word in words {
        let ends = ends_of_run(u64::from_le_bytes(*word));
        if ends != 0 {
            return len + first_marked(ends);
        }
        len += 8;
        if len == SHORT_MAX {
            return len + long_plain_len(text.get(len..).unwrap_or_default());
        }
    }
    len + rest.iter().take_while(|byte| !ends_run(**byte)).count()
}

/// The same for what is likely long.
#[inline(never)]
fn long_plain_len(text: &[u8]) -> usize {
    let (blocks, _) = text.as_chunks::<32>();
    let is_plain = |block: &&[u8; 32]| !block.iter().fold(false, |any, byte| any | ends_run(*byte));
    let len = blocks.iter().take_while(is_plain).count() * 32;
    let rest = text.get(len..).unwrap_or_default();
    len + rest.iter().take_while(|byte| !ends_run(**byte)).count()
}

fn ends_run(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// The place of the lowest marked byte.
#[inline]
fn first_marked(ends: u64) -> usize {
    usize::try_from(ends.trailing_zeros() / 8).unwrap_or_default()
}

/// The bytes of a word that end a run, by their highest bits. Only the lowest one set is to be
/// trusted: a borrow may mark bytes above it.
///
/// Flipping the bit 2 brings the quote to 0x20, beside the control characters, and moves nothing
/// else below 0x21; so one subtraction finds both. What is not ASCII is taken out in the end.
#[inline]
const fn ends_of_run(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x80 * ONES;
    let quotes_and_controls = (word ^ (0x02 * ONES)).wrapping_sub(0x21 * ONES);
    let backslashes = (word ^ (0x5c * ONES)).wrapping_sub(ONES);
    (quotes_and_controls | backslashes) & !word & HIGHS
}

#[cfg(test)]
mod tests {
    use super::plain_len;

    #[test]
    fn a_run_ends_at_the_same_byte_wherever_it_stands() {
        for end in (0..0x20).chain([b'"', b'\\']) {
            for at in 0..130 {
                for after in 0..40 {
                    let mut text = vec![b' '; at + 1 + after];
                    text[at] = end;
                    assert_eq!(plain_len(&text), at, "{end} at {at} of {}", text.len());
                }
            }
        }
    }

    #[test]
    fn no_other_byte_ends_a_run() {
        for byte in (0x20..=0xff).filter(|byte| !matches!(byte, b'"' | b'\\')) {
            for len in 0..130 {
                assert_eq!(plain_len(&vec![byte; len]), len, "{byte}");
            }
        }
    }
}
