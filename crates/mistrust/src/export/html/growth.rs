//! What a hunt with a corpus came to: curves of new blocks and signatures over time, blind against guided, and tables
//! of what each kind of case and each operator paid. The template renders it.

use lab::growth::{Growth, Yield};
use serde::Serialize;

use crate::display::quantity::{percent, thousands};

/// The size of a drawing, and the margin for labels.
const WIDTH: f64 = 370.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 8.0;
/// The maximal number of points of a curve.
const POINTS: usize = 200;

#[derive(Debug, Serialize)]
pub(crate) struct GrowthView {
    width: f64,
    height: f64,
    left: f64,
    bottom: f64,
    /// In words.
    headline: String,
    drawings: Vec<Drawing>,
    arms: Vec<Row>,
    operators: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Drawing {
    label: &'static str,
    most: String,
    curves: Vec<Curve>,
}

#[derive(Debug, Serialize)]
struct Curve {
    name: String,
    path: String,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    cases: String,
    accepted: String,
    fresh: String,
    signatures: String,
    failures: String,
    /// New blocks per megabyte of programs.
    rate: String,
}

/// `None` if the hunt had no corpus. `last` has the operators.
pub(crate) fn growth(samples: &[(f64, Growth)], last: Option<&Growth>) -> Option<GrowthView> {
    let last = last.filter(|it| it.all().cases > 0)?;
    let drawing = |label, value: fn(&Yield) -> u64| Drawing {
        label,
        most: thousands(last.arms.values().map(value).max().unwrap_or(0)),
        curves: curves(samples, last, value),
    };
    let mut drawings = vec![];
    if samples.len() > 1 {
        if last.covered > 0 {
            drawings.push(drawing("blocks that each kind of case reached first", |it| it.fresh));
        }
        drawings.push(drawing("signatures that each kind showed first", |it| it.signatures));
    }
    let all = last.all();
    let mut operators: Vec<(&String, &Yield)> = last.operators.iter().collect();
    operators.sort_by_key(|(name, it)| (std::cmp::Reverse((it.fresh, it.signatures)), *name));
    let headline = match last.covered {
        0 => "The target measures no coverage, so every mutant is blind.".to_owned(),
        covered => format!(
            "{} blocks, {} cases in the pool, {} of the mutants guided at the end.",
            thousands(covered),
            thousands(last.pool),
            percent(last.share as f64 / 100.0)
        ),
    };
    Some(GrowthView {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        bottom: HEIGHT - BOTTOM,
        headline: format!("{headline} {} of the cases compile.", percent(all.accepted_share())),
        drawings,
        arms: last.arms.iter().map(|(name, it)| row(name, it)).collect(),
        operators: operators.into_iter().map(|(name, it)| row(name, it)).collect(),
    })
}

fn row(name: &str, it: &Yield) -> Row {
    let rate = it.fresh as f64 * 1e6 / it.work.max(1) as f64;
    Row {
        name: name.to_owned(),
        cases: thousands(it.cases),
        accepted: percent(it.accepted_share()),
        fresh: thousands(it.fresh),
        signatures: thousands(it.signatures),
        failures: thousands(it.failures),
        rate: if it.work == 0 { "–".to_owned() } else { format!("{rate:.1}") },
    }
}

fn curves(samples: &[(f64, Growth)], last: &Growth, value: fn(&Yield) -> u64) -> Vec<Curve> {
    let usable = |it: &&(f64, Growth)| it.0.is_finite() && it.0 >= 0.0;
    let samples: Vec<&(f64, Growth)> = samples.iter().filter(usable).collect();
    let end = samples.last().map_or(1.0, |it| it.0).max(1e-9);
    let most = last.arms.values().map(value).max().unwrap_or(0).max(1) as f64;
    let step = samples.len().div_ceil(POINTS).max(1);
    let curve = |name: &String| {
        let mut path = format!("M{LEFT} {}", HEIGHT - BOTTOM);
        let count = samples.len();
        let chosen = samples.iter().enumerate();
        for (_, (at, growth)) in chosen.filter(|(at, _)| at % step == 0 || at + 1 == count) {
            let height = growth.arms.get(name).map_or(0.0, |it| value(it) as f64 / most).min(1.0);
            let x = LEFT + at / end * (WIDTH - LEFT - 4.0);
            let y = HEIGHT - BOTTOM - height * (HEIGHT - TOP - BOTTOM);
            path.push_str(&format!("L{x:.1} {y:.1}"));
        }
        Curve { name: name.clone(), path }
    };
    last.arms.keys().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(blind: u64, guided: u64) -> Growth {
        let of = |fresh| Yield { cases: 10, accepted: 5, fresh, work: 1000, ..Yield::default() };
        Growth {
            pool: 3,
            covered: blind + guided,
            share: 50,
            arms: [("blind".to_owned(), of(blind)), ("guided".to_owned(), of(guided))].into(),
            operators: [("token".to_owned(), of(1)), ("name".to_owned(), of(9))].into(),
            ..Growth::default()
        }
    }

    #[test]
    fn curves_end_at_what_each_kind_came_to() {
        let last = at(10, 40);
        let view = growth(&[(1.0, at(5, 5)), (2.0, last.clone())], Some(&last)).unwrap();
        assert_eq!((view.drawings.len(), view.drawings[0].most.as_str()), (2, "40"));
        let ends = |name: &str, end: &str| {
            let curve = view.drawings[0].curves.iter().find(|it| it.name == name).unwrap();
            assert!(curve.path.ends_with(end), "{}", curve.path);
        };
        ends("guided", "L366.0 12.0");
        ends("blind", "L366.0 124.5");
        assert_eq!(view.operators[0].name, "name", "the operator that paid most is first");
        assert!(view.headline.contains("50% of the cases compile"), "{}", view.headline);
    }

    #[test]
    fn a_hunt_without_a_corpus_has_no_growth() {
        assert!(growth(&[], None).is_none());
        assert!(growth(&[], Some(&Growth::default())).is_none());
        let view = growth(&[(f64::NAN, at(1, 1))], Some(&at(1, 1))).unwrap();
        assert!(view.drawings.is_empty());
    }
}
