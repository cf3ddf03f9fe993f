# Serves Vyper from PyPI. A request is a line {"source": TEXT, "settings": {"optimize": "none" | "gas" | "codesize",
# "venom": BOOL, "evm": NAME or null, "without": [NAMES of Venom passes]}, "memoised": BOOL}; the answer is a line with
# the code and the method ids, or with the exception: its class, its base classes and the message.
import contextlib, functools, gc, inspect, json, sys, traceback, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(15000)
out, sys.stdout = sys.stdout, sys.stderr
from vyper import ast
from vyper.compiler import compile_code, phases

try:
    from vyper import venom
    from vyper.ir import optimizer
    from vyper.semantics.analysis import utils
except ImportError:
    # Before 0.4 there is no Venom, and the rest is in other places. Nothing is reused.
    venom = optimizer = utils = None

# The legacy optimiser visits a subtree again for every changed ancestor, and finds nothing to do: half of the time at
# the optimising levels. Its result depends only on the value and arguments of the node and on the value of the parent,
# and nothing assigns to these before the tree is turned into assembly, after the last optimisation. So a node that was
# returned unchanged is not visited again.
plain, unchanged = optimizer and optimizer._optimize, {}


def memoised_optimize(node, parent):
    key = id(node), None if parent is None else parent.value
    if key in unchanged:
        return False, node
    changed, made = plain(node, parent)
    if made is node and not changed:
        # Keeps the node alive, so that no other node gets its id.
        unchanged[key] = node
    return changed, made


has_known_signature = venom and list(inspect.signature(plain).parameters) == ["node", "parent"]

# The possible types of a decimal literal are computed repeatedly by comparing it with the bounds of all types: a quarter
# of the analysis time. The result depends only on its value.
all_types, types_of = utils and utils._ExprAnalyser.types_from_Constant, {}


def types_from_constant(self, node):
    if type(node) is not ast.Int:
        return all_types(self, node)
    if node.value not in types_of:
        types_of[node.value] = all_types(self, node)
    return list(types_of[node.value])


# The semantic analysis of a source is the same under all settings with the same EVM version, and takes nearly half of
# the time. So it is reused if the same source is requested again, after removing the code generator's annotations.
init, analysis = phases.CompilerData.__init__, ["vyper_module", "_resolve_imports", "_annotate", "compilation_target", "storage_layout"]
before = {"key": None, "data": None}


def memoised_init(self, *args, **named):
    init(self, *args, **named)
    known = vars(before["data"]) if before["data"] else {}
    before["data"] = self
    if "storage_layout" in known:
        vars(self).update({name: known[name] for name in analysis if name in known})
        for function in self.annotated_vyper_module.get_children(ast.FunctionDef):
            function._metadata["func_type"]._ir_info = None


# Memoisation saves half of the time of a batch. A single function is compiled by the unmodified compiler: a failure is a
# finding only if it reproduces there.
def set_memoisation(memoised, key):
    if not venom:
        return
    optimizer._optimize = memoised_optimize if memoised and has_known_signature else plain
    utils._ExprAnalyser.types_from_Constant = types_from_constant if memoised else all_types
    phases.CompilerData.__init__ = memoised_init if memoised else init
    if not memoised or before["key"] != key:
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


def options(wanted):
    evm = {"evm_version": wanted["evm"]} if wanted.get("evm") else {}
    try:
        from vyper.compiler.settings import OptimizationLevel, Settings
    except ImportError:
        # Before 0.3.10. The first versions always optimise.
        can_leave_it = "no_optimize" in inspect.signature(compile_code).parameters
        return {**({"no_optimize": wanted["optimize"] == "none"} if can_leave_it else {}), **evm}

    settings = Settings(optimize=OptimizationLevel.from_string(wanted["optimize"]), **evm)
    settings.experimental_codegen = wanted["venom"]
    return {"settings": settings}


def answer(request):
    wanted = request["settings"]
    set_memoisation(request["memoised"], (request["source"], wanted.get("evm")))
    formats = ["bytecode", "method_identifiers"]
    try:
        with without(wanted.get("without", [])):
            made = compile_code(request["source"], output_formats=formats, **options(wanted))
        return {"code": made["bytecode"], "methods": made["method_identifiers"]}
    except BaseException as error:
        frames = [f"{at.name} in {at.filename.rsplit('/', 1)[-1]}" for at in traceback.extract_tb(error.__traceback__)]
        bases = [base.__name__ for base in type(error).__mro__]
        return {"raised": type(error).__name__, "bases": bases, "message": str(error), "frames": frames[::-1][:8]}


# Imports and tables that are needed for the first time would be counted for one program only.
def warm():
    source = "a: uint256\n@external\ndef f(x: uint256) -> uint256:\n    self.a = x + 1\n    return self.a\n"
    for is_venom in [False, True] if venom else [False]:
        settings = {"optimize": "gas", "venom": is_venom}
        answer({"source": source, "settings": settings, "memoised": False})


# Garbage is collected only after every eighth request: automatic collection takes a sixth of the time. Vyper's caches
# hold whole modules, which every collection would traverse; clearing them also makes each request independent of the
# earlier ones.
caches = [it for it in gc.get_objects() if isinstance(it, functools._lru_cache_wrapper)]
caches = [it for it in caches if str(it.__module__).startswith("vyper.")]
gc.collect()
gc.freeze()
gc.disable()
for number, line in enumerate(sys.stdin, 1):
    # A prelude that measures coverage defines `measured`.
    known = globals().get("measured")
    out.write(json.dumps(known(line, warm, answer) if known else answer(json.loads(line))) + "\n")
    out.flush()
    unchanged.clear()
    types_of.clear()
    for cache in caches:
        cache.cache_clear()
    if number % 8 == 0:
        gc.collect()
