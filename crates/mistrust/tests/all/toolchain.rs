//! Tests of `mistrust toolchain` with a fake npm, which is controlled by files in the test's folder. Real packages are
//! tested in `lab`.

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use crate::world::{Ran, World};

/// The fake npm. It has four versions of solc. Files control it: `content` is what it installs, `deaf` means that the
/// registry is unreachable, `slow` that it pauses until the file is removed. Each installation adds a line to `log`.
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

/// A world whose `PATH` has the fake npm, with a folder for toolchains.
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

    /// Starts an installation that pauses half-way.
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
    // Without a version, the newest is installed; an installed version is not installed again.
    shop.run(&["add", "solc", "solc@0.8.2"]).expect(0).says("solc@0.8.10 is in");
    assert_eq!(shop.installs(), 3);
    shop.run(&["available", "solc"]).expect(0).says("0.8.1\n0.8.2\n0.8.7\n0.8.10\n");
    shop.run(&["list", "--verify"]).expect(0).says("solc@0.8.10").says("intact");
    shop.world.write("tools/solc/0.8.2/node_modules/solc/soljson.js", "another compiler");
    shop.run(&["list", "--verify"]).expect(3).says("changed since it was installed");
    let mut hunt = shop.world.command(&["hunt", "solc@0.8.2", "--offline", "--cases", "1"]);
    hunt.env("MISTRUST_TOOLCHAINS", shop.world.path("tools"));
    let ran = Ran::of(&hunt.output().unwrap()).expect(3);
    ran.says("the files of solc@0.8.2 have changed since it was installed");
    shop.run(&["remove", "solc@0.8.2"]).expect(0).says("removed solc@0.8.2");
    shop.run(&["remove", "solc@0.8.2"]).expect(2).says("not installed");
    shop.run(&["remove", "solc"]).expect(2).says("has no version");
    assert!(!shop.world.path("tools/solc/0.8.2").exists());
    assert_eq!(shop.workshop(), 0);
}

#[test]
fn different_files_for_the_same_version_are_rejected_unless_forgotten() {
    let shop = Shop::new();
    shop.run(&["add", "solc@0.8.2"]).expect(0);
    shop.run(&["remove", "solc@0.8.2"]).expect(0);
    shop.world.write("content", "a Trojan horse");
    let ran = shop.run(&["add", "solc@0.8.2"]).expect(3);
    ran.says("solc@0.8.2 is not what it was").says("--forget");
    assert!(!shop.world.path("tools/solc/0.8.2").exists());
    // If a dependency has another version, different files are accepted and reported.
    shop.world.write("moved", "1.0.1");
    let ran = shop.run(&["add", "solc@0.8.2"]).expect(0);
    ran.says("-tmp@1.0.0, +tmp@1.0.1");
    shop.run(&["remove", "--forget", "solc@0.8.2"]).expect(0);
    shop.world.write("content", "a compiler");
    shop.run(&["add", "solc@0.8.2"]).expect(0);
}

#[test]
fn a_killed_installation_leaves_nothing_installed_and_the_next_one_cleans_up() {
    let shop = Shop::new();
    let mut child = shop.stopped_half_way();
    child.kill().unwrap();
    child.wait().unwrap();
    shop.run(&["list"]).expect(0).says("nothing is installed");
    assert!(!shop.world.path("tools/solc").exists());
    assert_eq!(shop.workshop(), 1, "the incomplete installation");
    // npm was killed together with mistrust; its `sleep` ends by itself.
    shop.world.wait_for("the end of what npm started", World::is_quiet);
    std::fs::remove_file(shop.world.path("slow")).unwrap();
    // A folder without a manifest is not a compiler, and is replaced.
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
    // Both create their scratch directory before they wait.
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
fn a_hunt_installs_a_missing_target_with_a_notice_unless_offline() {
    let shop = Shop::new();
    let hunt = |arguments: &[&str]| {
        let mut command = shop.world.command(&["hunt", "solc@0.8.2", "--cases", "1"]);
        command.args(arguments).env("PATH", shop.world.path("bin"));
        Ran::of(&command.env("MISTRUST_TOOLCHAINS", shop.world.path("tools")).output().unwrap())
    };
    hunt(&["--offline"]).expect(3).says("solc@0.8.2 is not installed");
    assert!(!shop.world.path("tools/solc").exists());
    // The fake npm installs no compiler, which is detected before the hunt.
    let ran = hunt(&[]).expect(3);
    ran.says("installing solc@0.8.2 with npm: solc@0.8.2").says("installed solc@0.8.2");
    assert_eq!(shop.installs(), 1);
}

#[test]
fn a_failed_installation_is_reported_with_a_remedy() {
    let shop = Shop::new();
    shop.run(&["add", "solcc@1"]).expect(2).says("no family `solcc`").says("solc, resolc");
    shop.run(&["add", "solc@^0.8"]).expect(2).says("not one exact version").says("available solc");
    shop.run(&["add", "solc@0.8.5"]).expect(2).says("has no solc@0.8.5").says("0.8.2, 0.8.7");
    let offline = shop.run(&["--offline", "add", "solc@0.8.2"]).expect(3);
    offline.says("solc@0.8.2 is not installed").says("mistrust toolchain add solc@0.8.2");
    // Offline, the registry is not asked for the newest version either.
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
