//! What can be typed. Options that `mistrust.toml` can also hold are optional here, and the environment
//! stands in for the flag: flag before environment before file.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lab::campaign::Shard;

use crate::exit;

#[derive(Debug, Parser)]
#[command(
    name = "mistrust",
    version,
    about = "Finds the bugs that compilers hide: crashes, hangs, wrong rejections, miscompilations",
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
    /// The configuration [default: mistrust.toml, if it is there]
    #[arg(long, global = true, env = "MISTRUST_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Where compilers are installed [default: mistrust/toolchains in the user's cache]
    #[arg(long, global = true, env = "MISTRUST_TOOLCHAINS", value_name = "DIR")]
    pub(crate) toolchains: Option<PathBuf>,
    /// Install nothing: a compiler that is named and is not there is an error
    #[arg(long, global = true, env = "MISTRUST_OFFLINE")]
    pub(crate) offline: bool,
    /// Only findings and the summary
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// More of what happens; twice for all of it
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hunt for bugs in compilers
    Hunt(Hunt),
    /// Print the case of a ticket
    Gen(Gen),
    /// Show a finding to its compiler once more
    Replay(Replay),
    /// Show one program to a compiler and run it, and print what came of it
    Run(Run),
    /// Make a finding, or any program that a compiler fails on, smaller
    Reduce(Reduce),
    /// List findings, or show one
    Findings(Findings),
    /// Write a report of all that was found
    Report(Report),
    /// The library of proven identities: list, show, prove, check, synthesise, export
    Rules(Rules),
    /// Install compilers in exact versions, side by side; list and remove them
    Toolchain(Toolchain),
    /// Tell what is installed, what the sandbox can do, and what is missing
    Doctor(Doctor),
    /// Print completions for a shell
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
    /// The compilers to hunt: names from the configuration, built-in ones (gcc, solc@0.8.28), or paths
    /// [default: all of the configuration, or else this machine's rustc]
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// What the compilers that are given by a path are: gcc, clang, llvm, rustc [default: what they say
    /// of themselves]
    #[arg(long = "as", value_name = "FAMILY")]
    pub(crate) family: Option<String>,
    /// How cases are made; mir@2000 makes programs of about 2000 lines, from 20 to 10000
    /// [default: what suits the language]
    #[arg(long, env = "MISTRUST_METHOD")]
    pub(crate) method: Option<String>,
    /// Hunt only under the settings of this name, in which * stands for anything: legacy-*, O0-mir4; may be
    /// given several times [default: all of the target]
    #[arg(long, env = "MISTRUST_SETTING", value_name = "NAME", value_delimiter = ' ')]
    pub(crate) setting: Vec<String>,
    /// Where the stream of cases begins; the same seed gives the same cases [default: 1]
    #[arg(long, env = "MISTRUST_SEED")]
    pub(crate) seed: Option<u64>,
    /// How long to hunt: 90s, 10m, 8h [default: 2m, unless --cases is given]
    #[arg(long, env = "MISTRUST_TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// How long following up what was found may go on after that; then everything ends [default: a quarter of
    /// the time, from 30s to 10m]
    #[arg(long, env = "MISTRUST_GRACE", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
    /// How many cases there are to be, those of earlier runs of the same hunt included
    #[arg(long, env = "MISTRUST_CASES")]
    pub(crate) cases: Option<u64>,
    /// How many workers [default: one per core]
    #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// The folder for everything that is found [default: mistrust-out]
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Write every event as a line of JSON; - for standard output
    #[arg(long, env = "MISTRUST_EVENTS", value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Write the result as JUnit XML
    #[arg(long, env = "MISTRUST_JUNIT", value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the findings as SARIF
    #[arg(long, env = "MISTRUST_SARIF", value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Hunt only the K-th of N parts of the cases: 2/5
    #[arg(long, env = "MISTRUST_SHARD", value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
    /// Make a finding of every failure: merge nothing, and reduce known bugs, too
    #[arg(long, env = "MISTRUST_ALL_FINDINGS")]
    pub(crate) all_findings: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Gen {
    /// A method, or a whole ticket: METHOD:SEED:INDEX, such as mir:1:7 or mir@2000:1:7
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[arg(long, default_value_t = 0)]
    pub(crate) index: u64,
    /// The programs as they are, or the whole case
    #[arg(long, value_enum, default_value_t = CaseFormat::Source)]
    pub(crate) format: CaseFormat,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CaseFormat {
    Source,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The finding, or the beginning of its name
    pub(crate) id: String,
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Show the case as it was generated, not the reduced one
    #[arg(long)]
    pub(crate) original: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The compiler, for example solc@0.8.28
    pub(crate) target: String,
    /// The program
    pub(crate) file: PathBuf,
    /// The arguments that it is called with
    #[arg(allow_hyphen_values = true, trailing_var_arg = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// The setting, by its name [default: the first one of the target]
    #[arg(long, value_name = "NAME", conflicts_with = "with")]
    pub(crate) setting: Option<String>,
    /// An option of the setting, instead of its name: as reports write it
    #[arg(long, value_name = "OPTION=VALUE")]
    pub(crate) with: Vec<String>,
    /// What the compiler is given beyond the options, such as the limit of a bisection
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) extra: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Reduce {
    /// A finding; or a file: a case.json, or source text that the target fails on
    #[arg(value_name = "ID|FILE")]
    pub(crate) subject: String,
    #[arg(long, short, env = "MISTRUST_OUT", value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The compiler that fails on the file [default: the one that reads its language]
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// Where the smaller program goes [default: beside the file, as NAME.reduced.EXT]
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Begin again with the case as it was generated
    #[arg(long)]
    pub(crate) restart: bool,
    /// How long it may take
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
        /// The finding, or the beginning of its name
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
    /// Where it goes; - for standard output [default: report.html, .xml or .sarif in DIR]
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
    /// List rules, each with where it is proven
    List {
        #[command(flatten)]
        filter: RulesFilter,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Show a rule, how it stands under every semantics, and why
    Show {
        name: String,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Derive every certificate from nothing, and check it
    Prove {
        #[command(flatten)]
        filter: RulesFilter,
        /// The folder with the rule files [default: the library that is built in]
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        /// Search for all that is true of each rule, and write it to the file `ledger` in the folder of --rules
        #[arg(long, requires = "rules")]
        write: bool,
        #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
        jobs: Option<u16>,
    },
    /// Check your own rules: each is proven, with the route, or gets a counterexample
    Check {
        file: PathBuf,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
        #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
        jobs: Option<u16>,
    },
    /// Search for new rules, and prove them
    Synth(Synth),
    /// Write the rules for other tools to check
    Export {
        #[command(flatten)]
        filter: RulesFilter,
        /// A Lean 4 project with one theorem per rule
        #[arg(long, value_name = "DIR", required_unless_present_any = ["smt2", "lrat"])]
        lean: Option<PathBuf>,
        /// SMT-LIB scripts, one per rule, semantics and width
        #[arg(long, value_name = "DIR")]
        smt2: Option<PathBuf>,
        /// Clauses and LRAT proofs of everything that the solver refuted, for `lrat-check`
        #[arg(long, value_name = "DIR")]
        lrat: Option<PathBuf>,
    },
}

#[derive(Clone, Debug, Args)]
pub(crate) struct RulesFilter {
    /// Rules whose names contain this
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// ring, linear-mba, polynomial-mba, comparison, shift, division, domain or peephole
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Only what is proven under this semantics: words, evm, solidity-signed, ton, …
    #[arg(long)]
    pub(crate) semantics: Option<String>,
    /// Only what is proven at this width
    #[arg(long)]
    pub(crate) width: Option<u16>,
    /// Only what was written by hand
    #[arg(long, conflicts_with = "synthesised")]
    pub(crate) hand_written: bool,
    /// Only what was synthesised
    #[arg(long)]
    pub(crate) synthesised: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Synth {
    /// The same seed gives the same rules
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many rules there are to be
    #[arg(long, default_value_t = 1000)]
    pub(crate) count: usize,
    /// Stop after this time, with what there is: 90s, 10m
    #[arg(long, value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Nothing is known at the beginning, not even the library
    #[arg(long)]
    pub(crate) from_nothing: bool,
    /// Where the rules go; - for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    #[arg(long, short, env = "MISTRUST_JOBS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct Toolchain {
    #[command(subcommand)]
    pub(crate) action: ToolchainAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolchainAction {
    /// Install compilers with npm, pip or apt-get, as they are configured on this machine
    Add {
        /// solc@0.8.28, or solc for the newest
        #[arg(value_name = "FAMILY@VERSION", required = true)]
        names: Vec<String>,
    },
    /// List what is installed
    List {
        /// Only these families
        #[arg(value_name = "FAMILY")]
        families: Vec<String>,
        /// Read every file and compare it with what was installed
        #[arg(long)]
        verify: bool,
        #[arg(long, value_enum, default_value_t = ListFormat::Text)]
        format: ListFormat,
    },
    /// Remove what is installed
    Remove {
        #[arg(value_name = "FAMILY@VERSION", required = true)]
        names: Vec<String>,
        /// Also what is recorded of it, so that anything may be installed in its place
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

/// `90s`, `10m`, `1h 30m`; a bare number is of seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(Duration::from_secs(seconds));
    }
    humantime::parse_duration(text)
        .map_err(|_| format!("`{text}` is no duration: write for example 90s, 10m or 8h"))
}
