import { BoundedMemo } from "../../../lib/bounded-memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import { scopeFor } from "../../model/default-scope.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { serviceKey } from "../../model/service.ts";
import { discoveryTypeOf } from "../../networking/cluster/discovery-type.ts";
import { effectivePolicy } from "../../networking/cluster/traffic-policy.ts";
import { buildLoadAssignment, emptyLoadAssignment } from "../../networking/endpoint/build-load-assignment.ts";
import type { Generated, Generator, GeneratorRun } from "../generator.ts";
import { endpointType } from "../warming.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import type { NamespacePart } from "./namespace-part.ts";
import { namespaceParts } from "./namespace-part.ts";
import type { ServiceCluster } from "./service-clusters.ts";
import { clusterNames, serviceClusters, servicesNamed } from "./service-clusters.ts";

const ignored: ReadonlySet<string> = new Set(["VirtualService", "Gateway", "Sidecar"]);

function concerns(kind: string): boolean {
  return !ignored.has(kind);
}

/** EDS: the endpoints of every cluster that asks for them. */
export function createEndpointGenerator(writer: ProtoWriter): Generator<NamespacePart> {
  const absent = new BoundedMemo<Resource>(1024);

  function generate({ inputs: { namespace }, push, since }: GeneratorRun<NamespacePart>): Generated {
    const hostnames = affectedHostnames(namespace, push, since, concerns);
    const resources: Resource[] = [];
    for (const service of servicesNamed(hostnames, namespace, push)) {
      const endpoints = push.endpoints.get(serviceKey(service));
      for (const cluster of serviceClusters(service, namespace, push)) {
        const { port, rule, subset } = cluster;
        if (!asksForEndpoints(cluster, push)) continue;
        resources.push(buildLoadAssignment({ service, port, endpoints, rule, subset }, writer));
      }
    }
    if (hostnames === "all" || since === undefined) return { covers: "all", resources };
    return { covers: clusterNames(hostnames, namespace, [since.push, push]), resources };
  }

  return {
    typeUrl: endpointType,
    shortName: "EDS",
    sotw: "partial",
    parts: namespaceParts,
    scope: ({ namespace }, push) => scopeFor(namespace, push),
    concerns,
    generate,
    absent: (name) => absent.get(name, () => emptyLoadAssignment(name, writer)),
  };
}

function asksForEndpoints({ service, port, rule, subset }: ServiceCluster, push: PushContext): boolean {
  return discoveryTypeOf(service, effectivePolicy(rule, subset, port.number, push.mesh)) === "eds";
}
