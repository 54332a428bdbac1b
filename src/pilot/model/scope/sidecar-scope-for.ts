import type { ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { meshGateway } from "../../../config/grammar/gateway-reference.ts";
import { selects } from "../../../config/selector.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { Memo } from "../../../lib/memo.ts";
import { compareAge } from "../compare-age.ts";
import { kindOf, nameOf } from "../config-id.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import type { Proxy } from "../proxy/proxy.ts";
import type { PushContext } from "../push-context.ts";
import type { Service } from "../service/service.ts";
import { joinService } from "../service/trim-service.ts";
import { visibleServices } from "../service/visible-services.ts";
import { virtualServicesFor } from "../traffic/virtual-services-for.ts";
import { egressScopeOf, importsEverything } from "./egress-scope.ts";
import { referencedServices } from "./referenced-services.ts";
import type { Sidecar } from "./sidecar.ts";
import type { EgressScope, ScopeRef, SidecarScope } from "./sidecar-scope.ts";

/**
 * The scope of a workload: that of the oldest Sidecar of its namespace that selects it, else of the one there that
 * selects all, else of the one in the root namespace that selects all, else everything.
 */
export function scopeRefOf({ namespace, labels }: Pick<Proxy, "namespace" | "labels">, push: PushContext): ScopeRef {
  const own = push.sidecarsByNamespace.get(namespace) ?? [];
  const selecting = own.filter(({ selector }) => selector !== undefined && selects(selector, labels));
  const applies =
    oldest(selecting) ??
    oldest(own.filter(selectsAll)) ??
    oldest((push.sidecarsByNamespace.get(push.mesh.rootNamespace) ?? []).filter(selectsAll));
  return { namespace, sidecar: applies === undefined ? "" : `${applies.namespace}/${applies.name}` };
}

/** Equal ids mean equal references: part of every part's id that depends on the scope. */
export function scopeRefId({ namespace, sidecar }: ScopeRef): string {
  return sidecar === "" ? namespace : `${namespace}<${sidecar}`;
}

function selectsAll({ selector }: Sidecar): boolean {
  return selector === undefined;
}

function oldest(sidecars: readonly Sidecar[]): Sidecar | undefined {
  return sidecars.toSorted(compareAge)[0];
}

const scopes = new Memo<SidecarScope>();
const noSidecar = {};

/** The scope that a reference means now. */
export function sidecarScopeFor(ref: ScopeRef, push: PushContext): SidecarScope {
  const sidecar = push.sidecars.get(ref.sidecar);
  const virtualServices = virtualServicesFor(meshGateway, ref.namespace, push);
  const objects = [push.services, virtualServices, sidecar ?? noSidecar, push.mesh];
  return scopes.get(objects, ref.namespace, () => {
    const services = visibleServices(ref.namespace, push);
    const importable = { namespace: ref.namespace, services, virtualServices };
    const listeners = sidecar === undefined || sidecar.egress.length === 0 ? [importsEverything] : sidecar.egress;
    const egress = listeners.map((listener) => egressScopeOf(listener, importable));
    return scopeOf(
      ref,
      sidecar,
      egress,
      unionOf([...egress.map((each) => each.services), referencedServices(egress, importable)]),
      push.mesh,
    );
  });
}

function scopeOf(
  ref: ScopeRef,
  sidecar: Sidecar | undefined,
  egress: readonly EgressScope[],
  { byHostname, services }: ServiceUnion,
  mesh: MeshSettings,
): SidecarScope {
  const virtualServices = new Set(egress.flatMap((each) => each.virtualServices.map(({ owner }) => owner)));
  return {
    id: scopeRefId(ref),
    namespace: ref.namespace,
    services,
    service: (hostname) => byHostname.get(hostname),
    dependsOn: (changed) => {
      switch (kindOf(changed)) {
        case "Service":
        case "Endpoints":
          return byHostname.has(nameOf(changed));
        case "VirtualService":
          return virtualServices.has(changed);
        case "Sidecar":
          return changed === ownerOf(ref);
        case "Gateway":
        case "Instance":
          return false;
        default:
          return true;
      }
    },
    egress,
    ingress: sidecar?.ingress ?? [],
    outboundPolicy: sidecar?.outboundPolicy ?? mesh.outboundPolicy,
    inboundConnectionPool: sidecar?.inboundConnectionPool,
    owner: sidecar?.owner,
  };
}

/** Also when that Sidecar is not there (any more): its coming and going is a change of the scope. */
function ownerOf({ sidecar }: ScopeRef): ConfigId | undefined {
  const slash = sidecar.indexOf("/");
  return slash === -1 ? undefined : configId("Sidecar", sidecar.slice(0, slash), sidecar.slice(slash + 1));
}

interface ServiceUnion {
  readonly byHostname: ReadonlyMap<string, Service>;
  /** By hostname. */
  readonly services: readonly Service[];
}

const unions = new Memo<ServiceUnion>();

function unionOf(lists: readonly (readonly Service[])[]): ServiceUnion {
  return unions.get(lists, "", () => {
    const byHostname = unite(lists.flat());
    const services = [...byHostname.values()].toSorted((a, b) => compareTexts(a.hostname, b.hostname));
    return { byHostname, services };
  });
}

/** One service per hostname: Kubernetes' own before others, ports of the same service put together, else the first. */
function unite(services: readonly Service[]): ReadonlyMap<string, Service> {
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
