# Holds Vyper as PyPI has it. A line in is {"source": TEXT, "settings": {"optimize": "none" | "gas" | "codesize",
# "venom": BOOL, "evm": NAME or null, "without": [NAMES of passes of Venom]}, "hasty": BOOL}; a line out has the code and the
# methods, or what was raised: the name of its class, those of its bases, and the message.
import contextlib, functools, gc, inspect, json, sys, traceback, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(15000)
out, sys.stdout = sys.stdout, sys.stderr
from vyper import ast, venom
from vyper.compiler import compile_code, phases
from vyper.compiler.settings import OptimizationLevel, Settings
from vyper.ir import optimizer
from vyper.semantics.analysis import utils

# The old code generator's optimiser goes through a tree again for every node above one that it has changed, and
# finds nothing: half of all the time, at its levels. A node that it gave back as it was, it gives back again:
# what it does hangs on the value and the arguments of a node and on the value of the one above, and until the
# tree becomes assembly, which is after the last of this, nobody assigns to those. So it is not asked again.
plain, as_it_was = optimizer._optimize, {}


def remembering(node, parent):
    key = id(node), None if parent is None else parent.value
    if key in as_it_was:
        return False, node
    changed, made = plain(node, parent)
    if made is node and not changed:
        # The node is kept, lest another one gets its number.
        as_it_was[key] = node
    return changed, made


fits = list(inspect.signature(plain).parameters) == ["node", "parent"]

# Which types an integer in decimal digits may have is asked again and again, and each time it is compared with the
# bounds of all of them: that is a quarter of the analysis. The answer hangs on nothing but its value.
all_types, types_of = utils._ExprAnalyser.types_from_Constant, {}


def types_from_constant(self, node):
    if type(node) is not ast.Int:
        return all_types(self, node)
    if node.value not in types_of:
        types_of[node.value] = all_types(self, node)
    return list(types_of[node.value])


# What a source means is the same under all settings for one version of the EVM, and to find it out is nearly half of
# the work. So a source that comes again has it from the time before; what the code generator noted there is taken out.
begin, meaning = phases.CompilerData.__init__, ["vyper_module", "_resolve_imports", "_annotate", "compilation_target", "storage_layout"]
before = {"key": None, "data": None}


def begin_again(self, *args, **named):
    begin(self, *args, **named)
    known = vars(before["data"]) if before["data"] else {}
    before["data"] = self
    if "storage_layout" in known:
        vars(self).update({name: known[name] for name in meaning if name in known})
        for function in self.annotated_vyper_module.get_children(ast.FunctionDef):
            function._metadata["func_type"]._ir_info = None


# These spare half of the time of many functions at once. What one function does alone is asked of the compiler as it
# is: whatever was seen in haste is seen again so, or it is no finding.
def haste(hasty, key):
    optimizer._optimize = remembering if hasty and fits else plain
    utils._ExprAnalyser.types_from_Constant = types_from_constant if hasty else all_types
    phases.CompilerData.__init__ = begin_again if hasty else begin
    if not hasty or before["key"] != key:
        before.update(key=key, data=None)


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
    haste(request["hasty"], (request["source"], wanted.get("evm")))
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


# What compilations leave is collected now and then: to look for it all the time is a sixth of what they take. Caches
# of Vyper's hold whole modules, which would be looked through each time; and a compiler that has just been started
# has them empty.
caches = [it for it in gc.get_objects() if isinstance(it, functools._lru_cache_wrapper)]
caches = [it for it in caches if str(it.__module__).startswith("vyper.")]
gc.collect()
gc.freeze()
gc.disable()
for number, line in enumerate(sys.stdin, 1):
    out.write(json.dumps(answer(json.loads(line))) + "\n")
    out.flush()
    as_it_was.clear()
    types_of.clear()
    for cache in caches:
        cache.cache_clear()
    if number % 8 == 0:
        gc.collect()
