//! The geometry of the throughput plot. The template renders it as SVG.

use std::time::Duration;

use serde::Serialize;

use crate::display::{printable, quantity};

/// The size and margins of the drawing. The labels are in the margins.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 40.0;
/// The maximal number of steps of the curve.
const STEPS: usize = 90;

/// The possible distances of time labels, in seconds.
const TIMES: [u64; 22] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
    86_400, 172_800, 432_000, 864_000, 2_592_000,
];

#[derive(Debug, Serialize)]
pub(crate) struct Plot {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// The paths of the curve and of the area below it.
    line: String,
    area: String,
    across: Vec<Tick>,
    up: Vec<Tick>,
    found: Vec<Mark>,
}

#[derive(Debug, Serialize)]
struct Tick {
    at: f64,
    label: String,
}

#[derive(Debug, Serialize)]
struct Mark {
    at: f64,
    id: String,
    label: String,
}

/// `None` if there are too few samples. A sample is a time in seconds and the number of cases until then.
pub(crate) fn plot(samples: &[(f64, u64)], found_at: &[(f64, String)]) -> Option<Plot> {
    let samples = cleaned(samples);
    let end = samples.last()?.0;
    if end <= 0.0 || samples.len() < 2 {
        return None;
    }
    let steps = (samples.len() - 1).min(STEPS);
    let step = end / steps as f64;
    let rates: Vec<f64> = (0..steps)
        .map(|index| {
            let until = |index: usize| cases_until(&samples, index as f64 * step);
            (until(index + 1) - until(index)) / step
        })
        .collect();
    let (up, most) = rate_ticks(rates.iter().copied().fold(0.0, f64::max));
    let x = |seconds: f64| round(LEFT + seconds / end * (WIDTH - LEFT - RIGHT));
    let y = |rate: f64| round(HEIGHT - BOTTOM - rate / most * (HEIGHT - TOP - BOTTOM));
    let mut line = String::new();
    for (index, rate) in rates.iter().enumerate() {
        let start =
            if index == 0 { format!("M{} {}", x(0.0), y(*rate)) } else { format!("V{}", y(*rate)) };
        line.push_str(&format!("{start}H{}", x((index + 1) as f64 * step)));
    }
    let area = format!("{line}V{}H{}Z", y(0.0), x(0.0));
    let pace = TIMES.into_iter().find(|pace| end / *pace as f64 <= 7.0);
    let pace = pace.unwrap_or_else(|| (end / 6.0) as u64 / 86_400 * 86_400).max(1);
    let across = (0..=(end / pace as f64) as u64)
        .map(|index| {
            let seconds = index * pace;
            let label = quantity::duration(Duration::from_secs(seconds));
            Tick { at: x(seconds as f64), label: if seconds == 0 { "0".to_owned() } else { label } }
        })
        .collect();
    let up = up.into_iter().map(|rate| Tick { at: y(rate), label: label(rate) }).collect();
    let found = found_at
        .iter()
        .filter(|(seconds, _)| seconds.is_finite())
        .map(|(seconds, id)| {
            let seconds = seconds.clamp(0.0, end);
            let after = quantity::duration(Duration::from_secs_f64(seconds));
            let id = printable::line(id, 40);
            Mark { at: x(seconds), label: format!("{id} after {after}"), id }
        })
        .collect();
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    Some(Plot {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right,
        top: TOP,
        bottom,
        line,
        area,
        across,
        up,
        found,
    })
}

/// The samples in order, starting at zero, monotonic.
fn cleaned(samples: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let mut sorted: Vec<(f64, u64)> = samples
        .iter()
        .copied()
        .filter(|(seconds, _)| seconds.is_finite() && *seconds >= 0.0)
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out: Vec<(f64, u64)> = vec![(0.0, 0)];
    for (seconds, cases) in sorted {
        let (before, most) = out[out.len() - 1];
        if seconds > before {
            out.push((seconds, cases.max(most)));
        }
    }
    out
}

fn cases_until(samples: &[(f64, u64)], seconds: f64) -> f64 {
    let after = samples.partition_point(|(at, _)| *at < seconds);
    let Some(&(end, cases)) = samples.get(after) else {
        return samples.last().map_or(0.0, |(_, cases)| *cases as f64);
    };
    let Some(&(start, before)) = after.checked_sub(1).and_then(|index| samples.get(index)) else {
        return cases as f64;
    };
    before as f64 + (cases - before) as f64 * (seconds - start) / (end - start)
}

/// Ticks at round numbers, from zero to at least `most`.
fn rate_ticks(most: f64) -> (Vec<f64>, f64) {
    let most = if most > 0.0 { most } else { 1.0 };
    let power = 10f64.powf((most / 4.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| most / step <= 4.0);
    let step = step.unwrap_or(10.0 * power);
    let count = (most / step).ceil().max(1.0);
    ((0..=count as u32).map(|index| f64::from(index) * step).collect(), count * step)
}

fn label(rate: f64) -> String {
    if rate.fract().abs() < 1e-9 {
        quantity::thousands(rate as u64)
    } else {
        // Multiples of a tenth are not exact in binary.
        format!("{}", (rate * 1e6).round() / 1e6)
    }
}

fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_shows_cases_per_second() {
        let plot = plot(&[(10.0, 100), (20.0, 500)], &[(15.0, "ab".to_owned())]).unwrap();
        // Ten per second, then forty: the highest tick.
        assert_eq!(plot.line, "M56 140.5H402V22H748");
        let labels =
            |ticks: &[Tick]| ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels(&plot.up), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(&plot.across), ["0", "5s", "10s", "15s", "20s"]);
        assert_eq!((plot.found[0].at, plot.found[0].label.as_str()), (575.0, "ab after 15s"));
    }

    #[test]
    fn any_samples_give_few_ticks_and_finite_numbers() {
        for end in [0.1, 1.0, 59.0, 3_601.0, 90_000.0, 1e7, 1e9] {
            for cases in [0, 1, 7, 123_456_789] {
                let samples = [
                    (end, cases),
                    (end / 3.0, cases / 2),
                    (f64::NAN, 1),
                    (end / 2.0, 0),
                    (-1.0, 5),
                ];
                let plot =
                    plot(&samples, &[(2.0 * end, "x".to_owned()), (f64::NAN, "y".to_owned())])
                        .unwrap();
                assert!((2..=6).contains(&plot.up.len()), "{end} {cases} {:?}", plot.up);
                assert!((1..=9).contains(&plot.across.len()), "{end} {cases} {:?}", plot.across);
                assert!(!plot.area.contains("NaN") && !plot.area.contains("inf"));
                assert_eq!(plot.found.len(), 1);
            }
        }
    }

    #[test]
    fn too_few_samples_give_no_plot() {
        assert!(plot(&[], &[]).is_none());
        assert!(plot(&[(0.0, 0)], &[]).is_none());
    }
}
