import { isCached, knownPeers, type PeerName, PeerUnavailable, peerPath, type Say } from "../peer.ts";

/** The builds that take minutes of computing, in an order that lets later ones reuse the work of earlier ones. */
const longBuilds: readonly PeerName[] = ["kube", "helm", "istioctl", "istiod", "pilot-agent", "spire"];

/** Peers that no test needs, only commands. */
const onDemand: ReadonlySet<PeerName> = new Set(["binnacle-old", "glibc", "go-control-plane"]);

/** Peers of tests that are not in the cache, with those that cannot be had here. */
export async function missingPeers(): Promise<PeerName[]> {
  const missing: PeerName[] = [];
  for (const name of knownPeers)
    if (!onDemand.has(name) && !(await isCached(name).catch(() => false))) missing.push(name);
  return missing;
}

/** Why a peer cannot be had here. */
export type UnavailablePeers = Readonly<Partial<Record<PeerName, string>>>;

/**
 * Fetches these peers: the long builds one after the other, and beside them the rest. Says when each begins and how
 * long it took. Those that cannot be had are named at once, and returned with the reason.
 */
export async function fetchAll(names: readonly PeerName[], say: Say): Promise<UnavailablePeers> {
  const reasons: Partial<Record<PeerName, string>> = {};
  const inTurn = async (turn: readonly PeerName[]) => {
    for (const name of turn) {
      try {
        await peerPath(name, say);
      } catch (thrown) {
        if (!(thrown instanceof PeerUnavailable)) throw thrown;
        reasons[name] = thrown.message;
        say(`${name}: not available: ${thrown.message}`);
      }
    }
  };
  await Promise.all([
    inTurn(names.filter((name) => !longBuilds.includes(name))),
    inTurn(longBuilds.filter((name) => names.includes(name))),
  ]);
  return reasons;
}
