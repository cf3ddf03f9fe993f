# Optimises a module with the LLVM inside of PyPI's triton, which has assertions. Called like `opt`:
# -passes=PIPELINE [-opt-bisect-limit=N] -S IN -o OUT, or --version.
#
# Triton itself offers one pipeline only, so LLVM's own functions are called where its library exports them. Their names
# are those of C++, and objects are created in memory of zeros that is larger than they are.
import ctypes
import importlib.util
import mmap
import os
import re
import sys
import sysconfig

LOOPS = "NS_15AnalysisManagerINS_4LoopEJRNS_27LoopStandardAnalysisResultsEEEE"
FUNCTIONS = "NS_15AnalysisManagerINS_8FunctionEJEEE"
CYCLES = "NS_15AnalysisManagerINS_13LazyCallGraph3SCCEJRS2_EEE"
MODULES = "NS_15AnalysisManagerINS_6ModuleEJEEE"
BUILDER = "_ZN4llvm11PassBuilder"
STANDARD = "_ZN4llvm24StandardInstrumentations"
REGISTER = "17registerCallbacksERNS_28PassInstrumentationCallbacksEPNS_15AnalysisManagerINS_6ModuleEJEEE"
# Since 20, the builder also gets a file system.
CONSTRUCTORS = [
    BUILDER
    + "C1EPNS_13TargetMachineENS_21PipelineTuningOptionsESt8optionalINS_10PGOOptionsEE"
    + "PNS_28PassInstrumentationCallbacksE"
    + files
    for files in ["NS_18IntrusiveRefCntPtrINS_3vfs10FileSystemEEE", ""]
]
# Since 19, the last argument may be machine functions.
PROXIES = [
    BUILDER
    + "20crossRegisterProxiesERNS_15AnalysisManagerINS_4LoopEJRNS_27LoopStandardAnalysisResultsEEEE"
    + "RNS1_INS_8FunctionEJEEERNS1_INS_13LazyCallGraph3SCCEJRSA_EEERNS1_INS_6ModuleEJEEE"
    + machines
    for machines in ["PNS1_INS_15MachineFunctionEJEEE", ""]
]


# Passes that need a machine to compile for. There is none.
FOR_A_MACHINE = (
    "atomic-expand|callbr-prepare|codegenprepare|complex-deinterleaving|dwarf-eh-prepare|expand-fp|expand-ir-insts"
    "|expand-large-div-rem|expand-large-fp-convert|expand-reductions|gc-lowering|indirectbr-expand|interleaved-access"
    "|interleaved-load-combine|safe-stack|select-optimize|sjlj-eh-prepare|stack-protector|type-promotion"
    "|wasm-eh-prepare|win-eh-prepare"
)

DEFINITION = re.compile(r'^define .*?(@(?:"[^"]*"|[-\w$.]+))\(', re.M)
LINKAGE = re.compile(
    r"^define (?:(?:private|internal|available_externally|linkonce|weak|linkonce_odr|weak_odr"
    r"|hidden|protected|dllexport|dllimport|dso_local) )+",
    re.M,
)


class Options(ctypes.Structure):
    """Passed by value, on the stack: more than the constructor reads."""

    _fields_ = [("words", ctypes.c_uint64 * 64)]


def library():
    return os.path.join(sysconfig.get_path("platlib"), "triton", "_C", "libtriton.so")


def version():
    with open(library(), "rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found, at = None, content.find(b"LLVM version ")
            while at >= 0 and not found:
                found = re.match(rb"LLVM version (\d+\.\d+\.\d+\w*)", content[at : at + 64])
                at = content.find(b"LLVM version ", at + 1)
    number = found.group(1).decode() if found else "unknown"
    print(f"Triton, LLVM version {number}")


class LLVM:
    def __init__(self):
        self.library = ctypes.CDLL(library(), mode=ctypes.RTLD_GLOBAL)
        self.kept = []

    def call(self, names, *arguments):
        """Calls the function that has one of the names."""
        for name in [names] if isinstance(names, str) else names:
            function = getattr(self.library, name, None)
            if function is not None:
                function.restype = ctypes.c_uint64
                return function(*arguments)
        sys.exit(f"error: unknown symbol {names}: this version of Triton does not export it")

    def zeros(self):
        memory = ctypes.create_string_buffer(1 << 16)
        self.kept.append(memory)
        return ctypes.c_void_p(ctypes.addressof(memory))

    def text(self, content):
        """The two words of a StringRef."""
        content = content.encode() if isinstance(content, str) else content
        self.kept.append(content)
        return ctypes.c_char_p(content), ctypes.c_size_t(len(content))

    def module(self, path):
        with open(path, "rb") as file:
            content = file.read()
        self.context = self.zeros()
        self.call("_ZN4llvm11LLVMContextC1Ev", self.context)
        buffer, module, message = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_char_p()
        name = os.path.basename(path)
        get = "_ZN4llvm12MemoryBuffer12getMemBufferENS_9StringRefES1_b"
        self.call(get, ctypes.byref(buffer), *self.text(content), *self.text(name), True)
        parsed = ctypes.byref(module), ctypes.byref(message)
        if self.call("LLVMParseIRInContext", self.context, buffer, *parsed) & 0xFFFFFFFF:
            said = (message.value or b"").decode(errors="replace")
            sys.exit(f"opt: {said}")
        return module

    def is_exported(self):
        return hasattr(self.library, "_ZN4llvm11LLVMContextC1Ev")

    def optimise(self, source, output, passes, options):
        module = self.module(source)
        if not self.is_valid(module):
            sys.exit(f"opt: {source}: error: input module is broken!")
        self.run(module, passes, options)
        if not self.is_valid(module):
            sys.stderr.write("LLVM ERROR: Broken module found, compilation aborted!\n")
            sys.stderr.flush()
            os.abort()
        self.print(module, output)
        sys.stderr.flush()
        # Nothing is destroyed: the objects are in memory of Python.
        os._exit(0)

    def is_valid(self, module):
        errors = self.zeros()
        stream = "_ZN4llvm14raw_fd_ostreamC1EibbNS_11raw_ostream11OStreamKindE"
        self.call(stream, errors, 2, False, True, 0)
        verify = "_ZN4llvm12verifyModuleERKNS_6ModuleEPNS_11raw_ostreamEPb"
        return not self.call(verify, module, errors, None) & 1

    def run(self, module, passes, words):
        # The stack dump of a failed assertion names the pass and the function.
        self.call("_ZN4llvm3sys28PrintStackTraceOnErrorSignalENS_9StringRefEb", *self.text("opt"), False)
        self.call("LLVMEnablePrettyStackTrace")
        options, builder = Options(), self.zeros()
        self.call("_ZN4llvm21PipelineTuningOptionsC1Ev", ctypes.byref(options))
        loops, functions, cycles, modules = [self.zeros() for _ in range(4)]
        callbacks, standard = self.zeros(), self.zeros()
        if words:
            # Options about passes are read by LLVM's standard instrumentations.
            line = (ctypes.c_char_p * (len(words) + 1))(b"opt", *[word.encode() for word in words])
            self.call("LLVMParseCommandLineOptions", len(line), line, None)
            self.call(STANDARD + "C1ERNS_11LLVMContextEbbNS_16PrintPassOptionsE", standard, self.context, False, False, 0)
            self.call(STANDARD + REGISTER, standard, callbacks, modules)
        self.call(CONSTRUCTORS, builder, None, options, self.zeros(), callbacks, self.zeros())
        for number, kind, manager in [
            ("22registerModule", MODULES, modules),
            ("21registerCGSCC", CYCLES, cycles),
            ("24registerFunction", FUNCTIONS, functions),
            ("20registerLoop", LOOPS, loops),
        ]:
            self.call(f"{BUILDER}{number}AnalysesER{kind}", builder, manager)
        self.call(PROXIES, builder, loops, functions, cycles, modules, None)
        pipeline, failure = self.zeros(), ctypes.c_uint64()
        parse = "17parsePassPipelineERNS_11PassManagerINS_6ModuleENS_15AnalysisManagerIS2_JEEEJEEENS_9StringRefE"
        self.call(BUILDER + parse, ctypes.byref(failure), builder, pipeline, *self.text(passes))
        if failure.value & ~1:
            said = self.call("LLVMGetErrorMessage", ctypes.c_void_p(failure.value & ~1))
            sys.exit(f"opt: {ctypes.string_at(said).decode()}")
        run = "_ZN4llvm11PassManagerINS_6ModuleENS_15AnalysisManagerIS1_JEEEJEE3runERS1_RS3_"
        self.call(run, self.zeros(), pipeline, module, modules)

    def print(self, module, path):
        file, stream = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), self.zeros()
        start = "_ZN4llvm14raw_fd_ostreamC1EibbNS_11raw_ostream11OStreamKindE"
        self.call(start, stream, file, True, False, 0)
        self.call("_ZNK4llvm6Module5printERNS_11raw_ostreamEPNS_24AssemblyAnnotationWriterEbb", module, stream, None, False, False)
        self.call("_ZN4llvm14raw_fd_ostreamD1Ev", stream)


class Triton:
    """The same through the interface that Triton has for itself: one pipeline, no stack dump."""

    def run(self, source, output, passes):
        if passes not in ("verify", "default<O3>"):
            sys.exit(f"opt: unknown pass name '{passes}': this version of Triton offers default<O3> only")
        # The package around it needs others, depending on its version.
        spec = importlib.util.spec_from_file_location("libtriton", library())
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        ir, llvm = loaded.ir, loaded.llvm
        with open(source) as file:
            text = LINKAGE.sub("define ", file.read())
        # Only what is used is linked.
        names = DEFINITION.findall(text)
        used = ", ".join("ptr " + name for name in names)
        text += f'\n@llvm.used = appending global [{len(names)} x ptr] [{used}], section "llvm.metadata"\n'
        linked = output + ".linked.ll"
        with open(linked, "w") as file:
            file.write(text)
        llvm.init_targets()
        context = ir.context()
        ir.load_dialects(context)
        module = llvm.to_module(ir.builder(context).create_module(), llvm.context())
        llvm.link_extern_libs(module, [linked])
        if passes == "default<O3>":
            llvm.optimize_module(module, llvm.OPTIMIZE_O3)
        with open(output, "w") as file:
            file.write(str(module))


def main(words):
    if "--version" in words:
        version()
        return
    passes = next(word.split("=", 1)[1] for word in words if word.startswith("-passes="))
    source, output = words[words.index("-S") + 1], words[words.index("-o") + 1]
    missing = re.search(rf"(?<![\w-])({FOR_A_MACHINE})(?![\w-])", passes)
    if missing:
        sys.exit(f"opt: unknown pass name '{missing.group()}': it needs a machine")
    llvm = LLVM()
    if llvm.is_exported():
        llvm.optimise(source, output, passes, [word for word in words if word.startswith("-opt-bisect-limit")])
    else:
        Triton().run(source, output, passes)


main(sys.argv[1:])
