//! What is around the items of Zig programs: a `main` as in C. It uses the C library, since Zig's own changes from version to
//! version.

use std::fmt::Write as _;

use super::printer::cast;
use crate::{Entry, Frame, Kind};

/// With the default panic handler every program compiles half of the standard library.
const BEFORE: &str = "\
const debug = @import(\"std\").debug;
pub const panic = debug.no_panic;
extern fn getchar() c_int;
extern fn putchar(c: c_int) c_int;
extern fn fflush(file: ?*anyopaque) c_int;

";

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
var given: ?[*][*:0]u8 = null;
var given_count: usize = 0;
var at_end = false;

fn next() u256 {
    var value: u256 = 0;
    var negative = false;
    if (given) |arguments| {
        if (given_count == 0) return 0;
        var at: usize = 0;
        const text = arguments[0];
        given = arguments + 1;
        given_count -= 1;
        if (text[0] == '-') {
            negative = true;
            at = 1;
        }
        while (text[at] != 0) : (at += 1) value = value *% 10 +% (text[at] -% '0');
    } else {
        var c = getchar();
        while (c == ' ' or c == '\\n') c = getchar();
        if (c < 0) at_end = true;
        if (c == '-') {
            negative = true;
            c = getchar();
        }
        while (c >= '0' and c <= '9') : (c = getchar()) value = value *% 10 +% @as(u8, @intCast(c - '0'));
    }
    return if (negative) 0 -% value else value;
}

fn show(value: u256, negative: bool) void {
    var text: [90]u8 = undefined;
    var at: usize = 90;
    var rest = if (negative) 0 -% value else value;
    while (true) {
        at -= 1;
        text[at] = '0' + @as(u8, @intCast(rest % 10));
        rest /= 10;
        if (rest == 0) break;
    }
    if (negative) _ = putchar('-');
    while (at < 90) : (at += 1) _ = putchar(text[at]);
    _ = putchar('\\n');
    _ = fflush(null);
}

fn answer(function: u256) void {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "}

pub export fn main(argc: c_int, argv: [*][*:0]u8) c_int {
    if (argc > 1) {
        given = argv + 1;
        given_count = @intCast(argc - 1);
        answer(0);
        return 0;
    }
    while (true) {
        const function = next();
        if (at_end) return 0;
        answer(function);
    }
}
";

pub(super) fn frame(entries: &[Entry]) -> Frame {
    let mut after = NUMBERS.to_owned();
    for (index, Entry { name, signature }) in entries.iter().enumerate() {
        let _ = writeln!(after, "    if (function == {index}) {{");
        for (n, kind) in signature.parameters.iter().enumerate() {
            let bits = Kind { signed: false, ..*kind };
            let word = format!("@as({bits}, @truncate(next()))");
            let _ = writeln!(after, "        const a{n}: {kind} = {};", cast(&word, bits, *kind));
        }
        let arguments: Vec<String> =
            (0..signature.parameters.len()).map(|n| format!("a{n}")).collect();
        let call = format!("{name}({})", arguments.join(", "));
        let _ = match signature.result.signed {
            true => writeln!(
                after,
                "        const result: i256 = {call};\n        show(@bitCast(result), result < 0);\n    }}"
            ),
            false => writeln!(after, "        show({call}, false);\n    }}"),
        };
    }
    after.push_str(MAIN);
    Frame { before: BEFORE.to_owned(), after }
}
