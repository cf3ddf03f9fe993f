//! Bisection of an ordered list: finds where good turns into bad. The list may contain settings, passes or
//! versions; this file is independent of compilers.

/// The result of one point of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Good,
    Bad,
    /// This point cannot be judged, for example a version that does not start.
    Unclear,
}

/// The turn from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The last good point; `None` if the first point is already bad.
    pub good: Option<usize>,
    /// The first bad point. Points between it and the last good one are unclear.
    pub bad: usize,
}

/// Bisects points `0..count`. Returns `None` unless the last one is bad. Examines each point at most once.
pub fn bisect(count: usize, mut look: impl FnMut(usize) -> Health) -> Option<Turn> {
    let last = count.checked_sub(1)?;
    let mut known = vec![None; count];
    let mut health = |point: usize| *known[point].get_or_insert_with(|| look(point));
    if health(last) != Health::Bad {
        return None;
    }
    // Unclear points at the good end are skipped.
    let first = (0..last).find(|&point| health(point) != Health::Unclear);
    let Some(mut good) = first.filter(|&point| health(point) == Health::Good) else {
        return Some(Turn { good: None, bad: first.unwrap_or(last) });
    };
    let mut bad = last;
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        let outwards = (0..bad - good).flat_map(|step| {
            [middle.checked_sub(step), middle.checked_add(step)].into_iter().flatten()
        });
        let clear = outwards
            .filter(|&point| point > good && point < bad)
            .find(|&point| health(point) != Health::Unclear);
        match clear {
            Some(point) if health(point) == Health::Bad => bad = point,
            Some(point) => good = point,
            None => break,
        }
    }
    Some(Turn { good: Some(good), bad })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_turn_is_found_in_logarithmic_time(count in 1usize..2000, turn in 0usize..2000) {
            let turn = turn % count;
            let mut asked = 0u32;
            let found = bisect(count, |point| {
                asked += 1;
                if point >= turn { Health::Bad } else { Health::Good }
            });
            prop_assert_eq!(found, Some(Turn { good: turn.checked_sub(1), bad: turn }));
            prop_assert!(asked <= 3 + usize::BITS - count.leading_zeros());
        }

        #[test]
        fn unclear_points_are_skipped(
            turn in 1usize..60, unclear in prop::collection::vec(any::<bool>(), 64),
        ) {
            let health = |point: usize| match point {
                63 => Health::Bad,
                _ if unclear[point] => Health::Unclear,
                _ if point >= turn => Health::Bad,
                _ => Health::Good,
            };
            let found = bisect(64, health).unwrap();
            prop_assert_eq!(health(found.bad), Health::Bad);
            let between = found.good.map_or(0, |good| good + 1)..found.bad;
            for point in between {
                prop_assert_eq!(health(point), Health::Unclear);
            }
            if let Some(good) = found.good {
                prop_assert_eq!(health(good), Health::Good);
            }
        }
    }

    #[test]
    fn a_list_that_ends_good_has_no_turn() {
        assert_eq!(bisect(8, |_| Health::Good), None);
        assert_eq!(bisect(8, |_| Health::Unclear), None);
        assert_eq!(bisect(0, |_| Health::Bad), None);
    }
}
