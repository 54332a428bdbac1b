import type { Roots } from "../../ca/roots.ts";
import type { PilotGraph } from "../build-pilot.ts";

/** Tells Pilot which roots workloads trust now, in one commit. Proxies that ask for them get a push. */
export function tellTrustedRoots({ pilot, environment }: PilotGraph, { trusted }: Pick<Roots, "trusted">): void {
  const { trustedRoots } = environment;
  const pems = new Set(trusted.map((pem) => `${pem.trim()}\n`));
  pilot.batch(() => {
    for (const [pem] of trustedRoots.entries()) if (!pems.has(pem)) trustedRoots.delete(pem);
    for (const pem of pems) trustedRoots.set(pem, { pem });
  });
}
