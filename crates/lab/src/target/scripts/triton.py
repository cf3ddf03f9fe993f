# Optimises a module with the LLVM inside of Triton, which has assertions. Called like `opt`:
# -passes='default<O3>' -S IN -o OUT, or --version.
import mmap
import re
import sys

from triton._C.libtriton import ir, llvm

DEFINITION = re.compile(r'^define .*?(@(?:"[^"]*"|[-\w$.]+))\(', re.M)
LINKAGE = re.compile(
    r"^define (?:(?:private|internal|available_externally|linkonce|weak|linkonce_odr|weak_odr"
    r"|hidden|protected|dllexport|dllimport|dso_local) )+",
    re.M,
)


def version():
    import triton
    import triton._C.libtriton as library

    with open(library.__file__, "rb") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found, at = None, content.find(b"LLVM version ")
            while at >= 0 and not found:
                found = re.match(rb"LLVM version (\d+\.\d+\.\d+\w*)", content[at : at + 64])
                at = content.find(b"LLVM version ", at + 1)
    number = found.group(1).decode() if found else "unknown"
    print(f"Triton {triton.__version__}, LLVM version {number}")


def optimise(source, output, passes):
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
    optimise(words[words.index("-S") + 1], words[words.index("-o") + 1], passes)


main(sys.argv[1:])
