# Runs before the script of a host whose coverage is measured. Defines `measured`, with which the script answers its
# requests. A request is {"known": [BLOCK...], "request": REQUEST}, an answer {"blocks": [BLOCK...], "answer": ANSWER}: the
# lines of the package that this request reached and that were not known before or with it. A line is numbered as if all
# files of the package, whose lengths MISTRUST_COVERAGE has, were one.
import json, os, sys

_told = json.loads(os.environ["MISTRUST_COVERAGE"])
_first, _next = {}, 0
for _name, _lines in _told["files"]:
    _first[os.path.join(_told["folder"], _name)] = _next
    _next += _lines + 1
_known, _reached = bytearray(_next), set()
_is_stale = _is_warm = False
_monitoring = sys.monitoring
_DISABLE, _TOOL = _monitoring.DISABLE, _monitoring.COVERAGE_ID


# Each line is reported once and then runs at full speed.
def _on_line(code, line, first=_first.get, known=_known, add=_reached.add, disable=_DISABLE):
    begin = first(code.co_filename)
    if begin is not None and not known[begin + line]:
        add(begin + line)
    return disable


def measured(line, warm, answer):
    global _is_stale, _is_warm
    told = json.loads(line)
    for block in told["known"]:
        _known[block] = 1
    if not _is_warm:
        # What is initialised once belongs to no request.
        warm()
        _monitoring.use_tool_id(_TOOL, "mistrust")
        _monitoring.register_callback(_TOOL, _monitoring.events.LINE, _on_line)
        _monitoring.set_events(_TOOL, _monitoring.events.LINE)
        _is_warm = True
    elif any(not _known[block] for block in _reached):
        # The last request reached lines that are still not known, so they have to be reported again.
        _monitoring.restart_events()
    _reached.clear()
    answered = answer(told["request"])
    return {"blocks": sorted(_reached), "answer": answered}
