import { fromBinary } from "@bufbuild/protobuf";
import {
  type Endpoint,
  type Endpoints,
  Health,
  type Port,
  type Service,
  ServiceSchema,
} from "#gen/binnacle/mesh/v1/service_pb.js";
import {
  type EndpointHealth,
  type MeshEndpoint,
  type MeshPort,
  type MeshService,
  meshServiceConfig,
  type ServiceAccess,
} from "../../config/mesh/mesh-service.ts";
import { assert } from "../../lib/assert.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { MessageLiteral } from "../../lib/proto-writer/proto-writer.ts";
import { type Body, bodyWriter, typeUrlOf } from "./body.ts";

/** The lossless encoding of our own services. So a remote Pilot sees the same services as a local one. */
export const meshServiceBody: Body = {
  typeUrl: typeUrlOf(ServiceSchema),
  fits: isMeshService,
  encode(spec) {
    assert(isMeshService(spec), "only a service is encoded as such");
    return bodyWriter.any(ServiceSchema, messageOf(spec));
  },
  decode: (value) => serviceOf(fromBinary(ServiceSchema, value)),
  versionOf({ spec, ...around }) {
    assert(isMeshService(spec), "only a service is hashed as such");
    return meshServiceConfig(around, spec).version;
  },
};

const healths: Readonly<Record<EndpointHealth, Health>> = {
  healthy: Health.HEALTHY,
  unhealthy: Health.UNHEALTHY,
  draining: Health.DRAINING,
  terminating: Health.TERMINATING,
};
const healthNames = new Map(Object.entries(healths).map(([name, health]) => [health, name as EndpointHealth]));

function isMeshService(spec: unknown): spec is MeshService {
  return isMapping(spec) && "hostname" in spec && "access" in spec && !("$typeName" in spec);
}

function messageOf(service: MeshService): MessageLiteral<typeof ServiceSchema> {
  const { endpoints, ports, access, ...same } = service;
  return {
    ...same,
    access: accessMessage(access),
    ports: ports.map(({ targetPort, ...port }) => ({
      ...port,
      target:
        typeof targetPort === "number"
          ? { case: "targetNumber", value: targetPort }
          : { case: "targetName", value: targetPort },
    })),
    endpoints: endpoints && {
      list: endpoints.map(({ locality, health, ...rest }) => ({ ...rest, ...locality, health: healths[health] })),
    },
  };
}

function accessMessage(access: ServiceAccess): MessageLiteral<typeof ServiceSchema>["access"] {
  if (access.type === "virtual") return { case: "virtual", value: { addresses: access.addresses } };
  if (access.type === "alias") return { case: "alias", value: { externalName: access.externalName } };
  return { case: "headless", value: {} };
}

function serviceOf(message: Service): MeshService {
  return {
    hostname: message.hostname,
    access: accessOf(message.access),
    ports: message.ports.map(portOf),
    externalAddresses: message.externalAddresses,
    exportTo: message.exportTo,
    selector: message.selector,
    nodeLocal: message.nodeLocal,
    trafficDistribution: message.trafficDistribution,
    publishNotReadyAddresses: message.publishNotReadyAddresses,
    endpoints: endpointsOf(message.endpoints),
  };
}

function accessOf({ case: type, value }: Service["access"]): ServiceAccess {
  if (type === "virtual") return { type, addresses: value.addresses };
  if (type === "alias") return { type, externalName: value.externalName };
  if (type === undefined) throw new TypeError("the access type of a service is missing");
  return { type };
}

function portOf({ name, number, protocol, target, nodePort }: Port): MeshPort {
  return { name, number, protocol, targetPort: target.value ?? 0, nodePort };
}

function endpointsOf(endpoints: Endpoints | undefined): readonly MeshEndpoint[] | undefined {
  return endpoints?.list.map(endpointOf);
}

function endpointOf({ region, zone, subzone, health, serviceAccount, ...endpoint }: Endpoint): MeshEndpoint {
  return {
    address: endpoint.address,
    ports: endpoint.ports,
    health: healthNames.get(health) ?? "unhealthy",
    labels: endpoint.labels,
    locality: { region, zone, subzone },
    node: endpoint.node,
    network: endpoint.network,
    weight: endpoint.weight,
    serviceAccount,
    namespace: endpoint.namespace,
    workloadName: endpoint.workloadName,
    workloadKind: endpoint.workloadKind,
    hostname: endpoint.hostname,
    subdomain: endpoint.subdomain,
  };
}
