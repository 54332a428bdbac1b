import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { mtlsRefusalsIn } from "../../model/mtls/mtls-refusals.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { serviceKey } from "../../model/service/service.ts";
import { discoveryTypeOf } from "../../networking/cluster/outbound/discovery-type.ts";
import type { ServiceCluster } from "../../networking/cluster/outbound/service-clusters.ts";
import { clusterNames, serviceClusters, servicesNamed } from "../../networking/cluster/outbound/service-clusters.ts";
import { effectivePolicy } from "../../networking/cluster/traffic-policy.ts";
import { buildLoadAssignment } from "../../networking/endpoint/build-load-assignment.ts";
import { allBut, type Generated, type GeneratorRun, only, type PartFamily } from "../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import type { ScopePart } from "./scope-part.ts";
import { scopeDependencies, scopeOf, scopeParts } from "./scope-part.ts";
import { isSniDnatRouter } from "./sni-dnat.ts";

const concerns = allBut("Instance", "Gateway");
/** Routers see every service that is exported to them, independent of Sidecars and virtual services. */
const concernsSniDnat = only("Service", "Endpoints", "DestinationRule", "PeerAuthentication");

/** EDS: the endpoints of every EDS cluster. */
export function outboundEndpoints(writer: ProtoWriter): PartFamily<ScopePart> {
  return { ...family({ sniDnat: false }, writer), name: "outbound", parts: scopeParts };
}

/** EDS of routers between networks, for their clusters with mesh mTLS passthrough. */
export function sniDnatEndpoints(writer: ProtoWriter): PartFamily<ScopePart> {
  return {
    ...family({ sniDnat: true }, writer),
    name: "sni-dnat",
    parts: (proxy, push) => (isSniDnatRouter(proxy, push) ? scopeParts(proxy, push) : []),
  };
}

function family(
  { sniDnat }: { readonly sniDnat: boolean },
  writer: ProtoWriter,
): Pick<PartFamily<ScopePart>, "concerns" | "dependencies" | "generate"> {
  const concerned = sniDnat ? concernsSniDnat : concerns;

  function generate({ inputs, push, since }: GeneratorRun<ScopePart>): Generated {
    const scope = scopeOf(inputs, push);
    const { location } = inputs;
    const labels = location.selected;
    const { mesh, networks } = push;
    const around = { mesh, networks, refusals: mtlsRefusalsIn(push), location, sniDnat };
    const hostnames = affectedHostnames((each) => scopeOf(inputs, each), push, since, concerned);
    const resources: Resource[] = [];
    for (const service of servicesNamed(hostnames, scope)) {
      if (sniDnat && service.meshExternal) continue;
      const known = push.endpoints.get(serviceKey(service));
      for (const cluster of serviceClusters(service, { namespace: scope.namespace, labels }, push)) {
        if (!asksForEndpoints(cluster, inputs.type, push)) continue;
        resources.push(buildLoadAssignment({ ...cluster, ...around, endpoints: known }, writer));
      }
    }
    if (hostnames === "all" || since === undefined) return { covers: "all", resources };
    const pushes = [since.push, push].map((each) => ({ push: each, scope: scopeOf(inputs, each) }));
    return { covers: clusterNames(hostnames, pushes, { labels, sniDnat }), resources };
  }

  return { concerns: concerned, dependencies: scopeDependencies, generate };
}

function asksForEndpoints(cluster: ServiceCluster, client: Proxy["type"], push: PushContext): boolean {
  const { service, port, rule, subset } = cluster;
  return discoveryTypeOf(service, port, effectivePolicy(rule, subset, port.number, push.mesh), client) === "eds";
}
