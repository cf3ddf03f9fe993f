//! `mistrust toolchain` where things go wrong: with an npm of our own on the `PATH`, which does what files in
//! the test's folder say. That real packages can be installed is tested in `lab`.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use crate::world::{Ran, World};

/// It has four versions of solc, and is told by files: `content` is what it installs, `deaf` means no registry,
/// `slow` that it stops half-way until the file is gone. Each install leaves a line in `log`.
const NPM: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
here=HERE
case $1 in
--version) echo 1.0.0; exit;;
view)
  if test -e $here/deaf; then echo 'npm error code ENOTFOUND' >&2; exit 1; fi
  echo '["0.8.1", "0.8.10", "0.8.2", "0.8.7-fixed"]'; exit;;
esac
echo "$*" >> $here/log
test -e $here/deaf && exit 1
for package in "$@"; do :; done
version=${package#solc@}
case $version in 0.8.1|0.8.2|0.8.10|0.8.7-fixed) ;; *) exit 1;; esac
mkdir -p "$3/node_modules/solc"
cat $here/content > "$3/node_modules/solc/soljson.js"
if test -e $here/slow; then
  : > $here/began
  while test -e $here/slow; do sleep 0.05; done
fi
tmp=1.0.0
test -e $here/moved && tmp=$(cat $here/moved)
echo '{"packages": {"node_modules/solc": {"version": "'$version'"}, "node_modules/tmp": {"version": "'$tmp'"}}}' \
  > "$3/node_modules/.package-lock.json"
"#;

/// A world whose `PATH` has that npm, and a folder for toolchains.
struct Shop {
    world: World,
}

impl Shop {
    fn new() -> Self {
        let world = World::new();
        std::fs::create_dir(world.path("bin")).unwrap();
        let here = world.path("").display().to_string();
        let shop = Self { world };
        shop.program("npm", &NPM.replace("HERE", here.trim_end_matches('/')));
        shop.program("node", "#!/bin/sh\necho v20\n");
        shop.world.write("content", "a compiler");
        shop
    }

    fn program(&self, name: &str, text: &str) {
        let name = format!("bin/{name}");
        self.world.write(&name, text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.world.path(&name), mode).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&["toolchain"]);
        command.args(arguments).env("PATH", self.world.path("bin"));
        command.env("MISTRUST_TOOLCHAINS", self.world.path("tools"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    /// Starts an install that stops half-way.
    fn stopped_half_way(&self) -> Child {
        self.world.write("slow", "");
        let child = self.command(&["add", "solc@0.8.2"]).spawn().unwrap();
        self.world.wait_for("the install", |world| world.path("began").exists());
        child
    }

    fn workshop(&self) -> usize {
        std::fs::read_dir(self.world.path("tools/.workshop")).unwrap().count()
    }

    fn installs(&self) -> usize {
        self.world.read("log").lines().count()
    }
}

#[test]
fn versions_are_installed_side_by_side_listed_verified_and_removed() {
    let shop = Shop::new();
    shop.run(&["list"]).expect(0).says("nothing is installed");
    let ran = shop.run(&["add", "solc@0.8.2", "solc@0.8.7"]).expect(0);
    ran.says("installing solc@0.8.2 with npm: solc@0.8.2").says("solc@0.8.7-fixed");
    assert!(shop.world.path("tools/solc/0.8.7/node_modules/solc/soljson.js").exists());
    assert!(shop.world.read("tools/toolchains.lock").contains("solc@0.8.7"));
    assert_eq!(shop.workshop(), 0);
    // Without a version it is the newest; what is there is not installed again.
    shop.run(&["add", "solc", "solc@0.8.2"]).expect(0).says("solc@0.8.10 is in");
    assert_eq!(shop.installs(), 3);
    shop.run(&["available", "solc"]).expect(0).says("0.8.1\n0.8.2\n0.8.7\n0.8.10\n");
    shop.run(&["list", "--verify"]).expect(0).says("solc@0.8.10").says("intact");
    shop.world.write("tools/solc/0.8.2/node_modules/solc/soljson.js", "another compiler");
    shop.run(&["list", "--verify"]).expect(3).says("changed since it was installed");
    shop.run(&["remove", "solc@0.8.2"]).expect(0).says("removed solc@0.8.2");
    shop.run(&["remove", "solc@0.8.2"]).expect(2).says("not installed");
    shop.run(&["remove", "solc"]).expect(2).says("names no version");
    assert!(!shop.world.path("tools/solc/0.8.2").exists());
    assert_eq!(shop.workshop(), 0);
}

#[test]
fn the_same_version_with_other_files_is_refused_until_it_is_forgotten() {
    let shop = Shop::new();
    shop.run(&["add", "solc@0.8.2"]).expect(0);
    shop.run(&["remove", "solc@0.8.2"]).expect(0);
    shop.world.write("content", "a Trojan horse");
    let ran = shop.run(&["add", "solc@0.8.2"]).expect(3);
    ran.says("solc@0.8.2 is not what it was").says("--forget");
    assert!(!shop.world.path("tools/solc/0.8.2").exists());
    // Where what it needs has moved on, other files are no wonder, but told.
    shop.world.write("moved", "1.0.1");
    let ran = shop.run(&["add", "solc@0.8.2"]).expect(0);
    ran.says("-tmp@1.0.0, +tmp@1.0.1");
    shop.run(&["remove", "--forget", "solc@0.8.2"]).expect(0);
    shop.world.write("content", "a compiler");
    shop.run(&["add", "solc@0.8.2"]).expect(0);
}

#[test]
fn a_killed_install_leaves_nothing_broken_and_the_next_one_sweeps() {
    let shop = Shop::new();
    let mut child = shop.stopped_half_way();
    child.kill().unwrap();
    child.wait().unwrap();
    shop.run(&["list"]).expect(0).says("nothing is installed");
    assert!(!shop.world.path("tools/solc").exists());
    assert_eq!(shop.workshop(), 1, "what was half made");
    // npm died with us; the `sleep` that it had begun ends by itself.
    shop.world.wait_for("the end of what npm started", World::is_quiet);
    std::fs::remove_file(shop.world.path("slow")).unwrap();
    // A folder without a manifest, from whomever, is not taken for a compiler, and replaced.
    std::fs::create_dir_all(shop.world.path("tools/solc/0.8.2/node_modules")).unwrap();
    shop.run(&["add", "solc@0.8.2"]).expect(0);
    shop.run(&["list", "--verify"]).expect(0).says("solc@0.8.2").says("intact");
    assert_eq!(shop.workshop(), 0);
    shop.world.assert_nothing_is_left();
}

#[test]
fn two_processes_install_the_same_version_once() {
    let shop = Shop::new();
    let first = shop.stopped_half_way();
    let second = shop.command(&["add", "solc@0.8.2"]).spawn().unwrap();
    let third = shop.command(&["add", "solc@0.8.1"]).spawn().unwrap();
    // Both have their scratch directory before they wait.
    shop.world.wait_for("the others", |_| shop.workshop() == 3);
    std::fs::remove_file(shop.world.path("slow")).unwrap();
    for child in [first, second, third] {
        Ran::of(&child.wait_with_output().unwrap()).expect(0);
    }
    assert_eq!(shop.installs(), 2);
    shop.run(&["list"]).expect(0).says("solc@0.8.1").says("solc@0.8.2");
    assert_eq!(shop.workshop(), 0);
}

#[test]
fn a_hunt_installs_what_it_names_after_saying_so_unless_it_may_not() {
    let shop = Shop::new();
    let hunt = |arguments: &[&str]| {
        let mut command = shop.world.command(&["hunt", "solc@0.8.2", "--cases", "1"]);
        command.args(arguments).env("PATH", shop.world.path("bin"));
        Ran::of(&command.env("MISTRUST_TOOLCHAINS", shop.world.path("tools")).output().unwrap())
    };
    hunt(&["--offline"]).expect(3).says("solc@0.8.2 is not installed");
    assert!(!shop.world.path("tools/solc").exists());
    // What that npm installs is no compiler, which is found out before the hunt.
    let ran = hunt(&[]).expect(3);
    ran.says("installing solc@0.8.2 with npm: solc@0.8.2").says("installed solc@0.8.2");
    assert_eq!(shop.installs(), 1);
}

#[test]
fn what_cannot_be_installed_is_said_with_what_to_do() {
    let shop = Shop::new();
    shop.run(&["add", "solcc@1"]).expect(2).says("no family `solcc`").says("solc, resolc");
    shop.run(&["add", "solc@^0.8"]).expect(2).says("not one exact version").says("available solc");
    shop.run(&["add", "solc@0.8.5"]).expect(2).says("has no solc@0.8.5").says("0.8.2, 0.8.7");
    let offline = shop.run(&["--offline", "add", "solc@0.8.2"]).expect(3);
    offline.says("solc@0.8.2 is not installed").says("mistrust toolchain add solc@0.8.2");
    // Without a network nobody is asked for the newest either.
    shop.world.write("deaf", "");
    shop.run(&["--offline", "add", "solc"]).expect(3).says("nothing may be installed (--offline)");
    shop.world.write("deaf", "");
    shop.run(&["add", "solc@0.8.2"]).expect(3).says("registry of npm").says("ENOTFOUND");
    shop.run(&["available", "solc"]).expect(3).says("not in reach");
    std::fs::remove_file(shop.world.path("bin/npm")).unwrap();
    shop.run(&["add", "solc@0.8.2"]).expect(3).says("solc needs npm").says("Node.js");
    shop.run(&["add", "vyper@0.4.3"]).expect(3).says("vyper needs python3");
    shop.run(&["add", "gcc@12"]).expect(3).says("gcc needs apt-get");
    assert!(!shop.world.path("tools/solc").exists());
    assert_eq!(shop.workshop(), 0);
    let mut doctor = shop.world.command(&["doctor"]);
    let ran = Ran::of(&doctor.env("PATH", shop.world.path("bin")).output().unwrap()).expect(0);
    ran.says("--  solc").says("install npm, which comes with Node.js");
}
