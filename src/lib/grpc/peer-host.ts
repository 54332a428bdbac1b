import type { Peer } from "./grpc-stream.ts";

/** The host of a peer without the port, because the port changes with every connection. */
function hostOf({ address }: Peer): string {
  return address.slice(0, Math.max(0, address.lastIndexOf(":")));
}

/**
 * Whether per-peer limits apply. They do not apply to processes of this machine: a local proxy may represent many
 * peers, and so may a fleet in a test. A peer that is authenticated or forwards calls is limited anyway.
 */
export function isLimited(peer: Peer): boolean {
  return !isLoopbackPeer(peer) || peer.forwarded === true || peer.identities !== undefined;
}

/**
 * Whether the other end of the connection is on this machine. It may forward streams of others. Every Envoy seems to: it
 * adds the headers of a forwarded request to its own streams too.
 */
export function isLoopbackPeer(peer: Peer): boolean {
  return /^(?:\[(?:::ffff:)?127\.[\d.]+\]|127\.[\d.]+|\[::1\])$/iu.test(hostOf(peer));
}

/** The key for counting a peer: its authenticated identity, or else its host. */
export function peerKey(peer: Peer): string {
  return peer.identities?.[0] ?? hostOf(peer);
}
