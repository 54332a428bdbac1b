import type { Lookup, NearMiss } from "../../explain/near-misses/near-miss.ts";
import { fetchPage } from "./fetch-page.ts";

/** A near miss with its place, `file:line`; empty if the place is unknown. */
export interface PlacedMiss extends NearMiss {
  readonly reference: string;
}

/** Fetches the near misses of a connected proxy from a running server. Throws `unavailable` and `not-found`. */
export async function fetchNearMisses(
  server: string,
  node: string,
  { host, clusters }: Lookup,
): Promise<readonly PlacedMiss[]> {
  const query = new URLSearchParams({ proxyID: node });
  if (host !== undefined) {
    query.set("host", host.hostname);
    query.set("port", String(host.port));
    query.set("http", String(host.http));
  }
  for (const cluster of clusters) query.append("cluster", cluster);
  return (await fetchPage(server, `/debug/near_misses?${query.toString()}`)) as readonly PlacedMiss[];
}
