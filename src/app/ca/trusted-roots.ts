import type { Roots } from "../../ca/roots.ts";
import { openEntrance } from "../../pilot/xds/entrance.ts";
import type { PilotGraph } from "../build-pilot.ts";

/** Tells Pilot which roots workloads trust now, in one commit. Proxies that ask for them get a push. */
export function tellTrustedRoots(graph: PilotGraph, { trusted }: Pick<Roots, "trusted">): void {
  const pems = new Set(trusted.map((pem) => `${pem.trim()}\n`));
  const { entrance = openEntrance } = graph;
  entrance.call({ type: "roots", pems: [...pems] }, () => writeTrustedRoots(graph, pems));
}

/** Replaces the roots that Pilot knows. */
export function writeTrustedRoots({ pilot, environment }: PilotGraph, pems: ReadonlySet<string>): void {
  const { trustedRoots } = environment;
  pilot.batch(() => {
    for (const [pem] of trustedRoots.entries()) if (!pems.has(pem)) trustedRoots.delete(pem);
    for (const pem of pems) trustedRoots.set(pem, { pem });
  });
}
