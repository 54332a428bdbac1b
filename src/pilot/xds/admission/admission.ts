import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import type { Admitted, Refusal } from "../../../xds/admission.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { BadNode, readNode } from "../node.ts";
import { authorizeNode } from "./authorize-node.ts";

/** What decides about a stream. */
export interface AdmissionRules {
  /** Whether there is something to serve. */
  readonly ready: boolean;
  /** Whether a client that has proved who it is must be who its node says it is. */
  readonly identityCheck: boolean;
}

/** Lets a stream in once there is something to serve; a client is who its node says it is, as far as it may be. */
export function admit({ identities }: Peer, { ready, identityCheck }: AdmissionRules): Admitted<Proxy> | Refusal {
  if (!ready) return refused(GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
  // Without identities no proof was asked for.
  const check = identityCheck ? identities : undefined;
  return { type: "admitted", introduce: (node) => introduce(node, check) };
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
