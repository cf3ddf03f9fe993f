# Holds Vyper as PyPI has it. A line in is {"source": TEXT, "settings": {"optimize": "none" | "gas" | "codesize",
# "venom": BOOL, "evm": NAME or null}}; a line out has the code and the methods, or what was raised: the name
# of its class, those of its bases, and the message.
import json, sys, traceback, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(10000)
out, sys.stdout = sys.stdout, sys.stderr
from vyper.compiler import compile_code
from vyper.compiler.settings import OptimizationLevel, Settings


def answer(request):
    wanted = request["settings"]
    settings = Settings(optimize=OptimizationLevel.from_string(wanted["optimize"]))
    settings.experimental_codegen = wanted["venom"]
    if wanted.get("evm"):
        settings.evm_version = wanted["evm"]
    formats = ["bytecode", "method_identifiers"]
    try:
        made = compile_code(request["source"], output_formats=formats, settings=settings)
        return {"code": made["bytecode"], "methods": made["method_identifiers"]}
    except BaseException as error:
        frames = [f"{at.name} in {at.filename.rsplit('/', 1)[-1]}" for at in traceback.extract_tb(error.__traceback__)]
        bases = [base.__name__ for base in type(error).__mro__]
        return {"raised": type(error).__name__, "bases": bases, "message": str(error), "frames": frames[::-1][:8]}


for line in sys.stdin:
    out.write(json.dumps(answer(json.loads(line))) + "\n")
    out.flush()
