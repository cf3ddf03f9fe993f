//! What is around the items of C programs: includes and types before, and after them a `main` that reads lines with the
//! number of a function and its arguments, and answers each with a line. Arguments on the command line are those of the
//! first function.

use std::fmt::Write as _;

use super::printer::name;
use crate::{Entry, Frame, Signature};

const BEFORE: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef u128 widest;

";

const WIDE_BEFORE: &str = "\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef unsigned _BitInt(264) widest;

";

/// Reads and writes numbers of any kind.
const NUMBERS: &str = "\
static widest next(char **at) {
    while (**at == ' ') ++*at;
    int negative = **at == '-';
    if (negative) ++*at;
    widest value = 0;
    while (**at >= '0' && **at <= '9') value = value * 10 + (widest)(*(*at)++ - '0');
    return negative ? -value : value;
}

static void show(widest value, int negative) {
    char text[96];
    int at = sizeof text;
    text[--at] = 0;
    if (negative) value = -value;
    do text[--at] = (char)('0' + (int)(value % 10)); while (value /= 10);
    printf(\"%s%s\\n\", negative ? \"-\" : \"\", text + at);
    fflush(stdout);
}

#ifdef __clang__
__attribute__((noinline, optnone))
#else
__attribute__((noinline, optimize(\"O0\")))
#endif
static void answer(int function, char **at) {
    switch (function) {
";

/// Arguments of the command line are those of the first function.
const MAIN: &str = "    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        char all[4096] = \"\";
        size_t used = 0;
        for (int n = 1; n < argc; n++)
            used += (size_t)snprintf(all + used, sizeof all - used, \"%s \", argv[n]);
        char *at = all;
        answer(0, &at);
        return 0;
    }
    char *line = 0;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *at = line;
        int function = (int)next(&at);
        answer(function, &at);
    }
    return 0;
}
";

pub(super) fn frame(entries: &[Entry]) -> Frame {
    Frame { before: BEFORE.to_owned(), after: runner(entries) }
}

pub(super) fn wide_frame(entries: &[Entry]) -> Frame {
    Frame { before: WIDE_BEFORE.to_owned(), after: runner(entries) }
}

/// A `main` that calls all of them.
fn runner(entries: &[Entry]) -> String {
    let mut after = NUMBERS.to_owned();
    for (index, entry) in entries.iter().enumerate() {
        let Signature { parameters, result } = &entry.signature;
        let _ = writeln!(after, "    case {index}: {{");
        for (n, kind) in parameters.iter().enumerate() {
            let kind = name(*kind);
            let _ = writeln!(after, "        {kind} a{n} = ({kind})next(at);");
        }
        let arguments: Vec<String> = (0..parameters.len()).map(|n| format!("a{n}")).collect();
        let call = format!("{}({})", entry.name, arguments.join(", "));
        let negative = if result.signed { "result < 0" } else { "0" };
        let _ = writeln!(
            after,
            "        {} result = {call};\n        show((widest)result, {negative});\n        break;\n    }}",
            name(*result)
        );
    }
    after.push_str(MAIN);
    after
}
