import { type Config, configId } from "../../../config/config.ts";
import type { MeshPort, MeshService } from "../../../config/mesh/mesh-service.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Port, Service } from "../../model/service/service.ts";
import { parseProtocol } from "./protocol.ts";

/**
 * SANs that certificates may have beside those of the endpoints' accounts: in full, and as accounts of the namespace.
 */
const namesAnnotation = "alpha.istio.io/canonical-serviceaccounts";
const accountsAnnotation = "alpha.istio.io/kubernetes-serviceaccounts";

/** Converts a service of a cluster. */
export function clusterServiceOf(config: Config<MeshService>, mesh: MeshSettings): Service {
  const { spec, namespace } = config;
  return {
    hostname: spec.hostname,
    namespace,
    registry: "Kubernetes",
    ports: spec.ports.map(clusterPortOf),
    addresses: spec.access.type === "virtual" ? spec.access.addresses : [],
    resolution: spec.access.type === "headless" ? "passthrough" : "static",
    meshExternal: false,
    subjectAltNames: subjectAltNamesOf(config, mesh),
    racesAddresses: false,
    aliases: [],
    trafficDistribution: trafficDistributionOf(spec.trafficDistribution),
    nodeLocal: spec.nodeLocal,
    exportTo: spec.exportTo.length > 0 ? spec.exportTo : mesh.defaultServiceExportTo,
    labels: config.labels,
    createdAt: config.createdAt,
    owner: configId("Service", namespace, config.name),
  };
}

/** A named target port is looked up in each endpoint. */
export function clusterPortOf({ number, name, protocol, targetPort }: MeshPort): Port {
  return {
    number,
    name,
    protocol: parseProtocol(protocol),
    targetPort: typeof targetPort === "number" ? targetPort : number,
  };
}

function subjectAltNamesOf({ annotations, namespace }: Config<MeshService>, mesh: MeshSettings): readonly string[] {
  const accounts = listOf(annotations[accountsAnnotation]);
  return [
    ...listOf(annotations[namesAnnotation]),
    ...accounts.map((account) => `spiffe://${mesh.trustDomain}/ns/${namespace}/sa/${account}`),
  ];
}

function listOf(text = ""): readonly string[] {
  return text === "" ? [] : text.split(",");
}

const distributions: ReadonlyMap<string, Service["trafficDistribution"]> = new Map([
  ["preferclose", "same-zone"],
  ["prefersamezone", "same-zone"],
  ["prefersamenode", "same-node"],
]);

/** Parses Kubernetes' value in any case; an unknown value has no preference. */
export function trafficDistributionOf(text = ""): Service["trafficDistribution"] {
  return distributions.get(text.toLowerCase()) ?? "any";
}
