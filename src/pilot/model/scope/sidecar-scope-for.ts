import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import { selects } from "../../../config/selector.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { memoize } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import { isOn } from "../proxy/metadata-flag.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import { callableByName } from "../service/callable-by-name.ts";
import { joinService } from "../service/trim-service.ts";
import { visibleServices } from "../service/visible-services.ts";
import type { VirtualService } from "../traffic/virtual-service.ts";
import { virtualServicesFor } from "../traffic/virtual-services-for.ts";
import { egressScopeOf, importsEverything } from "./egress-scope.ts";
import { referencedServices } from "./referenced-services.ts";
import type { EgressListener, Sidecar } from "./sidecar.ts";
import type { EgressScope, ScopeRef, SidecarScope } from "./sidecar-scope.ts";

/**
 * Finds the Sidecar of a workload. The oldest Sidecar of its namespace that selects the workload applies. Else the one
 * of its namespace without a selector applies, then the one of the root namespace. Without a Sidecar the scope holds
 * everything.
 */
export function scopeRefOf(
  { namespace, labels, metadata = {} }: Pick<Proxy, "namespace" | "labels"> & Partial<Pick<Proxy, "metadata">>,
  push: PushContext,
): ScopeRef {
  const own = push.sidecarsByNamespace.get(namespace) ?? [];
  const selecting = own.filter(({ selector }) => selector !== undefined && selects(selector, labels));
  const applies =
    oldest(selecting) ??
    oldest(own.filter(selectsAll)) ??
    oldest((push.sidecarsByNamespace.get(push.mesh.rootNamespace) ?? []).filter(selectsAll));
  const sidecar = applies === undefined ? "" : `${applies.namespace}/${applies.name}`;
  return { namespace, sidecar, ...(isOn(metadata, "DNS_CAPTURE") && { capturesDns: true }) };
}

function selectsAll({ selector }: Sidecar): boolean {
  return selector === undefined;
}

function oldest(sidecars: readonly Sidecar[]): Sidecar | undefined {
  return sidecars.toSorted(compareAge)[0];
}

/** Resolves a scope reference in this push context. */
export function sidecarScopeFor(ref: ScopeRef, push: PushContext): SidecarScope {
  const virtualServices = virtualServicesFor(meshGateway, ref.namespace, push);
  return buildScope([push.services, virtualServices, push.sidecars.get(ref.sidecar), push.mesh], ref);
}

const buildScope = memoize(
  (
    [all, virtualServices, sidecar, mesh]: readonly [
      PushContext["services"],
      readonly VirtualService[],
      Sidecar | undefined,
      MeshSettings,
    ],
    ref: ScopeRef,
  ): SidecarScope => {
    const visible = visibleServices(ref.namespace, { services: all });
    const services = ref.capturesDns ? callableByName(visible) : visible;
    const importable = { namespace: ref.namespace, services, virtualServices };
    const egress = egressListenersOf(sidecar).map((listener) => egressScopeOf(listener, importable));
    const union = unite([...egress.map((each) => each.services), referencedServices(egress, importable)]);
    return scopeOf(ref, sidecar, egress, union, mesh);
  },
);

/** The egress listeners of workloads with this Sidecar, or without one. */
export function egressListenersOf(sidecar: Sidecar | undefined): readonly EgressListener[] {
  return sidecar === undefined || sidecar.egress.length === 0 ? [importsEverything] : sidecar.egress;
}

function scopeOf(
  ref: ScopeRef,
  sidecar: Sidecar | undefined,
  egress: readonly EgressScope[],
  { byHostname, services }: ServiceUnion,
  mesh: MeshSettings,
): SidecarScope {
  return {
    namespace: ref.namespace,
    services,
    service: (hostname) => byHostname.get(hostname),
    egress,
    ingress: sidecar?.ingress ?? [],
    outboundPolicy: sidecar?.outboundPolicy ?? mesh.outboundPolicy,
    inboundConnectionPool: sidecar?.inboundConnectionPool,
    owner: sidecar?.owner,
  };
}

interface ServiceUnion {
  readonly byHostname: ReadonlyMap<string, Service>;
  /** By hostname. */
  readonly services: readonly Service[];
}

const unite = memoize((lists: readonly (readonly Service[])[]): ServiceUnion => {
  const byHostname = uniteByHostname(lists.flat());
  const services = [...byHostname.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname));
  return { byHostname, services };
});

/**
 * One service per hostname. A Kubernetes service takes precedence, then the first. Ports of the same service are
 * joined.
 */
function uniteByHostname(services: readonly Service[]): ReadonlyMap<string, Service> {
  const union = new Map<string, Service>();
  for (const service of services) {
    const present = union.get(service.hostname);
    if (present === undefined || outranks(service, present)) union.set(service.hostname, service);
    else if (present !== service && present.owner === service.owner && present.namespace === service.namespace) {
      union.set(service.hostname, joinService(present, service));
    }
  }
  return union;
}

function outranks(service: Service, present: Service): boolean {
  return service.registry === "Kubernetes" && present.registry !== "Kubernetes";
}
