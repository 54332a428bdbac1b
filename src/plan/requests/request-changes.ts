import type { ConfigId } from "../../config/config.ts";
import { clusterNamed, type EnvoyConfig, routesNamed } from "../../explain/envoy-config.ts";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import { deepEqual } from "../../lib/equal.ts";
import { type RequestPlace, requestPlaces } from "./derived-requests.ts";
import { type PlannedOutcome, plannedOutcome } from "./outcome.ts";

/** A request that goes elsewhere after the change. */
export interface RequestChange {
  readonly request: SimulatedRequest;
  readonly before: PlannedOutcome;
  readonly after: PlannedOutcome;
  /** The objects behind the route, and the policies that decide. */
  readonly objects: readonly ConfigId[];
}

export interface RequestChanges {
  readonly changes: readonly RequestChange[];
  readonly asked: number;
  /** Routes without a request: no text was found for their regular expressions. */
  readonly unsampled: number;
  /** Requests beyond the limit. */
  readonly left: number;
}

export interface ComparedProxy {
  readonly type: "sidecar" | "router";
  readonly before: EnvoyConfig;
  readonly after: EnvoyConfig;
  /** Clusters that the change touches, or whose endpoints it touches. */
  readonly touched: ReadonlySet<string>;
  /** The most requests to ask. */
  readonly most: number;
  readonly turn: () => Promise<void>;
}

/**
 * Explains requests before and after. They are derived from both sides: one for every route of each virtual host that
 * changes, or whose clusters change.
 */
export async function requestChanges(compared: ComparedProxy): Promise<RequestChanges> {
  const [before, after] = [remembering(compared.before), remembering(compared.after)];
  const { requests, unsampled } = requestsOf(compared, before, after);
  const changes: RequestChange[] = [];
  const asked = requests.slice(0, compared.most);
  for (const request of asked) {
    const [was, is] = [explain(before, request), explain(after, request)];
    const [old, next] = [plannedOutcome(was), plannedOutcome(is)];
    if (!deepEqual(old, next)) {
      changes.push({ request, before: old, after: next, objects: [...new Set([...objectsOf(is), ...objectsOf(was)])] });
    }
    await compared.turn();
  }
  return { changes, asked: asked.length, unsampled, left: requests.length - asked.length };
}

function requestsOf({ type, touched }: ComparedProxy, before: EnvoyConfig, after: EnvoyConfig) {
  const old = new Map(requestPlaces(before, type).map((place) => [place.id, place]));
  const next = new Map(requestPlaces(after, type).map((place) => [place.id, place]));
  const changed = [...new Set([...old.keys(), ...next.keys()])].filter((id) => {
    const [was, is] = [old.get(id), next.get(id)];
    return was?.digest !== is?.digest || !isUntouched(was, touched);
  });
  const requests = new Map<string, SimulatedRequest>();
  let unsampled = 0;
  for (const place of changed.flatMap((id) => [old.get(id), next.get(id)])) {
    const sampled = place?.requests() ?? { asked: [], unsampled: 0 };
    unsampled += sampled.unsampled;
    for (const request of sampled.asked) requests.set(JSON.stringify(request), request);
  }
  return { requests: [...requests.values()], unsampled };
}

function isUntouched(place: RequestPlace | undefined, touched: ReadonlySet<string>): boolean {
  return place === undefined || place.clusters.isDisjointFrom(touched);
}

function objectsOf({ steps, decidedBy }: Explanation): readonly ConfigId[] {
  const routed = steps.filter(({ type }) => type === "route").flatMap(({ owners }) => owners);
  return [...decidedBy.map(({ object }) => object), ...routed];
}

/** Decodes each message once, because every request reads the same few. */
function remembering(config: EnvoyConfig): EnvoyConfig {
  const routes = once((name: string) => routesNamed(config, name));
  const clusters = once((name: string) => clusterNamed(config, name));
  return { ...config, routes, clusters };
}

function once<T>(find: (name: string) => T): (name: string) => T {
  const found = new Map<string, T>();
  return (name) => {
    const known = found.get(name);
    if (known !== undefined) return known;
    const value = find(name);
    found.set(name, value);
    return value;
  };
}
