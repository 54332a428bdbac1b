"""gRPC's C core as an xDS client and an xDS server, for the end-to-end tests.

What both say and understand is written down in scripts/peers/protocol.ts; the bootstrap comes from the
environment. Health/Check without a service is an empty message, so no generated code is needed.
"""

import json
import sys
from concurrent import futures

import grpc

CHECK = "/grpc.health.v1.Health/Check"
SERVING = b"\x08\x01"


def main(args):
    if len(args) == 2 and args[0] == "client":
        return client(args[1])
    if len(args) == 3 and args[0] == "server":
        return server(args[1], args[2])
    sys.exit("usage: grpc-python client TARGET | server PORT NAME")


def client(target):
    """Makes the calls it is told to, over one channel, until its input ends."""
    with grpc.insecure_channel(target) as channel:
        check = channel.unary_unary(CHECK)
        for line in sys.stdin:
            told = json.loads(line)
            answers = [call(check, told) for _ in range(told["calls"])]
            print(json.dumps({"id": told["id"], "answers": answers}, separators=(",", ":")), flush=True)


def call(check, told):
    metadata = list(told["headers"].items())
    made = check.future(b"", metadata=metadata, timeout=told["deadlineMs"] / 1000)
    echo = dict(made.initial_metadata()).get("x-echo", "")
    return {"code": made.code().value[0], "echo": echo, "message": made.details()}


def server(port, name):
    """Answers Health/Check once the control plane gave it a listener for its address."""

    def check(_, context):
        context.send_initial_metadata([("x-echo", name)])
        return SERVING

    served = grpc.server(futures.ThreadPoolExecutor(), xds=True)
    handlers = {"Check": grpc.unary_unary_rpc_method_handler(check)}
    served.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("grpc.health.v1.Health", handlers)])
    served.add_insecure_port(f"127.0.0.1:{port}")
    served.start()
    served.wait_for_termination()


main(sys.argv[1:])
