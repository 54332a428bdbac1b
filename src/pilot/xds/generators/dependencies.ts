import type { ConfigId } from "../../../config/config.ts";
import { configId } from "../../../config/config.ts";
import { oncePer } from "../../../lib/memo.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../model/config-id.ts";
import type { PushContext } from "../../model/push-context.ts";
import { routerScopeFor } from "../../model/scope/router-scope.ts";
import type { ScopeRef, SidecarScope } from "../../model/scope/sidecar-scope.ts";
import { sidecarScopeFor } from "../../model/scope/sidecar-scope-for.ts";
import { targetsOf, type Workload } from "../../model/service/service-target.ts";
import { type Dependencies, isPolicyKind } from "../generator.ts";

/** Whether a changed policy may apply to workloads of this namespace. Only its own namespace and the root one count. */
export function policyApplies(changed: ConfigId, namespace: string, push: PushContext): boolean {
  if (kindNameOf(changed) === "ExtensionProvider") return true;
  return [namespace, push.mesh.rootNamespace].includes(namespaceOf(changed));
}

/** Step 2 of `PartFamily`, for parts that are built from the scope of sidecars or proxyless clients. */
export function sidecarDependencies(ref: ScopeRef, push: PushContext): Dependencies {
  const scope = sidecarScopeFor(ref, push);
  const virtualServices = virtualServicesIn(scope);
  return (changed) => {
    const kind = kindNameOf(changed);
    if (isPolicyKind(kind)) return policyApplies(changed, ref.namespace, push);
    switch (kind) {
      case "Service":
      case "Endpoints":
        return scope.service(nameOf(changed)) !== undefined;
      case "VirtualService":
        return virtualServices.has(changed);
      case "Sidecar":
        return changed === sidecarOf(ref);
      case "Gateway":
      case "Instance":
        return false;
      default:
        return true;
    }
  };
}

const virtualServicesIn = oncePer(
  ({ egress }: SidecarScope): ReadonlySet<ConfigId> =>
    new Set(egress.flatMap(({ virtualServices }) => virtualServices.map(({ owner }) => owner))),
);

/** Also returned when that Sidecar does not exist: its creation and deletion change the scope. */
function sidecarOf({ sidecar }: ScopeRef): ConfigId | undefined {
  const slash = sidecar.indexOf("/");
  return slash === -1 ? undefined : configId("Sidecar", sidecar.slice(0, slash), sidecar.slice(slash + 1));
}

/**
 * Step 2 of `PartFamily`, for parts of routers. Compares hostnames, not keys: routes may also use a service of another
 * namespace with the same hostname.
 */
export function routerDependencies(namespace: string, push: PushContext): Dependencies {
  const scope = routerScopeFor(namespace, push);
  return (changed) => {
    const kind = kindNameOf(changed);
    if (isPolicyKind(kind)) return policyApplies(changed, namespace, push);
    switch (kind) {
      case "Service":
      case "Endpoints":
        return scope.service(nameOf(changed)) !== undefined;
      case "Sidecar":
      case "Instance":
        return false;
      default:
        return true;
    }
  };
}

/**
 * Step 2 of `PartFamily`, for the inbound side of a workload: its addresses, the services it serves, its Sidecar and
 * its mTLS policies.
 */
export function workloadDependencies(workload: Workload, ref: ScopeRef, push: PushContext): Dependencies {
  const servicesOf = () => targetsOf(workload, push).map(({ service }) => service);
  return (changed) => {
    const kind = kindNameOf(changed);
    if (isPolicyKind(kind)) return policyApplies(changed, workload.namespace, push);
    switch (kind) {
      case "Instance":
        return workload.addresses.some((address) => changed === configId("Instance", "", address));
      case "Service":
        return servicesOf().some(({ namespace, hostname }) => changed === configId("Service", namespace, hostname));
      case "DestinationRule":
        return servicesOf().length > 0;
      case "Sidecar":
        return changed === sidecarOf(ref);
      case "PeerAuthentication":
        return [workload.namespace, push.mesh.rootNamespace].includes(namespaceOf(changed));
      default:
        return false;
    }
  };
}

/** Narrows dependencies to the services with these hostnames. Other kinds are not narrowed. */
export function onlyHostnames(hostnames: ReadonlySet<string>, dependencies: Dependencies): Dependencies {
  return (changed) => {
    const kind = kindNameOf(changed);
    const ofService = kind === "Service" || kind === "Endpoints";
    return (!ofService || hostnames.has(nameOf(changed))) && dependencies(changed);
  };
}
