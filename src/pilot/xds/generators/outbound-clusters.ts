import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { serviceKey } from "../../model/service.ts";
import { blackHoleCluster } from "../../networking/cluster/black-hole.ts";
import type { ClusterInputs } from "../../networking/cluster/build-cluster.ts";
import { buildCluster } from "../../networking/cluster/build-cluster.ts";
import type { Generated, GeneratorRun, PartFamily } from "../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import type { ScopePart } from "./scope-part.ts";
import { scopeOf, scopeParts } from "./scope-part.ts";
import type { ServiceCluster } from "./service-clusters.ts";
import { clusterNames, serviceClusters, servicesNamed } from "./service-clusters.ts";

/** Endpoints that stand in a cluster change its service as well, so their own changes say nothing new. */
const ignored: ReadonlySet<string> = new Set(["Endpoints", "Instance", "Gateway"]);

function concerns(kind: string): boolean {
  return !ignored.has(kind);
}

/** CDS: a cluster per port and subset of every service the proxy sees. */
export function outboundClusters(writer: ProtoWriter): PartFamily<ScopePart> {
  function generate({ inputs, push, since }: GeneratorRun<ScopePart>): Generated {
    const scopeIn = (each: PushContext) => scopeOf(inputs, each);
    const scope = scopeIn(push);
    const hostnames = affectedHostnames(scopeIn, push, since, concerns);
    const resources: Resource[] = [];
    for (const service of servicesNamed(hostnames, scope)) {
      for (const cluster of serviceClusters(service, scope.namespace, push)) {
        const resource = buildCluster(inputsOf(cluster, push), writer);
        if (resource !== undefined) resources.push(resource);
      }
    }
    if (hostnames === "all" || since === undefined) {
      return { covers: "all", resources: [...resources, blackHoleCluster(push.mesh, writer)] };
    }
    return { covers: clusterNames(hostnames, scopeIn, [since.push, push]), resources };
  }

  return { name: "outbound", parts: scopeParts, scope: scopeOf, concerns, generate };
}

/** Only names that Envoy resolves itself stand in the cluster; all other endpoints are EDS's business. */
function inputsOf({ service, port, rule, subset }: ServiceCluster, push: PushContext): ClusterInputs {
  const resolvedByEnvoy = service.resolution === "dns" || service.resolution === "dns-round-robin";
  const endpoints = resolvedByEnvoy ? push.endpoints.get(serviceKey(service)) : undefined;
  return { service, port, rule, subset, mesh: push.mesh, endpoints };
}
