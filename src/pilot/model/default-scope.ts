import type { ConfigId } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { Memo } from "../../lib/memo.ts";
import type { PushContext } from "./push-context.ts";
import { kindOf } from "./push-request.ts";
import type { Service } from "./service.ts";
import type { SidecarScope } from "./sidecar-scope.ts";
import { visibilityFrom } from "./visibility.ts";

/** A scope that also finds services by name. */
export interface DefaultScope extends SidecarScope {
  service(hostname: string): Service | undefined;
}

const scopes = new Memo<DefaultScope>();

/**
 * What a namespace sees when no Sidecar narrows it: every service exported to it, one per hostname. Routers always
 * have this scope.
 */
export function scopeFor(namespace: string, push: PushContext): DefaultScope {
  return scopes.get([push.services], namespace, () => buildScope(namespace, push.services.values()));
}

function buildScope(namespace: string, all: Iterable<Service>): DefaultScope {
  const byHostname = new Map<string, Service>();
  const visible = [...all].filter((service) => visibilityFrom(namespace, service) !== "hidden");
  for (const service of visible.toSorted((a, b) => comparePrecedence(namespace, a, b))) {
    if (!byHostname.has(service.hostname)) byHostname.set(service.hostname, service);
  }
  const services = [...byHostname.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname));
  return {
    id: `default/${namespace}`,
    namespace,
    services,
    service: (hostname) => byHostname.get(hostname),
    dependsOn: (changed) => dependsOn(changed, byHostname),
  };
}

/**
 * Who owns a hostname that several namespaces declare: a Kubernetes service, so that nobody squats on its name; then
 * what was exported to this namespace by name before what is public; then the oldest.
 */
function comparePrecedence(namespace: string, a: Service, b: Service): number {
  return (
    Number(a.registry !== "Kubernetes") - Number(b.registry !== "Kubernetes") ||
    Number(visibilityFrom(namespace, a) === "public") - Number(visibilityFrom(namespace, b) === "public") ||
    a.createdAt - b.createdAt ||
    compareTexts(a.hostname, b.hostname) ||
    compareTexts(a.namespace, b.namespace)
  );
}

/** By hostname, not by key: routes may also look at another namespace's service of the same name. */
function dependsOn(changed: ConfigId, byHostname: ReadonlyMap<string, Service>): boolean {
  const kind = kindOf(changed);
  if (kind !== "Service" && kind !== "Endpoints") return true;
  return byHostname.has(changed.slice(changed.lastIndexOf("/") + 1));
}
