# Holds Vyper as PyPI has it. A line in is {"source": TEXT, "settings": {"optimize": "none" | "gas" | "codesize",
# "venom": BOOL, "evm": NAME or null, "without": [NAMES of passes of Venom]}}; a line out has the code and the
# methods, or what was raised: the name of its class, those of its bases, and the message.
import contextlib, gc, json, sys, traceback, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(10000)
out, sys.stdout = sys.stdout, sys.stderr
from vyper import venom
from vyper.compiler import compile_code
from vyper.compiler.settings import OptimizationLevel, Settings


@contextlib.contextmanager
def without(names):
    classes = [(found, found.run_pass) for name in names if (found := getattr(venom, name, None))]
    try:
        for found, _ in classes:
            found.run_pass = lambda *_, **__: None
        yield
    finally:
        for found, run_pass in classes:
            found.run_pass = run_pass


def answer(request):
    wanted = request["settings"]
    settings = Settings(optimize=OptimizationLevel.from_string(wanted["optimize"]))
    settings.experimental_codegen = wanted["venom"]
    if wanted.get("evm"):
        settings.evm_version = wanted["evm"]
    formats = ["bytecode", "method_identifiers"]
    try:
        with without(wanted.get("without", [])):
            made = compile_code(request["source"], output_formats=formats, settings=settings)
        return {"code": made["bytecode"], "methods": made["method_identifiers"]}
    except BaseException as error:
        frames = [f"{at.name} in {at.filename.rsplit('/', 1)[-1]}" for at in traceback.extract_tb(error.__traceback__)]
        bases = [base.__name__ for base in type(error).__mro__]
        return {"raised": type(error).__name__, "bases": bases, "message": str(error), "frames": frames[::-1][:8]}


# What a compilation leaves is collected after it: to look for it all the time is a sixth of what that takes.
gc.collect()
gc.freeze()
gc.disable()
for line in sys.stdin:
    out.write(json.dumps(answer(json.loads(line))) + "\n")
    out.flush()
    gc.collect()
