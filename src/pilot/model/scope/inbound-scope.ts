import { configId } from "../../../config/config.ts";
import { kindOf, namespaceOf } from "../config-id.ts";
import { labelsId } from "../labels.ts";
import type { PushContext } from "../push-context.ts";
import { serviceKey } from "../service/service.ts";
import type { Workload } from "../service/service-target.ts";
import { targetsOf } from "../service/service-target.ts";
import type { Scope, ScopeRef } from "./sidecar-scope.ts";
import { scopeRefId, sidecarScopeFor } from "./sidecar-scope-for.ts";

/** What of the mesh a workload's own inbound side depends on: the services it serves, its Sidecar, and whom it accepts. */
export function inboundScopeFor(workload: Workload, ref: ScopeRef, push: PushContext): Scope {
  const services = [...new Set(targetsOf(workload, push).map(({ service }) => service))];
  const own = new Set(services.map((service) => configId("Service", service.namespace, service.hostname)));
  const instances = new Set(workload.addresses.map((address) => configId("Instance", "", address)));
  return {
    id: workloadId(workload, ref),
    namespace: workload.namespace,
    services,
    service: (hostname) => services.find((service) => serviceKey(service) === `${workload.namespace}/${hostname}`),
    dependsOn: (changed) => {
      switch (kindOf(changed)) {
        case "Instance":
          return instances.has(changed);
        case "Service":
          return own.has(changed);
        case "DestinationRule":
          return services.length > 0;
        case "Sidecar":
          return sidecarScopeFor(ref, push).dependsOn(changed);
        case "PeerAuthentication":
          return [workload.namespace, push.mesh.rootNamespace].includes(namespaceOf(changed));
        default:
          return false;
      }
    },
  };
}

/** Equal ids mean equal workloads with equal scopes. */
export function workloadId({ addresses, namespace, labels }: Workload, ref: ScopeRef): string {
  return JSON.stringify([scopeRefId(ref), addresses, namespace, labelsId(labels)]);
}
