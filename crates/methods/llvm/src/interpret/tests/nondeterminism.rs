//! Undef and `freeze`: which choices a run has, and how often it makes them.

use super::*;

#[test]
fn every_use_of_undef_chooses() {
    let text = "define i2 @f(i2 %x) {\n %r = xor i2 %x, %x\n ret i2 %r\n}";
    assert_eq!(all_returned(text, &[U]), ["0", "1", "2", "3"]);
    assert_eq!(all_returned(text, &[n(3)]), ["0"]);
}

#[test]
fn values_computed_from_undef_vary_between_uses() {
    let text = "define i2 @f(i2 %x) {\n %y = and i2 %x, 1\n %r = sub i2 %y, %y\n ret i2 %r\n}";
    assert_eq!(all_returned(text, &[U]), ["0", "1", "3"]);
}

#[test]
fn freeze_chooses_once() {
    let text = "define i2 @f(i2 %x) {\n %y = freeze i2 %x\n %r = sub i2 %y, %y\n ret i2 %r\n}";
    assert_eq!(all_returned(text, &[U]), ["0"]);
    assert_eq!(all_returned(text, &[P]), ["0"]);
    let chosen = "define i2 @f(i2 %x) {\n %y = freeze i2 %x\n ret i2 %y\n}";
    assert_eq!(all_returned(chosen, &[P]), ["0", "1", "2", "3"]);
    assert_eq!(all_returned(chosen, &[n(2)]), ["2"]);
}

#[test]
fn undef_divisors_may_be_zero() {
    let text = "define i2 @f(i2 %x) {\n %r = udiv i2 3, %x\n ret i2 %r\n}";
    assert!(all_returned(text, &[U]).contains(&"undefined".to_string()));
    let dividend = "define i2 @f(i2 %x) {\n %r = udiv i2 %x, 2\n ret i2 %r\n}";
    assert_eq!(all_returned(dividend, &[U]), ["0", "1"]);
}

#[test]
fn poison_of_some_choices_is_seen() {
    let text = "define i2 @f(i2 %x) {\n %r = add nuw i2 %x, 2\n ret i2 %r\n}";
    assert_eq!(all_returned(text, &[U]), ["2", "3", "poison"]);
}

#[test]
fn loads_of_partly_initialised_memory_vary_in_a_part() {
    let text = "define i16 @f() {\n %p = alloca i16\n store i8 5, ptr %p\n %r = load i16, ptr %p\n %m = and i16 %r, 511\n ret i16 %m\n}";
    assert_eq!(all_returned(text, &[]), ["261", "5"]);
}
