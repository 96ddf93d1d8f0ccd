//! Damaged copies of samples.

use super::list::Sample;

/// Cuts per file.
const CUTS: usize = 64;

/// Bit flips per file.
const FLIPS: usize = 256;

/// Copies of a sample in which one file is cut, flipped, or gone, with what was done.
pub(crate) fn variants(sample: &Sample) -> impl Iterator<Item = (String, Vec<(String, Vec<u8>)>)> {
    let sample = sample.clone();
    (0..sample.files.len()).flat_map(move |file| {
        let (name, bytes) = sample.files[file].clone();
        let sample = sample.clone();
        changed(&bytes).into_iter().map(move |(what, bytes)| {
            let mut files = sample.files.clone();
            files[file].1 = bytes;
            (format!("{name} {what}"), files)
        })
    })
}

fn changed(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut copies = Vec::new();
    for cut in 0..CUTS.min(bytes.len()) {
        let len = bytes.len() * cut / CUTS;
        copies.push((format!("cut to {len} bytes"), bytes[..len].to_vec()));
    }
    // A fixed sequence of positions; the header of binary formats gets its share.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for flip in 0..FLIPS.min(bytes.len() * 8) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(flip as u64 | 1);
        let reach = if flip % 4 == 0 {
            bytes.len().min(128)
        } else {
            bytes.len()
        };
        let bit = usize::try_from(state >> 20).unwrap() % (reach * 8);
        let mut copy = bytes.to_vec();
        copy[bit / 8] ^= 1 << (bit % 8);
        copies.push((format!("with bit {bit} flipped"), copy));
    }
    copies
}
