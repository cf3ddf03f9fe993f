//! Certificates as bytes bound to one goal: a header with digests of the goal and of the payload,
//! then the certificate. Damaged or truncated files, and files for another goal, are rejected. This
//! caches the search for a proof, not its check: an opened certificate still has to pass the
//! checker.

use std::fmt::Write as _;

use super::kernel::{
    CaseSplit, Certificate, Goal, Lemma, Op, Reader, Rejection, Rewriting, Step, TermId, put_number,
};

const MAGIC: &[u8; 8] = b"MISTRUST";
const VERSION: u8 = 1;

/// Limits on the nesting and on the total number of certificates.
const MOST_LEVELS: usize = 16;
const MOST_CERTIFICATES: u64 = 1 << 20;

pub fn seal(goal: &Goal, certificate: &Certificate) -> Vec<u8> {
    let mut payload = Vec::new();
    put(&mut payload, certificate);
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    bytes.extend_from_slice(goal_digest(goal).as_bytes());
    bytes.extend_from_slice(blake3::hash(&payload).as_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

pub fn open(bytes: &[u8], goal: &Goal) -> Result<Certificate, Rejection> {
    let mut reader = Reader::new(bytes);
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(Rejection("not a certificate".into()));
    } else if reader.take(1)? != [VERSION] {
        return Err(Rejection("the certificate has another version".into()));
    } else if reader.take(blake3::OUT_LEN)? != goal_digest(goal).as_bytes() {
        return Err(Rejection("the certificate is for another goal".into()));
    }
    let digest = reader.take(blake3::OUT_LEN)?;
    let payload = reader.rest();
    if digest != blake3::hash(payload).as_bytes() {
        return Err(Rejection("the certificate is damaged".into()));
    }
    let mut reader = Reader::new(payload);
    let mut left = MOST_CERTIFICATES;
    let certificate = take(&mut reader, MOST_LEVELS, &mut left)?;
    if !reader.is_empty() {
        return Err(Rejection("the certificate has trailing bytes".into()));
    }
    Ok(certificate)
}

/// A digest of the goal that does not depend on the rest of its arena.
fn goal_digest(goal: &Goal) -> blake3::Hash {
    let mut text = format!("{:?}\n", goal.scope);
    let order = goal.terms.in_order(&[goal.holds]);
    let mut positions = vec![0; goal.terms.len()];
    for (position, &term) in order.iter().enumerate() {
        positions[term.0 as usize] = position;
        let node = goal.terms.node(term);
        let _ = match node.op {
            Op::Literal(literal) => write!(text, "{}", goal.terms.integer(literal)),
            op => write!(text, "{op:?}"),
        };
        for arg in node.args() {
            let _ = write!(text, " {}", positions[arg.0 as usize]);
        }
        let _ = writeln!(text, " : {}", node.width);
    }
    blake3::hash(text.as_bytes())
}

fn put(bytes: &mut Vec<u8>, certificate: &Certificate) {
    match certificate {
        Certificate::Ring => bytes.push(0),
        Certificate::Slices(states) => {
            bytes.push(1);
            put_number(bytes, states.len() as u64);
            for state in states {
                put_bytes(bytes, state);
            }
        }
        Certificate::Linear => bytes.push(2),
        Certificate::Circuit => bytes.push(3),
        Certificate::Refutation(refutation) => {
            bytes.push(4);
            put_bytes(bytes, refutation);
        }
        Certificate::Cases { variable, of, each } => {
            bytes.push(match of {
                CaseSplit::Amounts => 5,
                CaseSplit::Powers => 6,
            });
            put_number(bytes, u64::from(*variable));
            // Most cases are equal, so that they are run-length encoded.
            let runs: Vec<&[Certificate]> = each.chunk_by(|a, b| a == b).collect();
            put_number(bytes, runs.len() as u64);
            for run in runs {
                put_number(bytes, run.len() as u64);
                put(bytes, &run[0]);
            }
        }
        Certificate::Lemmas { steps, rest } => {
            bytes.push(7);
            put_number(bytes, steps.len() as u64);
            for step in steps {
                bytes.push(step.lemma as u8);
                put_operands(bytes, &step.operands);
            }
            put(bytes, rest);
        }
        Certificate::Split { flag, each } => {
            bytes.push(8);
            put_number(bytes, u64::from(flag.0));
            each.iter().for_each(|certificate| put(bytes, certificate));
        }
        Certificate::Composed { steps, rest } => {
            bytes.push(9);
            put_number(bytes, steps.len() as u64);
            for step in steps {
                put_number(bytes, u64::from(step.theorem) << 1 | u64::from(step.backwards));
                put_operands(bytes, &step.operands);
            }
            put(bytes, rest);
        }
    }
}

fn put_operands(bytes: &mut Vec<u8>, operands: &[TermId]) {
    put_number(bytes, operands.len() as u64);
    for operand in operands {
        put_number(bytes, u64::from(operand.0));
    }
}

fn put_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    put_number(bytes, more.len() as u64);
    bytes.extend_from_slice(more);
}

/// `left` is the number of certificates still allowed.
fn take(reader: &mut Reader<'_>, levels: usize, left: &mut u64) -> Result<Certificate, Rejection> {
    let Some(levels) = levels.checked_sub(1) else {
        return Err(Rejection("the certificate is nested too deeply".into()));
    };
    spend(left, 1)?;
    let kind = reader.take(1)?[0];
    Ok(match kind {
        0 => Certificate::Ring,
        1 => {
            let mut states = Vec::new();
            for _ in 0..reader.count()? {
                states.push(take_bytes(reader)?);
            }
            Certificate::Slices(states)
        }
        2 => Certificate::Linear,
        3 => Certificate::Circuit,
        4 => Certificate::Refutation(take_bytes(reader)?),
        5 | 6 => {
            let of = if kind == 5 { CaseSplit::Amounts } else { CaseSplit::Powers };
            let variable = narrow(reader.number()?)?;
            let mut each = Vec::new();
            for _ in 0..reader.count()? {
                let length = reader.number()?.max(1);
                let before = *left;
                let certificate = take(reader, levels, left)?;
                spend(left, (before - *left).saturating_mul(length - 1))?;
                each.resize(each.len() + length as usize, certificate);
            }
            Certificate::Cases { variable, of, each }
        }
        7 => {
            let mut steps = Vec::new();
            for _ in 0..reader.count()? {
                let lemma = Lemma::ALL.get(usize::from(reader.take(1)?[0])).copied();
                let lemma = lemma.ok_or(Rejection("unknown lemma".into()))?;
                steps.push(Step { lemma, operands: take_operands(reader)? });
            }
            Certificate::Lemmas { steps, rest: Box::new(take(reader, levels, left)?) }
        }
        8 => {
            let flag = TermId(narrow(reader.number()?)?);
            let each = [take(reader, levels, left)?, take(reader, levels, left)?];
            Certificate::Split { flag, each: Box::new(each) }
        }
        9 => {
            let mut steps = Vec::new();
            for _ in 0..reader.count()? {
                let code = reader.number()?;
                let (theorem, backwards) = (narrow(code >> 1)?, code & 1 == 1);
                steps.push(Rewriting { theorem, backwards, operands: take_operands(reader)? });
            }
            Certificate::Composed { steps, rest: Box::new(take(reader, levels, left)?) }
        }
        _ => return Err(Rejection(format!("unknown certificate kind {kind}"))),
    })
}

fn spend(left: &mut u64, count: u64) -> Result<(), Rejection> {
    *left = left.checked_sub(count).ok_or(Rejection("too many cases".into()))?;
    Ok(())
}

fn take_operands(reader: &mut Reader<'_>) -> Result<Vec<TermId>, Rejection> {
    let mut operands = Vec::new();
    for _ in 0..reader.count()? {
        operands.push(TermId(narrow(reader.number()?)?));
    }
    Ok(operands)
}

fn take_bytes(reader: &mut Reader<'_>) -> Result<Vec<u8>, Rejection> {
    let count = reader.count()?;
    Ok(reader.take(count)?.to_vec())
}

fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, Rejection> {
    T::try_from(number).map_err(|_| Rejection("a number is out of range".into()))
}

#[cfg(test)]
mod tests;
