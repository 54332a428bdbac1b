import { GrpcStatus, type Peer } from "../../../lib/grpc/grpc-stream.ts";
import { isLoopbackPeer } from "../../../lib/grpc/peer-host.ts";
import type { Admitted, Refusal } from "../../../xds/admission.ts";
import type { KeyAccess } from "../../model/credential/key-access.ts";
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
  /** Whether a client on this machine gets private keys without TLS and without authentication. */
  readonly plaintextSecrets: boolean;
}

/** Accepts a stream once there is something to serve. The node of a client must match its identity, if it has one. */
export function admit(peer: Peer, rules: AdmissionRules): Admitted<Proxy> | Refusal {
  const { ready, identityCheck, maxNodeBytes } = rules;
  if (!ready) return refused(GrpcStatus.UNAVAILABLE, "not ready: sources are not synced yet");
  // Without identities the server required no authentication.
  const identities = identityCheck ? peer.identities : undefined;
  const keyAccess = keyAccessOf({ ...peer, identities }, rules);
  return {
    type: "admitted",
    introduce: (node) => tooLarge(node, maxNodeBytes) ?? introduce(node, identities, keyAccess),
  };
}

/**
 * Private keys are for proxies that proved who they are, and over TLS only: whoever reads a plaintext connection would
 * own the certificate. A token on a plaintext port is no exception.
 */
function keyAccessOf({ identities, encrypted = false, ...peer }: PeerFacts, rules: AdmissionRules): KeyAccess {
  if (rules.plaintextSecrets && isLoopbackPeer(peer)) return "allowed";
  if (!encrypted) return "not-encrypted";
  return identities === undefined ? "not-authenticated" : "allowed";
}

type PeerFacts = Omit<Peer, "identities"> & { readonly identities: Peer["identities"] | undefined };

/** Decoding needs much more memory than the bytes, so the limit comes first. */
function tooLarge(node: Uint8Array | undefined, maxNodeBytes: number): Refusal | undefined {
  if (node === undefined || node.length <= maxNodeBytes) return undefined;
  const message = `a node of ${node.length} bytes is larger than the limit of ${maxNodeBytes} bytes (--max-node-bytes)`;
  return refused(GrpcStatus.RESOURCE_EXHAUSTED, message);
}

function introduce(
  node: Uint8Array | undefined,
  identities: readonly string[] | undefined,
  keyAccess: KeyAccess,
): ReturnType<Admitted<Proxy>["introduce"]> {
  const proxy = proxyOf(node);
  if (proxy instanceof BadNode) return refused(GrpcStatus.INVALID_ARGUMENT, proxy.message);
  if (identities === undefined) return { type: "client", client: { ...proxy, keyAccess } };
  const authorization = authorizeNode(proxy, identities);
  if (authorization.type === "denied") return refused(GrpcStatus.PERMISSION_DENIED, authorization.message);
  return { type: "client", client: { ...proxy, keyAccess, identity: authorization.identity } };
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
