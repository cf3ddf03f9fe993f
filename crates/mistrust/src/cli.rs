//! The command-line arguments. Options that `mistrust.toml` can also set are optional here. A flag takes precedence over
//! an environment variable, and that over the file.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lab::campaign::Shard;

use crate::exit;

#[derive(Debug, Parser)]
#[command(
    name = "mistrust",
    version,
    about = "Finds bugs in compilers: crashes, hangs, wrong rejections and miscompiles",
    after_help = exit::HELP,
    propagate_version = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Configuration file [default: mistrust.toml, if it exists]
    #[arg(long, global = true, env = "MISTRUST_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Folder of installed compilers [default: mistrust/toolchains in the user's cache]
    #[arg(long, global = true, env = "MISTRUST_TOOLCHAINS", value_name = "DIR")]
    pub(crate) toolchains: Option<PathBuf>,
    /// Never install anything: a missing compiler is an error
    #[arg(long, global = true, env = "MISTRUST_OFFLINE")]
    pub(crate) offline: bool,
    /// Print only findings and the summary
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more details; twice for all of them
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hunt for bugs in compilers
    Hunt(Hunt),
    /// Generate the case of a ticket and print it
    Gen(Gen),
    /// Run a finding again under every setting
    Replay(Replay),
    /// Compile one program under one setting, run it, and print the outcome
    Run(Run),
    /// Reduce a finding, or any program that a compiler fails on
    Reduce(Reduce),
    /// List findings, or show one
    Findings(Findings),
    /// Write a report of all findings
    Report(Report),
    /// List, show, prove, check, synthesise or export the rules (proven identities)
    Rules(Rules),
    /// Install, list and remove compilers in exact versions, side by side
    Toolchain(Toolchain),
    /// Install, list and minimise collections of programs, which `hunt --corpus` mutates
    Corpus(Corpus),
    /// Check what is installed, what the sandbox can do, and what is missing
    Doctor(Doctor),
    /// Print shell completions
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man {
        /// Write one page per subcommand into this folder instead
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Hunt {
    /// Compilers to test: names from the configuration, built-in ones (gcc, solc@0.8.28), or paths
    /// [default: all of the configuration, or else this machine's rustc]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Family of the compilers that are given as paths: gcc, clang, llvm, rustc [default: according to
    /// their --version]
    #[arg(long = "as", value_name = "FAMILY")]
    pub(crate) family: Option<String>,
    /// Method that generates the cases; mir@2000 generates programs of about 2000 lines (from 20 to 10000)
    /// [default: the preferred one for the language]
    #[arg(long, env = "MISTRUST_METHOD")]
    pub(crate) method: Option<String>,
    /// Programs, which are mutated: a folder, or a name (vyper-tests, rust-ui@1.95.0; `mistrust corpus list` has all). For
    /// LLVM its unit tests, whose crossovers are generated: a version (22,
    /// llvm-codegen-tests@22), or a folder of .ll files such as llvm/test/Transforms of a checkout [default for LLVM:
    /// those of the version under test, from Debian]
    #[arg(long, env = "MISTRUST_CORPUS", value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// Do not measure the coverage of compilers: no mutant of a corpus is guided by it
    #[arg(long, env = "MISTRUST_BLIND")]
    pub(crate) blind: bool,
    /// Use only settings whose names match this pattern, in which * matches anything: legacy-*, O0-mir4; can
    /// be given several times [default: all settings of the target]
    #[arg(long, env = "MISTRUST_SETTING", value_name = "NAME", value_delimiter = ' ')]
    pub(crate) setting: Vec<String>,
    /// Seed of the cases; the same seed gives the same cases [default: 1]
    #[arg(long, env = "MISTRUST_SEED")]
    pub(crate) seed: Option<u64>,
    /// Time budget: 90s, 10m, 8h [default: 2m, unless --cases is given]
    #[arg(long, env = "MISTRUST_TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// How long the follow-up of findings may continue after the time budget [default: a quarter of it, from
    /// 30s to 10m]
    #[arg(long, env = "MISTRUST_GRACE", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
    /// Number of cases to reach, including those of earlier runs of the same hunt
    #[arg(long, env = "MISTRUST_CASES")]
    pub(crate) cases: Option<u64>,
    /// Number of workers [default: one per core]
    #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Output folder [default: mistrust-out]
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write every event as a line of JSON to this file; - for standard output
    #[arg(long, env = "MISTRUST_EVENTS", value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write the results as JUnit XML to this file
    #[arg(long, env = "MISTRUST_JUNIT", value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the findings as SARIF to this file
    #[arg(long, env = "MISTRUST_SARIF", value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Use only the K-th of N parts of the cases: 2/5
    #[arg(long, env = "MISTRUST_SHARD", value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
    /// Make every failure a finding: do not deduplicate, and also reduce known bugs
    #[arg(long, env = "MISTRUST_ALL_FINDINGS")]
    pub(crate) all_findings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Gen {
    /// A method, or a ticket METHOD:SEED:INDEX, such as mir:1:7 or mir@2000:1:7
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[arg(long, default_value_t = 0)]
    pub(crate) index: u64,
    /// Print the source of the programs, or the whole case
    #[arg(long, value_enum, default_value_t = CaseFormat::Source)]
    pub(crate) format: CaseFormat,
    /// Print the template of the program, with its placeholders and its number of solutions
    #[arg(long, conflicts_with = "format")]
    pub(crate) template: bool,
    /// Print the program of another solution of the template
    #[arg(long, value_name = "K", conflicts_with_all = ["format", "template"])]
    pub(crate) solution: Option<u128>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CaseFormat {
    Source,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Id of the finding, or a unique prefix of it
    pub(crate) id: String,
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run the case as it was generated instead of the reduced one
    #[arg(long)]
    pub(crate) original: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// Compiler, for example solc@0.8.28
    pub(crate) target: String,
    /// Source file
    pub(crate) file: PathBuf,
    /// Arguments of the call
    #[arg(allow_hyphen_values = true, trailing_var_arg = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Only compile the file, whatever is in it; the compiler may reject it
    #[arg(long)]
    pub(crate) text: bool,
    /// Name of the setting [default: the first one of the target]
    #[arg(long, value_name = "NAME", conflicts_with = "with")]
    pub(crate) setting: Option<String>,
    /// One option of the setting, as in reports, instead of its name
    #[arg(long, value_name = "OPTION=VALUE")]
    pub(crate) with: Vec<String>,
    /// A further argument of the compiler, such as a bisection limit
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) extra: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Reduce {
    /// Id of a finding, or a file: a case.json, or source text that the compiler fails on
    #[arg(value_name = "ID|FILE")]
    pub(crate) subject: String,
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Compiler that fails on the file [default: one that reads its language]
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Where to write the reduced program [default: NAME.reduced.EXT beside the file]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Start again with the case as it was generated
    #[arg(long)]
    pub(crate) restart: bool,
    /// Time limit
    #[arg(long, env = "MISTRUST_REDUCE_TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Findings {
    #[command(subcommand)]
    pub(crate) action: Option<FindingsAction>,
    #[command(flatten)]
    pub(crate) options: FindingsOptions,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum FindingsAction {
    /// List all findings
    List {
        #[command(flatten)]
        options: FindingsOptions,
    },
    /// Show one finding
    Show {
        /// Id of the finding, or a unique prefix of it
        id: String,
        #[command(flatten)]
        options: FindingsOptions,
    },
}

#[derive(Clone, Debug, Args)]
pub(crate) struct FindingsOptions {
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub(crate) format: ReportFormat,
    /// Where to write it; - for standard output [default: report.html, .xml or .sarif in DIR]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReportFormat {
    Html,
    Junit,
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub(crate) action: RulesAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// List rules, with the number of semantics under which each is proven
    List {
        #[command(flatten)]
        filter: RulesFilter,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Show a rule and its proof status under every semantics
    Show {
        name: String,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Derive every recorded certificate again, and check it
    Prove {
        #[command(flatten)]
        filter: RulesFilter,
        /// Folder with the rule files [default: the built-in library]
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        /// Search for all proofs again, and write the file `ledger` in the folder of --rules
        #[arg(long, requires = "rules")]
        write: bool,
        #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
        jobs: Option<u16>,
    },
    /// Check your own rules: prints the prover of each proof, or a counterexample
    Check {
        file: PathBuf,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
        #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
        jobs: Option<u16>,
    },
    /// Search for new rules and prove them
    Synth(Synth),
    /// Export the rules for other provers and checkers
    Export {
        #[command(flatten)]
        filter: RulesFilter,
        /// A Lean 4 project with one theorem per rule
        #[arg(long, value_name = "DIR", required_unless_present_any = ["smt2", "lrat"])]
        lean: Option<PathBuf>,
        /// SMT-LIB scripts, one per rule, semantics and width
        #[arg(long, value_name = "DIR")]
        smt2: Option<PathBuf>,
        /// Clauses and LRAT proofs of all refutations by the SAT solver, for `lrat-check`
        #[arg(long, value_name = "DIR")]
        lrat: Option<PathBuf>,
    },
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RulesFilter {
    /// Only rules whose names contain this
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// ring, linear-mba, polynomial-mba, comparison, shift, division, domain or peephole
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Only rules that are proven under this semantics: words, evm, solidity-signed, ton, …
    #[arg(long)]
    pub(crate) semantics: Option<String>,
    /// Only rules that are proven at this width
    #[arg(long)]
    pub(crate) width: Option<u16>,
    /// Only hand-written rules
    #[arg(long, conflicts_with = "synthesised")]
    pub(crate) hand_written: bool,
    /// Only synthesised rules
    #[arg(long)]
    pub(crate) synthesised: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Synth {
    /// The same seed gives the same rules
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of rules to find
    #[arg(long, default_value_t = 1000)]
    pub(crate) count: usize,
    /// Time limit; rules found until then are written: 90s, 10m
    #[arg(long, value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Start without the rules of the library
    #[arg(long)]
    pub(crate) from_nothing: bool,
    /// Where to write the rules; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Corpus {
    #[command(subcommand)]
    pub(crate) action: CorpusAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CorpusAction {
    /// Install corpora with npm, pip or apt-get, as configured on this machine
    Add {
        /// vyper-tests@0.4.3, or vyper-tests for the newest
        #[arg(value_name = "NAME[@VERSION]", required = true)]
        names: Vec<String>,
    },
    /// List the corpora that are known by name, and which versions are installed
    List {
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Show how many programs a corpus has, and what is left out
    Show {
        /// A name, with a version or without, or a folder
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// The language of the programs in a folder
        #[arg(long)]
        language: Option<String>,
    },
    /// Copy the programs that together reach as much of a compiler as all of them
    Minimise {
        /// A name, with a version or without, or a folder
        #[arg(value_name = "CORPUS")]
        corpus: String,
        /// The compiler, which must measure coverage
        #[arg(long, value_name = "TARGET")]
        target: String,
        /// The folder to write them to, which must not exist
        #[arg(long, value_name = "FOLDER")]
        to: PathBuf,
    },
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Toolchain {
    #[command(subcommand)]
    pub(crate) action: ToolchainAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolchainAction {
    /// Install compilers with npm, pip or apt-get, as configured on this machine
    Add {
        /// solc@0.8.28, or solc for the newest
        #[arg(value_name = "FAMILY@VERSION", required = true)]
        names: Vec<String>,
    },
    /// List installed compilers
    List {
        /// Only these families
        #[arg(value_name = "FAMILY")]
        families: Vec<String>,
        /// Compare the checksum of every installed file with the recorded one
        #[arg(long)]
        verify: bool,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Remove installed compilers
    Remove {
        #[arg(value_name = "FAMILY@VERSION", required = true)]
        names: Vec<String>,
        /// Also delete the recorded checksums, so that different files can be installed as the same version
        #[arg(long)]
        forget: bool,
    },
    /// List the versions that can be installed, from old to new
    Available {
        #[arg(value_name = "FAMILY")]
        family: String,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
}

/// `90s`, `10m`, `1h 30m`; a bare number means seconds.
/// The longest duration that a user can give.
const LONGEST: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let duration = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| format!("`{text}` is not a duration: write for example 90s, 10m or 8h"))?,
    };
    // The system's clock cannot represent any time.
    if duration > LONGEST {
        return Err(format!("`{text}` is too long: the longest time is ten years"));
    }
    Ok(duration)
}
