# Lists the Python files of a package: `python -c SCRIPT PACKAGE`. Prints {"folder": PATH, "files": [[NAME, LINES]...],
# "lines": N, "digest": TEXT}, where N counts the lines that have code, or {"why": TEXT} if its coverage cannot be measured.
import hashlib, importlib.util, json, os, sys


def lines(code):
    found = {line for _, _, line in code.co_lines() if line}
    for constant in code.co_consts:
        if hasattr(constant, "co_lines"):
            found |= lines(constant)
    return found


def survey(package):
    if not hasattr(sys, "monitoring"):
        return {"why": f"Python {sys.version.split()[0]} is too old: it needs 3.12 or newer"}
    folder = os.path.dirname(importlib.util.find_spec(package).origin)
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".py")]
    files, count, digest = [], 0, hashlib.sha256(sys.version.encode())
    for path in sorted(found):
        with open(path, "rb") as file:
            text = file.read()
        name = os.path.relpath(path, folder)
        digest.update(name.encode() + b"\0" + text)
        files.append([name, text.count(b"\n") + 1])
        count += len(lines(compile(text, path, "exec")))
    return {"folder": folder, "files": files, "lines": count, "digest": digest.hexdigest()}


print(json.dumps(survey(sys.argv[1])))
