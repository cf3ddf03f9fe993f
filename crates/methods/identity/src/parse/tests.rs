//! Rules are parsed as intended, printing then parsing is the identity, and errors carry line,
//! column and reason.

use super::rules;
use crate::kernel::{Extent, Op};
use crate::print;
use crate::rule::Rule;

const GOOD: &str = "
category shift
rule one
    a + b * 2 = (a ^ b) - -(3) ? ~c : a <u b
rule two
    x /u C = x >>u log2(C)
    where pow2(C), C <u w
    width >= 8, width % 8 == 0
    source \"somewhere\"
    claims evm exact
rule three-4
    zext(x, w) + w - 1 = extract(y, w-1, w/2) == trunc(y, w/2) ? MIN : MAX & 0xff
    vars x: w/2
    width in 32, 64
rule five
    -5 * (a - (b - c)) - d = concat(h, h) ** 3 %f addmod(a, b, P_BN254)
    vars h: w/2
    grade 3
rule six
    (a ? a : 1) == a = a ? a : 1 == a
";

#[test]
fn printing_then_parsing_is_the_identity() {
    let (rules, errors) = super::rules(GOOD);
    assert_eq!(errors, []);
    assert_eq!(rules.len(), 5);
    for rule in &rules {
        let text = print::rule(rule);
        let (again, errors) = super::rules(&text);
        assert_eq!(errors, [], "{text}");
        assert_eq!(print::rule(&again[0]), text);
        assert_eq!(again[0].variables, rule.variables);
        assert_eq!(again[0].widths, rule.widths);
        for side in 0..2 {
            let op = |rule: &Rule| rule.terms().op(rule.equation.sides[side]);
            assert_eq!(op(&again[0]), op(rule), "{text}");
        }
    }
}

#[test]
fn operator_precedence_follows_the_table() {
    let (rules, _) = rules(GOOD);
    let one = &rules[0];
    assert_eq!(print::term(one.terms(), &one.variables, one.left()), "a + b * 2");
    assert_eq!(one.terms().op(one.right()), Op::Ite);
    let three = &rules[2];
    assert_eq!(three.terms().width(three.right()), Extent::WORD);
    assert_eq!(three.variables[0].width, Extent { times: 1, over: 2, plus: 0 });
}

#[test]
fn errors_carry_their_position_and_affect_one_rule() {
    let cases = [
        ("a + = b", 9, "an operand should be here, not `=`"),
        ("a + frob(b) = b", 9, "unknown operator `frob`"),
        ("a / b = b", 7, "`/` needs a signedness: `/u` or `/s`"),
        ("zext(a, 2*w) + b = b", 20, "unequal widths: this operand has w bits, the first one 2*w"),
        (
            "a + b = zext(b, 2*w)",
            13,
            "unequal widths: the left side has w bits, the right side 2*w",
        ),
        ("a + b", 10, "expected `=`"),
        ("a = b) ", 10, "expected the end of the line"),
        ("a ! b = a", 7, "unexpected character `!`"),
        ("umin(a) = a", 5, "`umin` takes 2 operands, not 1"),
        ("a = 0x12g", 9, "`0x12g` is not a number"),
    ];
    for (text, column, reason) in cases {
        let file = format!("rule bad\n    {text}\nrule good\n    a = a + 0\n");
        let (good, errors) = rules(&file);
        assert_eq!(good.len(), 1, "{text}");
        assert_eq!(errors.len(), 1, "{text}");
        assert_eq!(
            (errors[0].line, errors[0].column, errors[0].reason.as_str()),
            (2, column, reason),
            "{text}"
        );
    }
    let (_, errors) = rules(
        "rule x\n  a = b\n  where D <u 3\nrule x\n  a = a\nrule y\n  where a == 1\n  a = a\nrule z\n",
    );
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "3:9: `D` is unbound: it occurs on neither side of the equation",
            "4:6: duplicate rule `x`",
            "7:9: conditions may use only constants, and `a` is a variable",
            "9:1: the rule `z` has no equation",
        ]
    );
    let good = rules(GOOD).0;
    assert_eq!(
        good.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(),
        ["one", "two", "three-4", "five", "six"]
    );
    assert_eq!(good[1].widths.multiple, 8);
    assert!(good.first().unwrap().claims.is_empty());
}

#[test]
fn deep_nesting_is_an_error_with_its_place() {
    let nested = |open: &str, close: &str| format!("rule r\n    {open}a{close} = a\n");
    for (open, close) in [
        ("(".repeat(5000), ")".repeat(5000)),
        ("~".repeat(5000), String::new()),
        ("a + ".repeat(5000), String::new()),
        ("min(a, ".repeat(5000), ")".repeat(5000)),
        ("a ? a : ".repeat(5000), String::new()),
    ] {
        let (rules, errors) = rules(&nested(&open, &close));
        assert!(rules.is_empty());
        assert!(errors[0].reason.contains("more than 200 deep"), "{errors:?}");
    }
    let (rules, errors) = rules(&nested(&"~".repeat(180), ""));
    assert_eq!((rules.len(), errors.len()), (1, 0));
}
