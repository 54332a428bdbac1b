import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import type { Admitted, Refusal } from "../../../xds/admission.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { BadNode, readNode } from "../node.ts";
import { authorizeNode } from "./authorize-node.ts";

/** The rules that admit or reject a stream. */
export interface AdmissionRules {
  /** Whether there is something to serve. */
  readonly ready: boolean;
  /** Whether the node of an authenticated client must match its identity. */
  readonly identityCheck: boolean;
  /** The largest node that is decoded. */
  readonly maxNodeBytes: number;
}

/** Accepts a stream once there is something to serve. The node of a client must match its identity, if it has one. */
export function admit({ identities }: Peer, rules: AdmissionRules): Admitted<Proxy> | Refusal {
  const { ready, identityCheck, maxNodeBytes } = rules;
  if (!ready) return refused(GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
  // Without identities the server required no authentication.
  const check = identityCheck ? identities : undefined;
  return {
    type: "admitted",
    introduce: (node) => tooLarge(node, maxNodeBytes) ?? introduce(node, check),
  };
}

/** Decoding needs much more memory than the bytes, so the limit comes first. */
function tooLarge(node: Uint8Array | undefined, maxNodeBytes: number): Refusal | undefined {
  if (node === undefined || node.length <= maxNodeBytes) return undefined;
  const message = `a node of ${node.length} bytes is larger than the limit of ${maxNodeBytes} bytes (--max-node-bytes)`;
  return refused(GrpcStatus.RESOURCE_EXHAUSTED, message);
}

function introduce(
  node: Uint8Array | undefined,
  identities: readonly string[] | undefined,
): ReturnType<Admitted<Proxy>["introduce"]> {
  const proxy = proxyOf(node);
  if (proxy instanceof BadNode) return refused(GrpcStatus.INVALID_ARGUMENT, proxy.message);
  if (identities === undefined) return { type: "client", client: proxy };
  const authorization = authorizeNode(proxy, identities);
  if (authorization.type === "denied") return refused(GrpcStatus.PERMISSION_DENIED, authorization.message);
  return { type: "client", client: { ...proxy, identity: authorization.identity } };
}

function proxyOf(node: Uint8Array | undefined): Proxy | BadNode {
  try {
    return readNode(node);
  } catch (thrown) {
    if (thrown instanceof BadNode) return thrown;
    throw thrown;
  }
}

function refused(status: GrpcStatus, message: string): Refusal {
  return { type: "refused", status, message };
}
