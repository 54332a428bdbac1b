"""RE2 itself: reads expressions, one JSON text per line, and answers each with a line.

The answer is {"size": ..., "groups": ...} with the size of the program, or {"error": ...}. An expression is compiled for
UTF-8 and for Latin-1, as older and newer Envoys do: either may refuse it, and the larger program counts.
"""

import json
import sys

import re2


def options(encoding):
    chosen = re2.Options()
    chosen.log_errors = False
    chosen.encoding = encoding
    return chosen


encodings = [options(re2.Options.Encoding.UTF8), options(re2.Options.Encoding.LATIN1)]

for line in sys.stdin:
    try:
        pattern = json.loads(line).encode()
        both = [re2.compile(pattern, chosen) for chosen in encodings]
        answer = {"size": max(each.programsize for each in both), "groups": both[0].groups}
    except re2.error as refused:
        reason = refused.args[0]
        answer = {"error": reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)}
    sys.stdout.write(json.dumps(answer) + "\n")
