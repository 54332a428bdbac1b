import { GrpcStatus } from "../../lib/grpc-stream.ts";
import type { Admitted, Refusal } from "../../xds/admission.ts";
import type { Proxy } from "../model/proxy.ts";
import { BadNode, readNode } from "./node.ts";

/** Lets every stream in, once there is something to serve; a client is who its node says it is. */
export function admitWhen(ready: boolean): Admitted<Proxy> | Refusal {
  if (ready) return { type: "admitted", introduce };
  return { type: "refused", status: GrpcStatus.UNAVAILABLE, message: "not ready: sources are not synced yet" };
}

const introduce: Admitted<Proxy>["introduce"] = (node) => {
  try {
    return { type: "client", client: readNode(node) };
  } catch (thrown) {
    if (!(thrown instanceof BadNode)) throw thrown;
    return { type: "refused", status: GrpcStatus.INVALID_ARGUMENT, message: thrown.message };
  }
};
