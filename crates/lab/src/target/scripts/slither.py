# Serves slither from PyPI: `python -c SCRIPT FOLDER SCRIPT_OF_SOLC`, where FOLDER has solc from npm and the second script
# serves it. A request is a line {"source": TEXT}; the answer is a line with the answers of all detectors, {"facts":
# {STATEMENT: BOOL}}, or with the exception, or {"rejected": MESSAGE} if solc does not accept the source.
import gc, hashlib, inspect, json, logging, os, re, subprocess, sys, traceback

out, sys.stdout = sys.stdout, sys.stderr
sys.setrecursionlimit(15000)
from crytic_compile.compiler.compiler import CompilerVersion
from crytic_compile.platform import solc as platform
from slither import Slither
from slither.detectors import all_detectors
from slither.detectors.abstract_detector import AbstractDetector

logging.disable(logging.CRITICAL)
FILE = "case.sol"
EMPTY = {"bin": "", "bin-runtime": "", "srcmap": "", "srcmap-runtime": ""}


class Rejected(Exception):
    pass


# The files of a source: a line "==== Source: NAME ====" starts one. The last one imports the others.
def files(source):
    found = {}
    for line in source.splitlines(keepends=True):
        start = re.fullmatch(r"==== Source: (.*) ====", line.strip())
        if start:
            name = start[1]
            found[name] = ""
        elif found:
            found[name] += line
        elif line.strip():
            name, found = FILE, {FILE: line}
    return found


def serve():
    folder, script = sys.argv[1:3]
    with open(os.path.join(folder, "node_modules", "solc", "package.json")) as package:
        version = json.load(package)["version"].split("-")[0]
    child = subprocess.Popen(["node", "-e", script, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return version, child


version, child = serve()
# The files of the current request.
current = {}


def compiled(sources):
    selection = {"*": {"": ["ast"], "*": ["abi", "userdoc", "devdoc"]}}
    sources = {name: {"content": text} for name, text in sources.items()}
    request = {"language": "Solidity", "sources": sources, "settings": {"outputSelection": selection}}
    child.stdin.write(json.dumps(request) + "\n")
    child.stdin.flush()
    answer = json.loads(child.stdout.readline())
    errors = [it["message"] for it in answer.get("errors", []) if it["severity"] == "error"]
    if errors or "threw" in answer:
        raise Rejected((errors or [answer["threw"]])[0])
    return answer


# What `solc --combined-json` prints. Slither uses neither code nor source maps of code.
def run_solc(compilation_unit, *_, **__):
    compilation_unit.compiler_version = CompilerVersion(compiler="solc", version=version, optimized=False)
    answer = compiled(current)
    contracts = {
        f"{file}:{name}": {**EMPTY, "abi": it["abi"], "userdoc": it["userdoc"], "devdoc": it["devdoc"]}
        for file, found in answer.get("contracts", {}).items()
        for name, it in found.items()
    }
    sources = {file: {"AST": it["ast"]} for file, it in answer["sources"].items()}
    return {"contracts": contracts, "sources": sources, "sourceList": list(sources)}


platform._run_solc = run_solc
platform.get_version = lambda *_, **__: version
found = [getattr(all_detectors, name) for name in sorted(dir(all_detectors))]
DETECTORS = [it for it in found if inspect.isclass(it) and issubclass(it, AbstractDetector) and it is not AbstractDetector]


def facts(results):
    descriptions = {}
    for result in (it for of_detector in results for it in of_detector or []):
        lines = sorted(result["description"].splitlines())
        descriptions.setdefault(result["check"], []).append("\n".join(lines))
    known = {f"{it.ARGUMENT} reports something": it.ARGUMENT in descriptions for it in DETECTORS}
    for check, texts in descriptions.items():
        digest = hashlib.sha256("\n".join(sorted(texts)).encode()).digest()[0]
        for bit in range(8):
            known[f"{check} reports results whose digest has bit {bit}"] = bool(digest >> bit & 1)
    return known


def answer(request):
    current.clear()
    current.update(files(request["source"]))
    for name, text in current.items():
        with open(name, "w") as file:
            file.write(text)
    try:
        slither = Slither(list(current)[-1], solc="solc", disable_color=True)
        for detector in DETECTORS:
            slither.register_detector(detector)
        return {"facts": facts(slither.run_detectors())}
    except Rejected as error:
        return {"rejected": str(error)}
    except BaseException as error:
        if isinstance(error.__context__, Rejected):
            return {"rejected": str(error.__context__)}
        frames = traceback.extract_tb(error.__traceback__)
        names = [f"{at.name} in {at.filename.rsplit('/', 1)[-1]}" for at in frames]
        return {"raised": type(error).__name__, "message": str(error), "frames": names[::-1][:8]}


for number, line in enumerate(sys.stdin, 1):
    out.write(json.dumps(answer(json.loads(line))) + "\n")
    out.flush()
    if number % 16 == 0:
        gc.collect()
