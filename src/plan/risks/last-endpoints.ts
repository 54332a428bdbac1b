import type { PushContext } from "../../pilot/model/push-context.ts";
import { danglingReferencesOf } from "../../pilot/model/traffic/dangling-references.ts";
import { backendsOf, type VirtualService } from "../../pilot/model/traffic/virtual-service.ts";
import type { Risk } from "../plan.ts";

/** Hosts with routes that had endpoints and have none after the change. */
export function lastEndpoints(before: PushContext, after: PushContext): readonly Risk[] {
  const routedBy = Map.groupBy(
    [...after.virtualServices.values()].flatMap((routes) => hostsOf(routes).map((host) => ({ host, routes }))),
    ({ host }) => host,
  );
  return [...before.endpoints.entries()].flatMap(([key, { hostname, endpoints, owners }]): readonly Risk[] => {
    const routes = routedBy.get(hostname);
    const left = after.endpoints.get(key)?.endpoints.length ?? 0;
    if (endpoints.length === 0 || left > 0 || routes === undefined) return [];
    const objects = routes.map(({ routes: { owner } }) => owner);
    const text = `${hostname} loses its last endpoint, and ${objects.join(", ")} routes to it`;
    return [{ code: "last-endpoint", text, objects: [...owners, ...objects] }];
  });
}

/** References that lead nowhere after the change, and led somewhere before it. */
export function newDanglingReferences(before: PushContext, after: PushContext): readonly Risk[] {
  const known = new Set(danglingIn(before).map(({ id }) => id));
  return danglingIn(after)
    .filter(({ id }) => !known.has(id))
    .map(({ owner, type, name, fallback }) => ({
      code: "dangling-reference",
      text: `${owner} refers to the ${type} ${name}, which does not exist: ${fallback}`,
      objects: [owner],
    }));
}

function danglingIn(push: PushContext) {
  const all = [...push.virtualServices.values()].flatMap((routes) => danglingReferencesOf(routes, push));
  return all.map((each) => ({ ...each, id: `${each.owner} ${each.type} ${each.name}` }));
}

function hostsOf({ http, tls, tcp }: VirtualService): readonly string[] {
  const backends = [...http.flatMap(backendsOf), ...[...tls, ...tcp].flatMap(({ destinations }) => destinations)];
  return [...new Set(backends.map(({ hostname }) => hostname))];
}
