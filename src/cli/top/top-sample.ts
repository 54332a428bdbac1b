import type { Addresses } from "../../admin/state.ts";
import type { Overview } from "../../desk/api/model/overview.ts";
import type { ProxyListing, ProxyState, ProxySummary } from "../../desk/api/model/proxies.ts";
import type { Session } from "../../desk/api/model/session.ts";
import { MeshError } from "../../lib/errors.ts";
import { fetchIfThere, fetchPage, fetchText } from "../mesh/fetch-page.ts";
import { MetricValues } from "./metric-values.ts";

/** A scarce resource, as `/debug/overload` shows it. */
interface LoadedResource {
  readonly resource: string;
  readonly value: number;
  readonly text: string;
}

/** Everything about a server at one moment. */
export interface TopSample {
  /** Milliseconds of our own clock. */
  readonly at: number;
  readonly server: Session["server"];
  readonly overview: Overview;
  /** Rejecting proxies first, then those that are behind. At most 200. */
  readonly proxies: readonly ProxySummary[];
  /** Proxies that match the filter. */
  readonly matching: number;
  readonly load: { readonly level: string; readonly resources: readonly LoadedResource[] };
  /** Absent with `--metrics off`, and if the address cannot be reached. */
  readonly metrics: MetricValues | undefined;
}

/** As many proxies as one page of the API has. */
const mostProxies = 200;
const worstFirst: readonly ProxyState[] = ["rejecting", "behind", "synced"];

/** Throws `unavailable`, also for a server without the desk. */
export async function takeSample(server: string, filter: string, now: () => number): Promise<TopSample> {
  const session = (await fetchIfThere(server, "/api/v1/session")) as Session | undefined;
  if (session === undefined) {
    throw new MeshError("unavailable", `--server ${server}: it has no API for top; is it started with --desk off?`);
  }
  const [overview, load, metrics, found] = await Promise.all([
    fetchPage(server, "/api/v1/overview"),
    fetchPage(server, "/debug/overload"),
    metricsOf(server),
    proxiesAt(server, filter),
  ]);
  return {
    at: now(),
    server: session.server,
    overview: overview as Overview,
    load: load as TopSample["load"],
    metrics,
    ...found,
  };
}

/** The server sorts by name, so that each state is asked for until there are enough. */
async function proxiesAt(server: string, filter: string): Promise<Pick<TopSample, "proxies" | "matching">> {
  const proxies: ProxySummary[] = [];
  let matching = 0;
  for (const state of worstFirst) {
    const limit = Math.max(1, mostProxies - proxies.length);
    const query = new URLSearchParams({ state, search: filter, limit: String(limit) });
    const page = (await fetchPage(server, `/api/v1/proxies?${query.toString()}`)) as ProxyListing;
    matching += page.total;
    if (proxies.length < mostProxies) for (const proxy of page.items) proxies.push(proxy);
  }
  return { proxies, matching };
}

async function metricsOf(server: string): Promise<MetricValues | undefined> {
  const { metrics } = (await fetchPage(server, "/debug/addresses")) as Addresses;
  if (metrics === "off") return undefined;
  try {
    return new MetricValues(await fetchText(reachable(metrics, server), "/metrics"));
  } catch {
    // The address may be closed to us. The view has no rates then.
    return undefined;
  }
}

/** A server that listens on all addresses is reached at the one that we know. */
function reachable(address: string, server: string): string {
  const port = address.slice(address.lastIndexOf(":") + 1);
  if (!/^(?:0\.0\.0\.0|\[::\]|\*)?:\d+$/u.test(address)) return address;
  const { hostname } = new URL(/^https?:/u.test(server) ? server : `http://${server}`);
  return `${hostname}:${port}`;
}
