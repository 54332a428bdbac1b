import type { SimulatedRequest } from "../explain/simulated-request.ts";
import { withoutKeys } from "../lib/without-keys.ts";
import type { PlannedRequest, PlannedRequests } from "./plan.ts";
import type { RequestChange, RequestChanges } from "./requests/request-changes.ts";

/** The requests that were asked at some proxies. */
export interface ProxyRequests {
  readonly proxies: readonly string[];
  readonly found: RequestChanges;
}

/** One entry for all proxies at which a request changes in the same way. */
export function mergedRequests(asked: readonly ProxyRequests[]): PlannedRequests {
  const merged = new Map<string, { readonly change: RequestChange; readonly proxies: string[] }>();
  for (const { proxies, found } of asked) {
    for (const change of found.changes) {
      const key = JSON.stringify([change.request, change.before, change.after]);
      const known = merged.get(key) ?? { change, proxies: [] };
      merged.set(key, known);
      for (const proxy of proxies) known.proxies.push(proxy);
    }
  }
  const sum = (numberOf: (found: RequestChanges) => number) =>
    asked.reduce((total, { found }) => total + numberOf(found), 0);
  return {
    asked: sum((found) => found.asked),
    unsampled: sum((found) => found.unsampled),
    left: sum((found) => found.left),
    changes: Array.from(merged.values(), ({ change, proxies }) => plannedRequest(change, proxies)),
  };
}

function plannedRequest(
  { request, before, after, objects }: RequestChange,
  proxies: readonly string[],
): PlannedRequest {
  const { method, direction = "outbound" } = request;
  const headers = Object.entries(withoutKeys({ ...request.headers })).map(([name, value]) => `${name}: ${value}`);
  return { method, url: urlOf(request), headers, direction, proxies: [...proxies].toSorted(), before, after, objects };
}

const usualPorts = { http: 80, http2: 80, tls: 443, tcp: undefined } as const;

/** As one would write it for `explain`. */
function urlOf({ protocol = "http", host, port, path }: SimulatedRequest): string {
  const scheme = protocol === "tls" ? "https" : protocol === "tcp" ? "tcp" : "http";
  const name = host.replace(/:\d+$/u, "");
  const shownPort = usualPorts[protocol] === port ? "" : `:${port}`;
  return `${scheme}://${name}${shownPort}${protocol === "tcp" ? "" : path}`;
}
