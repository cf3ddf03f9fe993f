//! Errors of the command line and the configuration are reported in a line or two, with exit code 2.

use crate::world::{World, target};

#[test]
fn flags_override_the_environment_and_that_overrides_the_file() {
    let world = World::with_toyc(&[]);
    let text = world.read("mistrust.toml");
    world.write("mistrust.toml", &format!("[hunt]\ncases = 7\nseed = 5\nout = 'file'\n{text}"));
    world.run(&["hunt"]).expect(0).says("no findings in 7 cases").says("seed 5");
    let environment = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("MISTRUST_CASES", "8").env("MISTRUST_OUT", "environment");
        crate::world::Ran::of(&command.output().unwrap())
    };
    environment(&["hunt"]).expect(0).says("in 8 cases").says("seed 5");
    environment(&["hunt", "--cases", "9", "--out", "flag"]).expect(0).says("in 9 cases");
    for folder in ["file", "environment", "flag"] {
        assert!(world.path(folder).join("mistrust.db").exists(), "{folder}");
    }
}

#[test]
fn an_invalid_configuration_is_reported_before_anything_is_created() {
    let world = World::new();
    let cases = [
        ("[hunt]\ncasez = 3\n", "unknown field `casez`"),
        ("[hunter]\n", "unknown field `hunter`"),
        ("[limits]\nmemory = 3\n", "unknown field `memory`"),
        ("[target.x]\nlanguage = 'c'\ncompile = ['x', '{in}']\nopt = 3\n", "unknown field `opt`"),
        ("[hunt]\ntime = 'soon'\n", "`soon` is not a duration"),
        ("[hunt]\nshard = '3/2'\n", "`3/2` is not a shard"),
        ("[hunt\n", "mistrust.toml"),
        (
            "[target.x]\nlanguage = 'c'\ncompile = ['x', '{im}']\n",
            "`{im}` in `{im}` is not defined",
        ),
    ];
    for (text, error) in cases {
        world.write("mistrust.toml", text);
        let ran = world.run(&["hunt"]).expect(2).says(error);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        assert!(!world.path("mistrust-out").exists(), "no folder is created");
    }
}

#[test]
fn an_unknown_name_is_reported_with_the_known_ones() {
    let world = World::with_toyc(&[]);
    world.run(&["hunt", "nocc"]).expect(2).says("no target `nocc`").says("toyc");
    world
        .run(&["hunt", "--method", "mir"])
        .expect(2)
        .says("no method called `mir`")
        .says("smoke-toy");
    world.run(&["gen", "nothing"]).expect(2).says("no method `nothing`").says("smoke-c");
    world.run(&["--config", "absent.toml", "hunt"]).expect(3).says("absent.toml");
    world.run(&["findings", "--out", "absent"]).expect(3).says("absent contains no hunt");
    world.run(&["hunt", "--cases", "10"]).expect(0);
    world.run(&["replay", "0123"]).expect(2).says("no finding `0123`");
    world.run(&["reduce", "0123"]).expect(2).says("no finding `0123`");
    world.run(&["findings", "show", "0123"]).expect(2).says("no finding `0123`");
}

#[test]
fn an_invalid_ticket_or_flag_is_rejected() {
    let world = World::with_toyc(&[]);
    for ticket in ["smoke-c:1", "smoke-c:x:1", ":1:2", "smoke-c:1:2:3"] {
        world.run(&["gen", ticket]).expect(2).says("is not a ticket");
    }
    world.run(&["hunt", "--shard", "0/3"]).expect(2).says("is not a shard");
    world.run(&["hunt", "--time", "never"]).expect(2).says("is not a duration");
    world.run(&["hunt", "--jobs", "0"]).expect(2);
    world.run(&["hunt", "--cases", "-3"]).expect(2);
    world.run(&["haunt"]).expect(2);
    world.run(&["hunt", "--quiet", "--verbose"]).expect(2);
}

#[test]
fn an_invalid_known_bug_is_reported_with_its_file() {
    let world = World::with_toyc(&[]);
    std::fs::create_dir(world.path("known-bugs")).unwrap();
    world.write("known-bugs/a.toml", "[[bug]]\nname = 'x'\ntarget = 'toyc'\n");
    world.run(&["hunt", "--cases", "1"]).expect(2).says("a.toml").says("would match everything");
}

#[test]
fn a_template_is_shown_with_its_solutions() {
    let world = World::new();
    let template = world.run(&["gen", "solidity:1:0", "--template"]).expect(0).stdout;
    let number = |word: &str| -> u128 {
        let head = template.lines().next().unwrap();
        let words: Vec<&str> = head.split([' ', ';']).collect();
        let at = words.iter().position(|it| *it == word).unwrap();
        let text = if word == "solutions" { words[at - 1] } else { words[at + 1] };
        text.parse().unwrap()
    };
    assert!(template.contains('\u{27e8}'), "{template}");
    // The solution of the ticket is its program.
    let own = number("number").to_string();
    let solution = world.run(&["gen", "solidity:1:0", "--solution", &own]).expect(0).stdout;
    assert_eq!(solution, world.run(&["gen", "solidity:1:0"]).expect(0).stdout);
    world.run(&["gen", "solidity-0.7:1:0"]).expect(0);
    let beyond = number("solutions").to_string();
    world.run(&["gen", "solidity:1:0", "--solution", &beyond]).expect(2).says("no solution");
    world.run(&["gen", "smoke-c:1:0", "--template"]).expect(2).says("has no templates");
}

#[test]
fn a_ticket_always_gives_the_same_case() {
    let world = World::new();
    let once = world.run(&["gen", "smoke-rust:7:42"]).expect(0);
    let again = world.run(&["gen", "smoke-rust", "--seed", "7", "--index", "42"]).expect(0);
    assert_eq!(once.stdout, again.stdout);
    assert!(once.stdout.contains("fn main()"));
    let case = world.run(&["gen", "smoke-rust:7:42", "--format", "json"]).expect(0).json();
    assert_eq!(case["origin"], "smoke-rust.1:7:42");
}

#[test]
fn a_method_name_can_include_a_size() {
    let world = World::with_toyc(&[]);
    let case = world.run(&["gen", "mir@100:1:7", "--format", "json"]).expect(0).json();
    assert_eq!(case["origin"], "mir@100.2:1:7");
    let source = world.run(&["gen", "mir@100", "--index", "7"]).expect(0).stdout;
    assert_eq!(case["programs"][0]["source"], source);
    assert_ne!(world.run(&["gen", "mir:1:7"]).expect(0).stdout, source);
    for size in ["19", "10001", "many", ""] {
        let method = format!("mir@{size}");
        world.run(&["gen", &method]).expect(2).says(&method).says("from 20 to 10000");
        world.run(&["hunt", "rustc", "--method", &method]).expect(2).says("from 20 to 10000");
    }
    world.run(&["hunt", "--method", "smoke@100"]).expect(2).says("cannot be chosen");
    world.write("mistrust.toml", "[hunt]\nmethod = 'mir@5'\n");
    world.run(&["hunt", "rustc"]).expect(2).says("from 20 to 10000");
    assert!(!world.path("mistrust-out").exists());
}

#[test]
fn a_family_selects_all_its_described_versions() {
    let world = World::new();
    let text = target("toyc@1", &[]) + &target("toyc@2", &[]);
    world.write("mistrust.toml", &text);
    world.run(&["hunt", "toyc", "--cases", "5"]).expect(0).says("toyc@1").says("toyc@2");
}
