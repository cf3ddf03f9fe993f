//! A sealed certificate opens only for its goal, and only undamaged.

use super::{open, seal};
use crate::kernel::{CaseSplit, Certificate, Lemma, Rewriting, Step, TermId};
use crate::prove::sample::goal;

fn certificates() -> Vec<Certificate> {
    let cases = |of, inner: Certificate| Certificate::Cases {
        variable: 3,
        of,
        each: [vec![Certificate::Circuit; 256], vec![inner], vec![Certificate::Circuit; 2]]
            .concat(),
    };
    vec![
        Certificate::Ring,
        Certificate::Linear,
        Certificate::Circuit,
        Certificate::Slices(vec![vec![], vec![1, 2, 3], vec![255; 300]]),
        Certificate::Refutation((0..=255).collect()),
        cases(CaseSplit::Amounts, Certificate::Refutation(vec![7; 9])),
        cases(CaseSplit::Powers, cases(CaseSplit::Amounts, Certificate::Ring)),
        Certificate::Lemmas {
            steps: vec![Step { lemma: Lemma::Nested, operands: [1, 2, 70_000].map(TermId).into() }],
            rest: Box::new(Certificate::Linear),
        },
        Certificate::Composed {
            steps: vec![
                Rewriting { theorem: 0, backwards: true, operands: vec![TermId(0), TermId(9)] },
                Rewriting { theorem: 300, backwards: false, operands: vec![TermId(70_000)] },
            ],
            rest: Box::new(Certificate::Ring),
        },
        Certificate::Split {
            flag: TermId(300),
            each: Box::new([Certificate::Ring, Certificate::Slices(vec![vec![1]])]),
        },
    ]
}

#[test]
fn sealing_then_opening_is_the_identity() {
    let goal = goal("a + b = b + a", 8);
    for certificate in certificates() {
        assert_eq!(open(&seal(&goal, &certificate), &goal), Ok(certificate));
    }
}

#[test]
fn equal_cases_are_run_length_encoded() {
    let goal = goal("a + b = b + a", 8);
    let header = seal(&goal, &Certificate::Circuit).len();
    let cases = seal(&goal, &certificates()[5]).len();
    assert!(cases < header + 30, "{cases}");
}

#[test]
fn damaged_or_truncated_certificates_do_not_open() {
    let goal = goal("a + b = b + a", 8);
    for certificate in certificates() {
        let bytes = seal(&goal, &certificate);
        for length in 0..bytes.len() {
            assert!(open(&bytes[..length], &goal).is_err());
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                assert!(open(&bad, &goal).is_err(), "bit {bit} of byte {at}");
            }
        }
        assert!(open(&[&bytes[..], &[0]].concat(), &goal).is_err());
    }
}

#[test]
fn certificate_for_another_goal_does_not_open() {
    let bytes = seal(&goal("a + b = b + a", 8), &Certificate::Circuit);
    for other in [goal("a + b = b + a", 9), goal("a + b = a + b + 0", 8), goal("a * b = b * a", 8)]
    {
        assert!(open(&bytes, &other).is_err());
    }
}

#[test]
fn oversized_certificates_do_not_open() {
    // Both have valid digests: anyone who writes a file can compute them.
    let goal = goal("a + b = b + a", 8);
    let bytes = seal(&goal, &Certificate::Circuit);
    let sealed = |payload: &[u8]| {
        let mut bad = bytes[..bytes.len() - 33].to_vec();
        bad.extend_from_slice(blake3::hash(payload).as_bytes());
        bad.extend_from_slice(payload);
        bad
    };
    assert_eq!(open(&sealed(&[3]), &goal), Ok(Certificate::Circuit));
    let deep = [7, 0].repeat(100_000);
    assert!(open(&sealed(&deep), &goal).unwrap_err().0.contains("deep"));
    let many = [5, 0, 1, 0xff, 0x7f].repeat(12);
    assert!(open(&sealed(&[&many[..], &[3]].concat()), &goal).unwrap_err().0.contains("many"));
}
