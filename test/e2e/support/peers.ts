import { describe } from "vitest";
import { type PeerName, PeerUnavailable, peerPath } from "../../../scripts/peer.ts";

type Describe = (title: string, body: () => void) => void;

/**
 * A `describe` for tests that need real peers, fetched before the first test runs. On a machine that cannot have one
 * the tests are skipped and the report says why; in CI they run all the same, and fail.
 *
 *     const describeWithEnvoy = await describeWith("envoy");
 */
export async function describeWith(...names: readonly PeerName[]): Promise<Describe> {
  return describeUnless(await whyNot(names), names);
}

/** The same for tests that make network namespaces, which only root may. */
export async function describeWithNetwork(...names: readonly PeerName[]): Promise<Describe> {
  const isRoot = process.getuid?.() === 0;
  return describeUnless(isRoot ? await whyNot(names) : "only root may make network namespaces", names);
}

function describeUnless(skipReason: string | undefined, names: readonly PeerName[]): Describe {
  const skips = skipReason !== undefined && process.env["CI"] !== "true";
  const options = skips ? { skip: true, meta: { skipReason } } : {};
  return (title: string, body: () => void) =>
    describe(`${title} (with ${names.join(" and ")})`, options, () => {
      body();
    });
}

async function whyNot(names: readonly PeerName[]): Promise<string | undefined> {
  for (const name of names) {
    try {
      await peerPath(name);
    } catch (thrown) {
      if (!(thrown instanceof PeerUnavailable)) throw thrown;
      return `${name} is not available: ${thrown.message}`;
    }
  }
  return undefined;
}
