//! A keyed bijection on `0..total`: consecutive indices of a template give solutions from all over its space.

/// The image of `index`, which is less than `total`.
pub fn spread(index: u128, total: u128, key: u64) -> u128 {
    if total <= 1 {
        return 0;
    }
    // A Feistel network on the next even number of bits; walking the cycle leads back into the range.
    let bits = (128 - (total - 1).leading_zeros()).max(2).div_ceil(2);
    let mask = (1u128 << bits) - 1;
    let mut value = index % total;
    loop {
        let (mut left, mut right) = (value >> bits, value & mask);
        for round in 0..4 {
            let mixed = mix(right as u64 ^ mix(key.wrapping_add(round)));
            (left, right) = (right, left ^ (u128::from(mixed) & mask));
        }
        value = (left << bits) | right;
        if value < total {
            return value;
        }
    }
}

/// The finaliser of SplitMix64.
pub(crate) fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_range_is_reached_once() {
        for total in [1, 2, 3, 17, 64, 100, 1000] {
            let mut images: Vec<u128> = (0..total).map(|index| spread(index, total, 7)).collect();
            assert!(total < 17 || images.windows(2).any(|pair| pair[0] > pair[1]));
            images.sort_unstable();
            assert_eq!(images, (0..total).collect::<Vec<u128>>());
        }
    }

    #[test]
    fn neighbours_are_far_apart_in_a_large_space() {
        let total = 1 << 90;
        let images: Vec<u128> = (0..64).map(|index| spread(index, total, 1)).collect();
        let quarters: std::collections::BTreeSet<u128> =
            images.iter().map(|it| it / (total / 4)).collect();
        assert_eq!(quarters.len(), 4);
    }
}
