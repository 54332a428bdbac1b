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
  const isLoopback = /^(?:\[(?:::ffff:)?127\.[\d.]+\]|127\.[\d.]+|\[::1\])$/iu.test(hostOf(peer));
  return !isLoopback || peer.forwarded === true || peer.identities !== undefined;
}

/** The key for counting a peer: its authenticated identity, or else its host. */
export function peerKey(peer: Peer): string {
  return peer.identities?.[0] ?? hostOf(peer);
}
