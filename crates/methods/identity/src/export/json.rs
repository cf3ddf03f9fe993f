//! Rules as JSON; `docs/src/rules.md` documents the encoding.

use serde_json::{Value, json};

use crate::kernel::{Op, Relation, SEMANTICS, Scope, TermId, Terms};
use crate::library::Entry;
use crate::rule::Variable;
use crate::standing::Standing;
use crate::{ledger, print};

pub fn entry(entry: &Entry) -> Value {
    let rule = &entry.rule;
    let side = |id| term(rule.terms(), &rule.variables, id);
    let variables: Vec<Value> = rule
        .variables
        .iter()
        .map(|v| json!({ "name": v.name, "width": v.width.to_string(), "constant": v.constant }))
        .collect();
    let handling = |from, to| {
        let handling = rule.handling(from, to);
        let names = |indices: &[u16]| -> Vec<&str> {
            indices.iter().map(|&index| rule.variables[usize::from(index)].name.as_str()).collect()
        };
        json!({
            "drops": names(&handling.drops),
            "invents": names(&handling.invents),
            "duplicates": names(&handling.duplicates),
            "reorders": handling.reorders,
        })
    };
    json!({
        "name": rule.name,
        "category": rule.category,
        "file": entry.source,
        "source": rule.source,
        "grade": rule.grade,
        "digest": ledger::digest(rule),
        "text": print::rule(rule),
        "variables": variables,
        "left": side(rule.left()),
        "right": side(rule.right()),
        "where": rule.equation.conditions.iter().map(|&condition| side(condition)).collect::<Vec<_>>(),
        "widths": {
            "least": rule.widths.least,
            "most": rule.widths.most,
            "multiple": rule.widths.multiple,
            "only": rule.widths.only,
        },
        "forward": handling(rule.left(), rule.right()),
        "backward": handling(rule.right(), rule.left()),
        "standings": standings(entry),
    })
}

fn standings(entry: &Entry) -> Value {
    let mut all = serde_json::Map::new();
    for (semantics, standing) in SEMANTICS.iter().zip(&entry.standings) {
        let Standing::Proven { relation, where_to } = standing else { continue };
        let proofs: Vec<Value> = where_to
            .iter()
            .map(|proven| match proven.scope {
                Scope::At(width) => json!({ "at": width, "by": proven.route.name() }),
                Scope::From(width) => json!({ "from": width, "by": proven.route.name() }),
            })
            .collect();
        let relation = match relation {
            Relation::Exact => "exact",
            Relation::Forward => "forward",
            Relation::Backward => "backward",
        };
        all.insert(semantics.name.into(), json!({ "relation": relation, "proofs": proofs }));
    }
    Value::Object(all)
}

/// `{"var": "a"}`, `{"lit": "0xff", "width": "w"}`, `{"bits": "w", "width": "w"}`, or
/// `{"op": "add", "args": […]}`, with `"width"` where operands don't determine it.
pub fn term(terms: &Terms, variables: &[Variable], id: TermId) -> Value {
    let node = terms.node(id);
    match node.op {
        Op::Variable(index) => {
            json!({ "var": variables.get(usize::from(index)).map_or_else(|| format!("v{index}"), |v| v.name.clone()) })
        }
        Op::Literal(index) => {
            let n = terms.integer(index);
            let sign = if n.sign() == num_bigint::Sign::Minus { "-" } else { "" };
            json!({ "lit": format!("{sign}0x{:x}", n.magnitude()), "width": node.width.to_string() })
        }
        Op::Bits(extent) => json!({ "bits": extent.to_string(), "width": node.width.to_string() }),
        op => {
            let args: Vec<Value> =
                node.args().iter().map(|&arg| term(terms, variables, arg)).collect();
            let mut value = json!({ "op": name(op), "args": args });
            if let Op::Extract(low) = op {
                value["low"] = low.to_string().into();
            }
            if matches!(op, Op::Zext | Op::Sext | Op::Extract(_)) {
                value["width"] = node.width.to_string().into();
            }
            value
        }
    }
}

fn name(op: Op) -> String {
    match op {
        Op::Extract(_) => "extract".into(),
        Op::IsPower => "pow2".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}
