import { configId } from "../../../config/config.ts";
import { kindOf, namespaceOf } from "../config-id.ts";
import type { PushContext } from "../push-context.ts";
import { serviceKey } from "../service/service.ts";
import type { Workload } from "../service/service-target.ts";
import { targetsOf } from "../service/service-target.ts";
import type { Scope, ScopeRef } from "./sidecar-scope.ts";
import { sidecarScopeFor } from "./sidecar-scope-for.ts";

/** The inputs of a workload's inbound side: the services it serves, its Sidecar, and its mTLS policies. */
export function inboundScopeFor(workload: Workload, ref: ScopeRef, push: PushContext): Scope {
  const services = [...new Set(targetsOf(workload, push).map(({ service }) => service))];
  const own = new Set(services.map((service) => configId("Service", service.namespace, service.hostname)));
  const instances = new Set(workload.addresses.map((address) => configId("Instance", "", address)));
  return {
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
