import { describe } from "vitest";
import type { PeerName } from "../../../../scripts/peer.ts";
import { describeWithNetwork } from "../peers.ts";
import { hasAuthority } from "./identities.ts";

/** A `describe` for tests with agents that get certificates of our own authority. */
export async function describeWithAuthority(
  ...peers: readonly PeerName[]
): Promise<(title: string, body: () => void) => void> {
  return hasAuthority ? await describeWithNetwork(...peers) : describe.skip;
}
