import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { namespaceMtlsMode } from "../../model/mtls/mtls-policy.ts";
import { mtlsRefusalsIn } from "../../model/mtls/mtls-refusals.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { isResolvedByClient, serviceKey } from "../../model/service/service.ts";
import { catchAllClusters } from "../../networking/cluster/catch-all-clusters.ts";
import type { OutboundClusterInputs } from "../../networking/cluster/outbound/build-outbound-cluster.ts";
import { buildOutboundCluster } from "../../networking/cluster/outbound/build-outbound-cluster.ts";
import type { ServiceCluster } from "../../networking/cluster/outbound/service-clusters.ts";
import { clusterNames, serviceClusters, servicesNamed } from "../../networking/cluster/outbound/service-clusters.ts";
import { allBut, type Generated, type GeneratorRun, only, type PartFamily } from "../generator.ts";
import { affectedHostnames } from "./affected-hostnames.ts";
import type { ClientPart } from "./scope-part.ts";
import { clientParts, scopeDependencies, scopeOf } from "./scope-part.ts";
import { isSniDnatRouter } from "./sni-dnat.ts";

/** Endpoints inside a cluster change their service as well, so endpoint changes add nothing. */
const concerns = allBut("Endpoints", "Instance", "Gateway");
/** Routers see every service that is exported to them, independent of Sidecars and virtual services. */
const concernsSniDnat = only("Service", "DestinationRule", "PeerAuthentication");

/** CDS: a cluster per port and subset of every service the proxy sees. */
export function outboundClusters(writer: ProtoWriter): PartFamily<ClientPart> {
  return { ...family({ sniDnat: false }, writer), name: "outbound", parts: clientParts };
}

/** CDS of routers between networks: the same clusters again, for mesh mTLS passthrough. */
export function sniDnatClusters(writer: ProtoWriter): PartFamily<ClientPart> {
  return {
    ...family({ sniDnat: true }, writer),
    name: "sni-dnat",
    parts: (proxy, push) => (isSniDnatRouter(proxy, push) ? clientParts(proxy, push) : []),
  };
}

function family(
  { sniDnat }: { readonly sniDnat: boolean },
  writer: ProtoWriter,
): Pick<PartFamily<ClientPart>, "concerns" | "dependencies" | "generate"> {
  const concerned = sniDnat ? concernsSniDnat : concerns;

  function generate({ inputs, push, since }: GeneratorRun<ClientPart>): Generated {
    const scope = scopeOf(inputs, push);
    const { client, location } = inputs;
    const labels = location.selected;
    const hostnames = affectedHostnames((each) => scopeOf(inputs, each), push, since, concerned);
    const resources: Resource[] = [];
    for (const service of servicesNamed(hostnames, scope)) {
      if (sniDnat && service.meshExternal) continue;
      for (const cluster of serviceClusters(service, { namespace: scope.namespace, labels }, push)) {
        const resource = buildOutboundCluster({ ...inputsOf(cluster, inputs, push), sniDnat }, writer);
        if (resource !== undefined) resources.push(resource);
      }
    }
    if (hostnames === "all" || since === undefined) {
      const catchAlls = sniDnat ? [] : catchAllClusters(client, push.mesh, writer);
      return { covers: "all", resources: [...resources, ...catchAlls] };
    }
    const pushes = [since.push, push].map((each) => ({ push: each, scope: scopeOf(inputs, each) }));
    return { covers: clusterNames(hostnames, pushes, { labels, sniDnat }), resources };
  }

  return { concerns: concerned, dependencies: scopeDependencies, generate };
}

/** The cluster contains only names that Envoy resolves itself; all other endpoints are in EDS. */
function inputsOf(cluster: ServiceCluster, { client, location }: ClientPart, push: PushContext): OutboundClusterInputs {
  const { service } = cluster;
  const key = serviceKey(service);
  return {
    ...cluster,
    client,
    location,
    mesh: push.mesh,
    networks: push.networks,
    refusals: mtlsRefusalsIn(push),
    mtls: namespaceMtlsMode(service.namespace, push),
    peers: push.peers.get(key),
    endpoints: isResolvedByClient(service) ? push.endpoints.get(key) : undefined,
  };
}
