import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { DataSource } from "#gen/envoy/config/core/v3/base_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { type Secret, SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import type { ConfigId, Origin } from "../../config/config.ts";
import type { EnvoyConfig, ResourceType } from "../../explain/envoy-config.ts";
import type { KnownAuthorities } from "../../explain/trust.ts";
import type { TypedEffect } from "../../pilot/xds/patch-effects.ts";
import { configOwners } from "../../pilot/xds/status/suspects.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { clusterType, endpointType, listenerType, routeType, secretType } from "../../xds/type-urls.ts";
import { resourceBytes } from "../resource/resource-json.ts";
import { type PlacedPatch, resourceOrigins } from "../pilot/resource-origins.ts";

/** All resources of a proxy of one type. */
export interface HeldResources {
  readonly typeUrl: string;
  readonly resources: readonly Resource[];
}

const types = {
  listener: { typeUrl: listenerType, shortName: "LDS" },
  route: { typeUrl: routeType, shortName: "RDS" },
  cluster: { typeUrl: clusterType, shortName: "CDS" },
  endpoint: { typeUrl: endpointType, shortName: "EDS" },
} as const;

/** The configuration of a proxy for `explain`, from its resources and from the patches that changed them. */
export function knownConfig(
  held: readonly HeldResources[],
  effects: readonly TypedEffect[],
  originOf: (id: ConfigId) => Origin | undefined,
): EnvoyConfig {
  const resourcesOf = (typeUrl: string) =>
    held.filter((each) => each.typeUrl === typeUrl).flatMap(({ resources }) => resources);
  const byName = (typeUrl: string) => new Map(resourcesOf(typeUrl).map((resource) => [resource.name, resource]));
  const known = {
    listener: byName(listenerType),
    route: byName(routeType),
    cluster: byName(clusterType),
    endpoint: byName(endpointType),
  };
  const secrets = byName(secretType);
  const origins = resourceOrigins(effects, originOf);
  const removed = (type: ResourceType) => origins.removedOf(types[type].shortName).removed ?? [];
  const named =
    <Desc extends DescMessage>(type: ResourceType, schema: Desc) =>
    (name: string) => {
      const resource = known[type].get(name);
      return resource && messageIn(resource, schema);
    };
  return {
    listeners: Array.from(known.listener.values(), (resource) => messageIn(resource, ListenerSchema)),
    routes: named("route", RouteConfigurationSchema),
    clusters: named("cluster", ClusterSchema),
    endpoints: named("endpoint", ClusterLoadAssignmentSchema),
    secrets: new Set(secrets.keys()),
    authoritiesOf(name) {
      const secret = secrets.get(name);
      return secret && authoritiesIn(messageIn(secret, SecretSchema));
    },
    ownersOf(type, name) {
      const resource = known[type].get(name);
      return resource === undefined ? [] : configOwners(resource);
    },
    ownerOfPart: (type, name, part) => known[type].get(name)?.partOwners?.[part] as ConfigId | undefined,
    patchesOf(type, name) {
      const resource = known[type].get(name);
      const patches =
        resource === undefined
          ? removed(type).find((each) => each.name === name)?.patches
          : origins.of(types[type].shortName, resource).patches;
      return (patches ?? []).map(patchIn);
    },
    removedOf: (type) => removed(type).map(({ name }) => name),
  };
}

function patchIn({ id, reference, patch, parts }: PlacedPatch) {
  return { object: id, part: patch, reference, parts };
}

function messageIn<Desc extends DescMessage>({ entry }: Resource, schema: Desc): MessageShape<Desc> {
  return fromBinary(schema, fromBinary(AnySchema, resourceBytes(entry)).value);
}

/** Undefined for a secret that holds no authorities. */
export function authoritiesIn({ type }: Secret): KnownAuthorities | undefined {
  if (type.case !== "validationContext") return undefined;
  const [certificates, revocations] = [type.value.trustedCa, type.value.crl].map(textIn);
  return certificates === undefined ? undefined : { certificates, revocations };
}

function textIn(source: DataSource | undefined): string | undefined {
  const specifier = source?.specifier;
  if (specifier?.case === "inlineString") return specifier.value;
  return specifier?.case === "inlineBytes" ? Buffer.from(specifier.value).toString("utf8") : undefined;
}
