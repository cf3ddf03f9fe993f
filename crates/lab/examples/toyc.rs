//! A compiler for the toy language of the method `smoke`, for tests. It is correct by default: `--bug NAME` plants a bug,
//! `--misbehave NAME` makes the process misbehave.
//!
//! ```text
//! toyc [-O LEVEL] [--pass-limit N] [--bug NAME]… [--misbehave NAME] -o OUT IN
//! toyc --run OUT ARGUMENT…      (called by the first line of OUT)
//! toyc --serve [--bug NAME]…    (answers requests in JSON lines)
//! toyc --version
//! ```

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::expect_used,
    reason = "a compiler prints, and this one may fail"
)]

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::Duration;

use serde_json::{Value, json};

#[derive(Clone, Debug)]
struct Statement {
    operator: String,
    left: String,
    right: String,
}

#[derive(Clone, Debug, Default)]
struct Program {
    parameters: usize,
    statements: Vec<Statement>,
    printed: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
struct Options {
    level: u32,
    pass_limit: Option<usize>,
    bugs: Vec<String>,
    misbehaviour: Option<String>,
    out: Option<PathBuf>,
    input: Option<PathBuf>,
}

/// How a compilation can fail.
enum Failure {
    Rejected(String),
    Crashed { message: String, frames: Vec<&'static str> },
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--version") => println!("toyc {}", option_env!("DRILLC_VERSION").unwrap_or("1.0")),
        Some("--run") => run(&arguments[1..]),
        Some("--serve") => serve(&options(&arguments[1..])),
        _ => compile_file(&options(&arguments)),
    }
}

fn options(arguments: &[String]) -> Options {
    let mut options = Options::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut next = || words.next().cloned().unwrap_or_else(|| usage(word));
        match word.as_str() {
            "-O" => options.level = next().parse().unwrap_or_else(|_| usage(word)),
            "-o" => options.out = Some(next().into()),
            "--pass-limit" => options.pass_limit = next().parse().ok(),
            "--bug" => options.bugs.push(next()),
            "--misbehave" => options.misbehaviour = Some(next()),
            _ if word.starts_with("-O") => {
                options.level = word[2..].parse().unwrap_or_else(|_| usage(word));
            }
            _ => options.input = Some(word.into()),
        }
    }
    options
}

fn usage(word: &str) -> ! {
    eprintln!("toyc: bad usage near `{word}`");
    exit(2);
}

fn compile_file(options: &Options) {
    let (Some(input), Some(out)) = (&options.input, &options.out) else { usage("files") };
    let source = std::fs::read_to_string(input).unwrap_or_else(|error| {
        eprintln!("toyc: cannot read the input: {error}");
        exit(1);
    });
    if let Some(name) = &options.misbehaviour {
        // Not in every call: a compiler that rejects everything would be reported as misconfigured.
        if name != "invalid-utf8" || source.contains("xor") {
            misbehave(name, input, out);
        }
    }
    match compile(&source, options) {
        Ok(program) => write_artifact(out, &program),
        Err(Failure::Rejected(message)) => {
            eprintln!("{}: error: {message}", input.display());
            exit(1);
        }
        Err(Failure::Crashed { message, frames }) => {
            eprintln!("toyc: internal compiler error: {message} at 0x{:x}", std::process::id());
            for (number, frame) in frames.iter().enumerate() {
                eprintln!("  {number}: 0x{:x} - {frame}", 0x5500 + number);
            }
            std::process::abort();
        }
    }
}

fn compile(source: &str, options: &Options) -> Result<Program, Failure> {
    let mut program = parse(source, options)?;
    let passes: &[&str] = match options.level {
        0 => &[],
        1 => &["fold"],
        _ => &["fold", "order", "peephole"],
    };
    for (number, pass) in passes.iter().enumerate() {
        if options.pass_limit.is_some_and(|limit| number >= limit) {
            break;
        }
        if options.pass_limit.is_some() {
            eprintln!("pass {}: {pass}", number + 1);
        }
        optimise(pass, &mut program, options)?;
    }
    Ok(program)
}

fn has(options: &Options, bug: &str) -> bool {
    options.bugs.iter().any(|planted| planted == bug)
}

fn parse(source: &str, options: &Options) -> Result<Program, Failure> {
    let mut program = Program::default();
    for (number, line) in source.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let bad = || Failure::Rejected(format!("line {}: cannot read `{line}`", number + 1));
        match words.as_slice() {
            ["params", count] => program.parameters = count.parse().map_err(|_| bad())?,
            ["print", value] => program.printed.push(index(value).ok_or_else(bad)?),
            [_, "=", operator, left, right] => {
                for operand in [left, right] {
                    check(operand, &program, number, options)?;
                }
                let mut operator = (*operator).to_owned();
                // Planted: an `or` with a constant on its left becomes an `xor`, at every level.
                if has(options, "wrong-left") && operator == "or" && is_constant(left) {
                    operator = "xor".to_owned();
                }
                // Planted: `less` is compiled as `at most`, at every level.
                if has(options, "wrong-all") && operator == "less" {
                    operator = "atmost".to_owned();
                }
                program.statements.push(Statement {
                    operator,
                    left: (*left).to_owned(),
                    right: (*right).to_owned(),
                });
            }
            [] => {}
            _ => return Err(bad()),
        }
    }
    Ok(program)
}

/// Rejects a value that is not defined yet, or crashes on it if that bug is planted.
fn check(operand: &str, program: &Program, line: usize, options: &Options) -> Result<(), Failure> {
    let defined = match operand.as_bytes().first() {
        Some(b'v') => index(operand).is_some_and(|value| value < program.statements.len()),
        Some(b'p') => index(operand).is_some_and(|value| value < program.parameters),
        _ => is_constant(operand),
    };
    // Planted: `accept-undefined` takes it for 0.
    if defined || has(options, "accept-undefined") {
        return Ok(());
    }
    if has(options, "crash-undefined") {
        return Err(Failure::Crashed {
            message: format!("no value `{operand}` in the table, line {}", line + 1),
            frames: vec!["toyc::parse::look_up", "toyc::parse::operand", "main"],
        });
    }
    Err(Failure::Rejected(format!("line {}: `{operand}` is not defined", line + 1)))
}

fn optimise(pass: &str, program: &mut Program, options: &Options) -> Result<(), Failure> {
    // Planted bugs depend on the program before this pass.
    let before = program.clone();
    for (at, statement) in before.statements.iter().cloned().enumerate() {
        match pass {
            "fold" => {
                if has(options, "crash-shl")
                    && statement.operator == "shl"
                    && defined_by(&before, &statement.left) == Some("shl")
                {
                    return Err(Failure::Crashed {
                        message: "index out of bounds: the len is 31 but the index is 77"
                            .to_owned(),
                        frames: vec!["toyc::fold::shl_of_shl", "toyc::fold::run", "main"],
                    });
                }
                if has(options, "crash-div")
                    && statement.operator == "div"
                    && defined_by(&before, &statement.left) == Some("mul")
                {
                    return Err(Failure::Crashed {
                        message: "index out of bounds: the len is 3 but the index is 4".to_owned(),
                        frames: vec!["toyc::fold::div_of_mul", "toyc::fold::run", "main"],
                    });
                }
                if has(options, "reject-many") && ["add", "sub"].contains(&&*statement.operator) {
                    return Err(Failure::Rejected("too many operators".to_owned()));
                }
                if has(options, "reject-equal")
                    && statement.operator == "equal"
                    && statement.left == statement.right
                {
                    return Err(Failure::Rejected(format!("v{at} is too clever")));
                }
                if is_constant(&statement.left) && is_constant(&statement.right) {
                    let value = apply(
                        &statement.operator,
                        statement.left.parse().unwrap_or(0),
                        statement.right.parse().unwrap_or(0),
                    );
                    program.statements[at] = copy(value.to_string());
                }
            }
            "order" => {
                let commutes = ["add", "mul", "and", "or", "xor", "equal"];
                if commutes.contains(&statement.operator.as_str()) && is_constant(&statement.left) {
                    let statement = &mut program.statements[at];
                    std::mem::swap(&mut statement.left, &mut statement.right);
                }
            }
            _ => {
                // Planted: `a - (b + c)` is off by one.
                if has(options, "wrong-sub")
                    && statement.operator == "sub"
                    && defined_by(&before, &statement.right) == Some("add")
                {
                    program.statements[at].operator = "subone".to_owned();
                } else if statement.left == statement.right
                    && ["sub", "xor"].contains(&statement.operator.as_str())
                {
                    program.statements[at] = copy("0".to_owned());
                }
            }
        }
    }
    Ok(())
}

fn defined_by<'a>(program: &'a Program, operand: &str) -> Option<&'a str> {
    let value = operand.strip_prefix('v')?.parse::<usize>().ok()?;
    program.statements.get(value).map(|statement| statement.operator.as_str())
}

fn copy(value: String) -> Statement {
    Statement { operator: "or".to_owned(), left: value, right: "0".to_owned() }
}

fn is_constant(operand: &str) -> bool {
    operand.parse::<u32>().is_ok()
}

fn index(operand: &str) -> Option<usize> {
    operand.get(1..)?.parse().ok()
}

fn apply(operator: &str, left: u32, right: u32) -> u32 {
    match operator {
        "add" => left.wrapping_add(right),
        "sub" => left.wrapping_sub(right),
        "subone" => left.wrapping_sub(right).wrapping_add(1),
        "mul" => left.wrapping_mul(right),
        "div" => left / (right | 1),
        "rem" => left % (right | 1),
        "and" => left & right,
        "or" => left | right,
        "xor" => left ^ right,
        "shl" => left << (right & 31),
        "shr" => left >> (right & 31),
        "less" => u32::from(left < right),
        "atmost" => u32::from(left <= right),
        _ => u32::from(left == right),
    }
}

fn write_artifact(out: &Path, program: &Program) {
    let compiler = std::env::current_exe().unwrap_or_default();
    let mut text = format!("#!{} --run\nparams {}\n", compiler.display(), program.parameters);
    for (number, Statement { operator, left, right }) in program.statements.iter().enumerate() {
        text += &format!("v{number} = {operator} {left} {right}\n");
    }
    for value in &program.printed {
        text += &format!("print v{value}\n");
    }
    let written = std::fs::write(out, text)
        .and_then(|()| std::fs::set_permissions(out, std::fs::Permissions::from_mode(0o755)));
    if let Err(error) = written {
        eprintln!("toyc: cannot write the output: {error}");
        exit(1);
    }
}

fn run(arguments: &[String]) {
    let Some((artifact, words)) = arguments.split_first() else { usage("--run") };
    let text = std::fs::read_to_string(artifact).unwrap_or_default();
    let Ok(program) = parse(&text[text.find('\n').unwrap_or(0)..], &Options::default()) else {
        eprintln!("toyc: a broken artifact");
        exit(3);
    };
    print!("{}", evaluate(&program, words));
}

fn evaluate(program: &Program, words: &[String]) -> String {
    let mut values: HashMap<String, u32> = HashMap::new();
    for (number, word) in words.iter().enumerate() {
        values.insert(format!("p{number}"), word.parse().unwrap_or(0));
    }
    let mut results = vec![];
    for Statement { operator, left, right } in &program.statements {
        let value = |operand: &String| {
            operand.parse().unwrap_or_else(|_| values.get(operand).copied().unwrap_or(0))
        };
        let result = apply(operator, value(left), value(right));
        values.insert(format!("v{}", results.len()), result);
        results.push(result);
    }
    program.printed.iter().map(|value| format!("{}\n", results[*value])).collect()
}

/// Answers requests until standard input ends. A planted crash fails the whole request.
fn serve(options: &Options) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let request: Value = serde_json::from_str(&line).unwrap_or_default();
        let level = request["setting"]["opt"].as_str().unwrap_or("0").parse().unwrap_or(0);
        let options = Options { level, ..options.clone() };
        let cases = request["cases"].as_array().cloned().unwrap_or_default();
        let answers: Vec<Value> = cases.iter().map(|case| answer(case, &options)).collect();
        println!("{}", json!({ "cases": answers }));
        let _ = std::io::stdout().flush();
    }
}

fn answer(case: &Value, options: &Options) -> Value {
    let mut seen = vec![];
    for (number, program) in case["programs"].as_array().into_iter().flatten().enumerate() {
        match compile(program["source"].as_str().unwrap_or_default(), options) {
            Ok(compiled) => {
                for (input, given) in case["inputs"].as_array().into_iter().flatten().enumerate() {
                    let words = given["arguments"].as_array().cloned().unwrap_or_default();
                    let words: Vec<String> =
                        words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    let value = evaluate(&compiled, &words);
                    seen.push(json!({
                        "program": number, "input": input, "outcome": { "ran": { "value": value } },
                    }));
                }
            }
            Err(Failure::Rejected(message)) => {
                let outcome = json!({ "rejected": { "message": message } });
                seen.push(json!({ "program": number, "outcome": outcome }));
            }
            Err(Failure::Crashed { message, .. }) => {
                eprintln!("toyc: internal compiler error: {message}");
                std::process::abort();
            }
        }
    }
    json!(seen)
}

/// Calls itself until the stack is exhausted.
fn recurse(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if frame[0] == u64::MAX { 0 } else { frame[1] + recurse(frame[2] + 1) }
}

/// Misbehaves. Returns only if the compilation can continue.
fn misbehave(name: &str, input: &Path, out: &Path) {
    match name {
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        "spin" => loop {
            std::hint::spin_loop();
        },
        "ignore-sigterm" => {
            // SAFETY: setting a signal to be ignored has no precondition.
            #[expect(unsafe_code, reason = "the standard library cannot ignore a signal")]
            unsafe {
                libc::signal(libc::SIGTERM, libc::SIG_IGN);
            }
            std::thread::sleep(Duration::from_secs(3600));
        }
        "orphans" => {
            for leave in ["", "setsid "] {
                let _ = std::process::Command::new("sh")
                    .args(["-c", &format!("{leave}sleep 3600 & {leave}sleep 3600 &")])
                    .spawn();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        "print" => {
            let block = [b'x'; 1 << 16];
            for _ in 0..(1 << 30) / block.len() {
                let _ = std::io::stdout().write_all(&block);
            }
        }
        "fill-disk" => {
            let block = vec![0u8; 1 << 20];
            let mut file =
                std::fs::File::create("filler").expect("a file in the scratch directory");
            for _ in 0..10 << 10 {
                if file.write_all(&block).is_err() {
                    eprintln!("toyc: File too large");
                    exit(1);
                }
            }
        }
        "recurse" => {
            recurse(0);
        }
        "eat-memory" => {
            let mut eaten: Vec<Vec<u8>> = vec![];
            loop {
                eaten.push(vec![1; 16 << 20]);
            }
        }
        "close-stdout" => {
            // SAFETY: afterwards, only prints use the descriptor, and they may fail.
            #[expect(unsafe_code, reason = "the standard library cannot close its own descriptors")]
            unsafe {
                libc::close(1);
            }
        }
        "invalid-utf8" => {
            let _ = std::io::stderr().write_all(b"error: bad byte \xff\xfe here\n");
            exit(1);
        }
        "delete-input" => {
            let _ = std::fs::remove_file(input);
        }
        "third-time" => {
            // The test provides a counter file and disables the sandbox.
            let path = std::env::var("DRILLC_COUNTER").expect("a counter file");
            let count: u64 =
                std::fs::read_to_string(&path).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
            let _ = std::fs::write(&path, (count + 1).to_string());
            if count % 3 == 2 {
                eprintln!("toyc: internal compiler error: it is the third time");
                exit(1);
            }
        }
        "nothing" => exit(0),
        "remove-output" => {
            let _ = std::fs::remove_file(out);
            exit(0);
        }
        _ => usage(name),
    }
}
