"""RE2 itself, as Envoy has it: reads expressions, one JSON text per line, and answers each with a line.

The answer is {"size": …, "groups": …} with the size of the program, or {"error": …}.
"""

import json
import sys

import re2

options = re2.Options()
options.log_errors = False

for line in sys.stdin:
    try:
        compiled = re2.compile(json.loads(line), options)
        answer = {"size": compiled.programsize, "groups": compiled.groups}
    except re2.error as refused:
        reason = refused.args[0]
        answer = {"error": reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)}
    sys.stdout.write(json.dumps(answer) + "\n")
