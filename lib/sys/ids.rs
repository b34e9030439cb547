//! Identifiers: ULIDs (26 characters, sortable by time), and safe file names for ids of clients.

use crate::sys::clock;
use crate::sys::digest;

/// A new ULID. Under a pinned clock the random part is the digest of the time and `seed`, so that transcripts are stable. A seed
/// names the tool, the record kind and the journal's length.
pub fn ulid(seed: &[&str]) -> String {
    ulid_at(clock::now(), seed)
}

/// A new ULID of that time, for a log whose ids must not go back when the clock does.
pub fn ulid_at(time: clock::Time, seed: &[&str]) -> String {
    let mut random = [0u8; 10];
    match clock::pinned() {
        Some(moment) => {
            let mut parts = vec![moment.as_bytes()];
            parts.extend(seed.iter().map(|part| part.as_bytes()));
            let digest = digest::sha256_parts(&parts);
            random.copy_from_slice(&digest.as_bytes()[..10]);
        }
        None => fill_random(&mut random),
    }
    encode(time.0, random)
}

/// The ULID of that time for something that already has a name elsewhere: the same parts always make the same id.
pub fn ulid_of(time: clock::Time, parts: &[&str]) -> String {
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
    let digest = digest::sha256_parts(&parts);
    let mut rest = [0u8; 10];
    rest.copy_from_slice(&digest.as_bytes()[..10]);
    encode(time.0, rest)
}

#[cfg(target_os = "linux")]
fn fill_random(bytes: &mut [u8]) {
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(n) => filled += n,
            // Only an interrupted call can fail here, so it is repeated.
            Err(_) => continue,
        }
    }
}

/// The keys of std's hash tables come from the system's random numbers; rustix reads those on Linux only.
#[cfg(not(target_os = "linux"))]
fn fill_random(bytes: &mut [u8]) {
    use std::hash::{BuildHasher, Hasher, RandomState};
    for part in bytes.chunks_mut(8) {
        let word = RandomState::new().build_hasher().finish().to_ne_bytes();
        part.copy_from_slice(&word[..part.len()]);
    }
}

/// Crockford's digits.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

fn encode(millis: u64, random: [u8; 10]) -> String {
    let mut value = u128::from(millis & 0xffff_ffff_ffff);
    for byte in random {
        value = value << 8 | u128::from(byte);
    }
    of_number(value)
}

/// The value of each digit; 255 for other bytes. Readers of long logs ask for each byte of each id.
const VALUES: [u8; 256] = {
    let (mut values, mut at) = ([255; 256], 0);
    while at < ALPHABET.len() {
        values[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    values
};

/// When a ULID was made; None if `id` is not a ULID.
pub fn time_of(id: &str) -> Option<clock::Time> {
    let value = |b: u8| VALUES[usize::from(b)];
    let is_one = id.len() == 26 && id.bytes().all(|b| value(b) < 32);
    is_one.then(|| clock::Time(id.bytes().take(10).fold(0, |time, b| time << 5 | u64::from(value(b)))))
}

/// A ULID as a number in the order of the ids; None if `id` is not a ULID, or too large for one.
pub fn number_of(id: &[u8]) -> Option<u128> {
    // Readers of long logs ask for several of each line: with a length that the compiler knows it needs no loop.
    let id: &[u8; 26] = id.try_into().ok()?;
    let values = id.map(|b| VALUES[usize::from(b)]);
    let part = |digits: &[u8]| digits.iter().fold(0u64, |number, value| number << 5 | u64::from(value & 31));
    let number = u128::from(part(&values[..2])) << 120
        | u128::from(part(&values[2..14])) << 60
        | u128::from(part(&values[14..]));
    let wrong = values.iter().fold(0, |wrong, value| wrong | value);
    (wrong < 32 && id[0] < b'8').then_some(number)
}

/// The ULID of a number.
pub fn of_number(number: u128) -> String {
    (0..26).rev().map(|at| ALPHABET[(number >> (at * 5)) as usize & 31] as char).collect()
}

/// When the ULID of a number was made.
pub fn time_of_number(number: u128) -> clock::Time {
    clock::Time((number >> 80) as u64)
}

/// A file name for an id that a client chose: the id itself if it is short and plain, else `x-` and 32 digits of its digest. The name
/// never leads to another directory, and the name of one id never equals another id.
pub fn file_name(id: &str) -> String {
    let plain = (1..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if plain && !id.starts_with("x-") { id.to_string() } else { format!("x-{}", &digest::sha256(id.as_bytes())[..32]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ulids_sort_by_time_and_are_unique() {
        assert!(encode(1, [255; 10]) < encode(2, [0; 10]));
        assert_eq!(encode(0, [0; 10]), "0".repeat(26));
        let drawn: std::collections::HashSet<String> = (0..1000).map(|_| ulid(&[])).collect();
        assert_eq!(drawn.len(), 1000);
    }

    #[test]
    fn the_time_of_an_id_is_the_one_it_was_made_at() {
        for time in [0, 1, 1_795_219_200_123, (1 << 48) - 1] {
            assert_eq!(time_of(&ulid_at(clock::Time(time), &[])), Some(clock::Time(time)));
        }
        for id in ["", "0", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAV0"] {
            assert_eq!(time_of(id), None, "{id}");
        }
    }

    #[test]
    fn hostile_ids_become_harmless_names() {
        for id in ["../../etc/passwd", "a/b", "", ".", "..", "a\nb", "x-0", "ü", &"a".repeat(4096)] {
            let name = file_name(id);
            assert!(name.starts_with("x-") && name.len() == 34, "{id:?} -> {name}");
        }
        assert_eq!(file_name("53cd9293-7af6-4850-857f-65cde87662f2"), "53cd9293-7af6-4850-857f-65cde87662f2");
    }

    proptest! {
        #[test]
        fn a_file_name_is_one_plain_component(id in ".*") {
            let name = file_name(&id);
            prop_assert!(name.len() <= 64 && !name.is_empty());
            prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
        }
    }
}
