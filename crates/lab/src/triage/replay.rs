//! The commands that reproduce a finding: a shell script that needs only the compiler and judges the result, and
//! the plain commands for a report.

use std::fmt::Write as _;

use forge::{Behaviour, Input, Observation, Outcome, Program, Promise};

use super::examiner::{relevant, setting};
use crate::finding::{Exhibit, Finding};
use crate::setting::Setting;
use crate::target::{ByHand, Demonstration, Target};
use crate::verdict::{BreachKind, Fault};

/// Longer than any compiler needs for a reduced program.
const PATIENCE: u32 = 60;

/// How to reproduce a finding without Mistrust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// `replay.sh`.
    pub script: String,
    /// The plain commands, for a report.
    pub steps: String,
    /// Files that it needs, beside it.
    pub files: Vec<(String, String)>,
    /// The same for each restatement, which has its own script.
    pub restated: Vec<Replay>,
}

pub fn replay(target: &dyn Target, finding: &Finding) -> Replay {
    let title = finding.title();
    let of = |exhibit: &Exhibit, folder: &str| {
        let writer = Writer { target, exhibit, demonstration: demonstration(target, exhibit) };
        let (script, steps) = (writer.script(&title, folder), writer.steps());
        Replay { script, steps, files: writer.files(), restated: vec![] }
    };
    let folder = if finding.reduced.is_some() { "reduced/" } else { "" };
    let restated = finding.restated.iter().map(|exhibit| of(exhibit, "")).collect();
    Replay { restated, ..of(finding.best(), folder) }
}

/// What shows a wrong answer that a program alone does not show.
fn demonstration(target: &dyn Target, exhibit: &Exhibit) -> Option<Demonstration> {
    let Exhibit { case, breach, .. } = exhibit;
    let is_wrong = breach.fault() == Fault::Emitted && case.promise == Promise::Refines;
    let program = case.programs.get(breach.program).or(case.programs.first());
    let setting = setting(target, breach);
    target.demonstration(program.filter(|_| is_wrong)?, &setting, &breach.actual)
}

struct Writer<'a> {
    target: &'a dyn Target,
    exhibit: &'a Exhibit,
    demonstration: Option<Demonstration>,
}

/// What one side of a comparison runs.
struct Side<'a> {
    program: &'a Program,
    setting: Setting,
}

impl Writer<'_> {
    /// The failing program and setting, preceded by those that they are compared with, if any.
    fn sides(&self) -> Vec<Side<'_>> {
        let Exhibit { case, breach, .. } = self.exhibit;
        let wrong = setting(self.target, breach);
        let program = |index: usize| case.programs.get(index).or(case.programs.first());
        let side = |index: usize, setting: &Setting| {
            program(index).map(|program| Side { program, setting: setting.clone() })
        };
        let compared = breach.expected.is_some();
        let other = match case.promise {
            Promise::Agrees | Promise::Consistent if compared => {
                let settings = relevant(self.target, self.exhibit);
                let other = settings.iter().find(|setting| setting.name != wrong.name);
                other.and_then(|setting| side(breach.program, setting))
            }
            Promise::Equivalent if compared => side(0, &wrong),
            Promise::Agrees
            | Promise::Consistent
            | Promise::Equivalent
            | Promise::Survives
            | Promise::Compiles
            | Promise::Rejects
            | Promise::Yields(_)
            | Promise::Refines => None,
        };
        other.into_iter().chain(side(breach.program, &wrong)).collect()
    }

    /// The input that shows the failure.
    fn input(&self) -> Input {
        let inputs = &self.exhibit.case.inputs;
        let shows = self.exhibit.breach.input.and_then(|input| inputs.get(input));
        shows.or(inputs.first()).cloned().unwrap_or_default()
    }

    fn by_hand(&self, side: &Side<'_>) -> ByHand {
        self.target.by_hand(side.program, &self.input(), &side.setting)
    }

    fn runs(&self) -> bool {
        self.exhibit.breach.fault() == Fault::Emitted
    }

    /// The files beside the script.
    fn files(&self) -> Vec<(String, String)> {
        let made = self.demonstration.iter().flat_map(|it| it.files.iter().cloned());
        self.target.files().into_iter().chain(made).collect()
    }

    fn steps(&self) -> String {
        let mut lines = String::new();
        let files = self.files();
        if !files.is_empty() {
            let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            let _ = writeln!(lines, "# {} {verb} beside replay.sh", names.join(" and "));
        }
        if let Some(Demonstration { build, run, stdin, .. }) = &self.demonstration {
            for line in build {
                let _ = writeln!(lines, "{}", command(&bare(line.clone())));
            }
            let run = command(&bare(run.clone()));
            let _ = writeln!(lines, "printf '{}' | {run} | od -An -v -tx1", octal(stdin));
            return lines;
        }
        for side in self.sides() {
            let (first, run) = match self.by_hand(&side) {
                ByHand::Steps { compile, run } => (compile, run.filter(|_| self.runs())),
                ByHand::Answer(command) => (command, None),
            };
            let _ = writeln!(lines, "{}", command(&bare(first)));
            if let Some(run) = run {
                let stdin = self.input().stdin;
                let from = if stdin.is_empty() {
                    String::new()
                } else {
                    format!(" <<< {}", quoted(&stdin))
                };
                let _ = writeln!(lines, "{}{from}", command(&run));
            }
        }
        lines
    }

    fn script(&self, title: &str, folder: &str) -> String {
        let sides = self.sides();
        let ours = |line: &[String]| line.first().is_some_and(|program| program == "mistrust");
        let needs = match sides.last().map(|side| self.by_hand(side)) {
            Some(ByHand::Answer(line)) if ours(&line) => "`mistrust` in the PATH",
            _ => "nothing but the compiler",
        };
        let mut script = format!(
            "#!/bin/sh\n# {}\n#\n# Found by Mistrust, a compiler fuzzer. This needs {needs}.\n# It ends with 1 if the bug shows, with 0 if it does not, with 2 if neither \
             can be said.\nset -u\n\
             here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 2\n\
             work=$(mktemp -d) || exit 2\ntrap 'rm -rf \"$work\"' EXIT\n",
            title.replace(|c: char| c.is_control(), " ")
        );
        for program in &self.exhibit.case.programs {
            let file = quoted(&format!("{folder}{}", program.file_name()));
            let _ = writeln!(script, "cp \"$here\"/{file} \"$work\"/ || exit 2");
        }
        for (name, _) in self.files() {
            let _ = writeln!(script, "cp \"$here\"/{} \"$work\"/ || exit 2", quoted(&name));
        }
        script.push_str("cd \"$work\" || exit 2\n\n");
        if let Some(demonstration) = &self.demonstration {
            demonstrate(&mut script, demonstration);
            return script;
        }
        let Some(wrong) = sides.last() else { return script };
        match self.by_hand(wrong) {
            _ if self.exhibit.breach.kind == BreachKind::Contradiction => {
                self.answers(&mut script, &sides, "only one of these answers can be true");
            }
            ByHand::Steps { run: None, .. } if self.runs() => {
                self.answers(
                    &mut script,
                    &sides,
                    "whether it refines its source has to be checked",
                );
            }
            _ if !self.runs() => self.compile_only(&mut script, wrong),
            ByHand::Answer(line) => self.look_for(&mut script, &line),
            ByHand::Steps { .. } => {
                script.push_str(SHOW);
                self.compare(&mut script, &sides);
            }
        }
        script
    }

    /// A failure of the compiler itself.
    fn compile_only(&self, script: &mut String, side: &Side<'_>) {
        let by_hand = self.by_hand(side);
        let invalid = self.exhibit.case.promise == Promise::Rejects;
        if let (ByHand::Answer(line), BreachKind::Crash, true) =
            (&by_hand, self.exhibit.breach.kind, invalid)
        {
            // A correct compiler fails, too: it rejects the program.
            let _ = writeln!(
                script,
                "answer=$(timeout {PATIENCE} {})\nprintf '%s\\n' \"$answer\"\n\
                 case $answer in *'[crashed'*) echo 'the bug shows'; exit 1;; esac\n\
                 echo 'the bug does not show'; exit 0",
                command(line)
            );
            return;
        }
        let (ByHand::Steps { compile: line, .. } | ByHand::Answer(line)) = by_hand;
        let line = command(&line);
        let _ = writeln!(script, "echo {}", quoted(&format!("$ {line}")));
        let _ = writeln!(script, "timeout {PATIENCE} {line}\nstatus=$?");
        let (test, what) = match self.exhibit.breach.kind {
            BreachKind::NoArtifact => {
                let out = format!("{}.out", side.program.name);
                // An empty file would be taken for a shell script.
                let test = format!(
                    "magic=$(head -c 4 {out} 2>/dev/null | od -An -c | tr -d ' \\n')\n\
                     case $magic in '#!'*|177ELF) broken=false;; *) broken=true;; esac\n",
                    out = quoted(&out)
                );
                script.push_str(&test);
                ("[ $status -eq 0 ] && $broken".to_owned(), "no output file that can be started")
            }
            BreachKind::Hang => ("[ $status -eq 124 ]".to_owned(), "no end"),
            BreachKind::Rejection => ("[ $status -ne 0 ]".to_owned(), "a valid program rejected"),
            BreachKind::Acceptance => {
                ("[ $status -eq 0 ]".to_owned(), "an invalid program accepted")
            }
            BreachKind::Crash
            | BreachKind::Exhaustion
            | BreachKind::Miscompilation
            | BreachKind::Contradiction => {
                ("[ $status -ne 0 ]".to_owned(), "a compiler that failed")
            }
        };
        let _ = writeln!(
            script,
            "if {test}; then echo \"the bug shows: {what} (exit code $status)\"; exit 1; fi\n\
             echo \"the bug does not show (exit code $status)\"; exit 0"
        );
    }

    /// Prints the compiler's answer on each side. The reader compares them.
    fn answers(&self, script: &mut String, sides: &[Side<'_>], note: &str) {
        for side in sides {
            let (ByHand::Steps { compile: line, .. } | ByHand::Answer(line)) = self.by_hand(side);
            let line = command(&line);
            let _ = writeln!(script, "echo {}", quoted(&format!("$ {line}")));
            let _ = writeln!(script, "timeout {PATIENCE} {line}");
        }
        let _ = writeln!(script, "echo {}; exit 2", quoted(note));
    }

    /// A failure that shows when two outputs are compared.
    fn compare(&self, script: &mut String, sides: &[Side<'_>]) {
        let (wrong, others) = match sides.split_last() {
            Some((wrong, others)) => (wrong, others),
            None => return,
        };
        match others.first() {
            Some(reference) => self.output(script, "expected", reference),
            None => {
                let expected = self.exhibit.breach.expected.clone().unwrap_or_default();
                let _ = writeln!(script, "expected={}", quoted(expected.trim_end()));
            }
        }
        self.output(script, "actual", wrong);
        script.push_str(
            "echo \"expected: $expected\"\necho \"actual:   $actual\"\n\
             if [ \"$expected\" = \"$actual\" ]; then echo 'the bug does not show'; exit 0; fi\n\
             echo 'the bug shows'; exit 1\n",
        );
    }

    fn output(&self, script: &mut String, variable: &str, side: &Side<'_>) {
        let ByHand::Steps { compile, run: Some(run) } = self.by_hand(side) else { return };
        let line = command(&compile);
        let _ = writeln!(script, "echo {}", quoted(&format!("$ {line}")));
        let _ = writeln!(script, "timeout {PATIENCE} {line} || exit 2");
        let run = command(&run);
        let _ = writeln!(script, "echo {}", quoted(&format!("$ {run}")));
        let stdin = self.input().stdin;
        let from = if stdin.is_empty() {
            "</dev/null"
        } else {
            let _ = writeln!(script, "printf %s {} >input", quoted(&stdin));
            "<input"
        };
        let _ = writeln!(script, "{variable}=$(show {run} {from})");
    }

    /// A failure that reproduces if the answer contains the wrong result again.
    fn look_for(&self, script: &mut String, line: &[String]) {
        let breach = &self.exhibit.breach;
        let is_it = |observation: &&Observation| {
            observation.program == breach.program
                && observation.input == breach.input
                && observation.setting == breach.setting
        };
        let wrong = match self.exhibit.observations.iter().find(is_it).map(|it| &it.outcome) {
            Some(Outcome::Ran(Behaviour::Value(text))) => text,
            Some(Outcome::Ran(Behaviour::Trap { code, .. })) => code,
            Some(
                Outcome::Accepted
                | Outcome::Rejected { .. }
                | Outcome::Crashed { .. }
                | Outcome::Hung { .. }
                | Outcome::Exhausted { .. }
                | Outcome::NoArtifact
                | Outcome::Unrunnable { .. }
                | Outcome::Checked(_)
                | Outcome::Analysed(_)
                | Outcome::Unobserved(_),
            )
            | None => &breach.actual,
        };
        let literal = quoted(&serde_json::Value::from(wrong.as_str()).to_string());
        let expected = breach.expected.as_deref().unwrap_or("something else").trim_end();
        let _ = writeln!(
            script,
            "answer=$(timeout {PATIENCE} {}) || exit 2\n\
             printf 'expected: %s\\nanswer:   %s\\n' {} \"$answer\"\n\
             case $answer in *{literal}*) echo 'the bug shows'; exit 1;; esac\n\
             echo 'the bug does not show'; exit 0",
            command(line),
            quoted(expected),
        );
    }
}

/// Builds an executable, runs it and compares the bytes that it writes with those that are known.
fn demonstrate(script: &mut String, demonstration: &Demonstration) {
    let Demonstration { build, run, stdin, input, answer, expected, .. } = demonstration;
    for line in build {
        let line = command(line);
        let _ = writeln!(script, "echo {}", quoted(&format!("$ {line}")));
        let _ = writeln!(script, "timeout {PATIENCE} {line} || exit 2");
    }
    let byte = |byte: &Option<u8>| byte.map_or("??".to_owned(), |it| format!("{it:02x}"));
    let expected: String = expected.iter().map(|it| format!(" {}", byte(it))).collect();
    let run = command(run);
    let _ = writeln!(script, "echo {}", quoted(&format!("$ {run}")));
    let _ = writeln!(
        script,
        "printf '{}' >input\ntimeout {PATIENCE} {run} <input >output\nstatus=$?\n\
         actual=\" $(od -An -v -tx1 output | tr -s '\\n ' '  ' | sed 's/^ //; s/ $//')\"\n\
         printf 'input:    %s\\nanswer:   %s\\nexpected:%s\\nactual:  %s\\n' {} {} {} \"$actual\"\n\
         # Other codes are of an emulator that did not start.\n\
         if [ $status -ne 0 ]; then\n    echo \"exit code $status\"\n    \
         if [ $status -lt 124 ] || [ $status -gt 124 ] && [ $status -lt 129 ]; then exit 2; fi\nfi\n\
         case $actual in\n{}) if [ $status -eq 0 ]; then echo 'the bug does not show'; exit 0; fi;;\nesac\n\
         echo 'the bug shows'; exit 1",
        octal(stdin),
        quoted(input),
        quoted(answer),
        quoted(&expected),
        expected.replace(' ', "\\ "),
    );
}

/// Bytes as `printf` of a shell takes them.
fn octal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:03o}")).collect()
}

/// Prints the output of a program and, if it failed, a last line with its exit code or signal.
const SHOW: &str = r#"show() {
    out=$(timeout 60 "$@"); status=$?
    if [ -n "$out" ]; then printf '%s\n' "$out"; fi
    if [ $status -gt 128 ]; then printf '[SIG%s]\n' "$(kill -l $((status - 128)))"
    elif [ $status -ne 0 ]; then printf '[exit %s]\n' $status; fi
}

"#;

/// The command with the name of the program instead of its absolute path and its loader, which are useless to readers of a
/// report. The script has them.
fn bare(mut words: Vec<String>) -> Vec<String> {
    let is_program = |word: &String| word != "env" && !word.contains('=');
    let Some(at) = words.iter().position(is_program) else { return words };
    let is_loaded = words.get(at + 1).is_some_and(|word| word == "--library-path");
    if is_loaded && words.len() > at + 3 {
        words.drain(at..at + 3);
    }
    let program = &mut words[at];
    if let Some((_, name)) = program.rsplit_once('/')
        && program.starts_with('/')
    {
        *program = name.to_owned();
    }
    words
}

fn command(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word, quoted for the shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_the_program_without_its_path_and_loader() {
        let shown = |line: &str| bare(line.split(' ').map(str::to_owned).collect()).join(" ");
        assert_eq!(shown("/a/bin/gcc -O2 x.c"), "gcc -O2 x.c");
        assert_eq!(shown("env A=1 /a/rustc x.rs"), "env A=1 rustc x.rs");
        assert_eq!(shown("/a/ld.so --library-path /a/lib:/b /a/bin/opt -S x.ll"), "opt -S x.ll");
        assert_eq!(shown("opt -S /a/x.ll"), "opt -S /a/x.ll");
    }
}
