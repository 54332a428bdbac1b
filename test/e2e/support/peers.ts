import { describe, inject } from "vitest";
import { type PeerName, PeerUnavailable, peerPath } from "../../../scripts/peer.ts";
import type { UnavailablePeers } from "../../../scripts/peers/fetch-all.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Set by `npm test` after its attempt to fetch peers, so that no test file tries again. */
    unavailablePeers?: UnavailablePeers;
  }
}

type Describe = (title: string, body: () => void) => void;

/**
 * A `describe` for tests that need real peers, fetched before the first test runs. On a machine without a peer the
 * tests are skipped, and the report gives the reason. In CI they run all the same, and fail.
 *
 *     const describeWithEnvoy = await describeWith("envoy");
 */
export async function describeWith(...names: readonly PeerName[]): Promise<Describe> {
  return describeUnless(await whyUnavailable(names), names);
}

/** The same for tests that create network namespaces, which requires root. */
export async function describeWithNetwork(...names: readonly PeerName[]): Promise<Describe> {
  const isRoot = process.getuid?.() === 0;
  return describeUnless(isRoot ? await whyUnavailable(names) : "only root may make network namespaces", names);
}

function describeUnless(skipReason: string | undefined, names: readonly PeerName[]): Describe {
  const skips = skipReason !== undefined && process.env["CI"] !== "true";
  const options = skips ? { skip: true, meta: { skipReason } } : {};
  return (title: string, body: () => void) =>
    describe(`${title} (with ${names.join(" and ")})`, options, () => {
      body();
    });
}

/** The reason why one of these peers is not available. */
export async function whyUnavailable(names: readonly PeerName[]): Promise<string | undefined> {
  for (const name of names) {
    const known = inject("unavailablePeers")?.[name];
    if (known !== undefined) return `${name} is not available: ${known}`;
    try {
      await peerPath(name);
    } catch (thrown) {
      if (!(thrown instanceof PeerUnavailable)) throw thrown;
      return `${name} is not available: ${thrown.message}`;
    }
  }
  return undefined;
}
