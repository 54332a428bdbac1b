import { type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { authoritiesIn } from "../../admin/explain/known-config.ts";
import {
  type PlacedPatch,
  type RemovedResource,
  type ResourceOrigins,
  resourceOrigins,
} from "../../admin/pilot/resource-origins.ts";
import { allTypes } from "../../admin/resource/all-types.ts";
import { publicJson, resourceJson } from "../../admin/resource/resource-json.ts";
import type { OfflineMesh } from "../../app/offline/read-mesh.ts";
import type { ConfigId } from "../../config/config.ts";
import type { KnownPatch, WholeEnvoyConfig } from "../../explain/envoy-config.ts";
import type { RefusedObject } from "../../explain/explanation.ts";
import type { KnownAuthorities } from "../../explain/trust.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { secretType } from "../../xds/type-urls.ts";
import { proxyResourceTypes } from "./proxy-resource-types.ts";

/** The resources that a proxy received or would receive, as `/debug/resources` shows them. */
export interface ProxyDump {
  /** The whole node id. */
  readonly node: string;
  /** The objects that the proxy refuses. A server of an earlier version does not tell. */
  readonly quarantined?: readonly RefusedObject[];
  readonly types: readonly DumpedType[];
}

interface DumpedType {
  readonly type_url: string;
  /** Known only for connected proxies. */
  readonly state?: string;
  /** Subscribed names without a resource. */
  readonly missing?: readonly string[];
  /** Resources that patches of EnvoyFilters removed. */
  readonly removed?: readonly RemovedResource[];
  readonly resources: readonly DumpedResource[];
}

interface DumpedResource extends ResourceOrigins {
  readonly state?: string;
  readonly resource: JsonValue;
}

interface KnownExtension {
  readonly name: string;
  /** Of the filter's configuration, without its package. */
  readonly type: string;
  readonly owners: readonly ConfigId[];
}

/** The configuration of a proxy as messages, and the places of the users' objects behind it. */
export interface KnownConfig {
  readonly config: WholeEnvoyConfig;
  /** The configurations of filters that arrive over ECDS. */
  readonly extensions: readonly KnownExtension[];
  /** `file:line` */
  readonly referenceOf: (id: ConfigId) => string | undefined;
}

/** The dump of a proxy that is not connected. */
export function dumpFor(proxy: Proxy, { resourcesFor, secretsFor, patchesFor, originOf }: OfflineMesh): ProxyDump {
  const origins = resourceOrigins(patchesFor(proxy), originOf);
  const types = resourcesFor(proxy).map(({ typeUrl, shortName, resources }) => ({
    type_url: typeUrl,
    ...origins.removedOf(shortName),
    resources: resources.map((resource) => ({
      ...origins.of(shortName, resource),
      resource: resourceJson(resource.entry),
    })),
  }));
  const secrets = secretsFor(proxy).map((resource) => ({
    ...origins.of("SDS", resource),
    resource: publicJson(resource.entry),
  }));
  return { node: proxy.nodeId, types: [...types, { type_url: secretType, resources: secrets }] };
}

export function readDump({ types }: ProxyDump): KnownConfig {
  const typesOf = (name: string) => {
    const typeUrl = proxyResourceTypes.find((type) => type.name === name)?.typeUrl;
    return types.filter((type) => type.type_url === typeUrl);
  };
  const resourcesOf = (name: string) => typesOf(name).flatMap(({ resources }) => resources);
  const removedOf = (name: string) => typesOf(name).flatMap(({ removed = [] }) => removed);
  const secrets = types.filter(({ type_url }) => type_url === secretType).flatMap(({ resources }) => resources);
  const references = new Map(
    types.flatMap(({ resources }) =>
      resources.flatMap(({ owners }) => owners.map((owner) => [owner.id, owner.reference])),
    ),
  );
  const config: WholeEnvoyConfig = {
    clusters: resourcesOf("cluster").map((resource) => messageIn(resource, ClusterSchema)),
    endpoints: resourcesOf("endpoint").map((resource) => messageIn(resource, ClusterLoadAssignmentSchema)),
    listeners: resourcesOf("listener").map((resource) => messageIn(resource, ListenerSchema)),
    routes: resourcesOf("route").map((resource) => messageIn(resource, RouteConfigurationSchema)),
    secrets: new Set(secrets.map(({ name }) => name)),
    authoritiesOf: (name) => authoritiesOf(secrets.find((secret) => secret.name === name)),
    ownersOf: (type, name) =>
      resourcesOf(type)
        .find((resource) => resource.name === name)
        ?.owners.map(({ id }) => id) ?? [],
    ownerOfPart: (type, name, part) =>
      resourcesOf(type).find((resource) => resource.name === name)?.part_owners?.[part] as ConfigId | undefined,
    patchesOf: (type, name) =>
      [...resourcesOf(type), ...removedOf(type)].find((resource) => resource.name === name)?.patches?.map(patchIn) ??
      [],
    removedOf: (type) => removedOf(type).map(({ name }) => name),
  };
  return {
    config,
    extensions: resourcesOf("ecds").map(extensionIn),
    referenceOf: (id) => references.get(id) || undefined,
  };
}

/** Undefined for a secret that holds no authorities. Private keys are redacted, and so cannot be read. */
function authoritiesOf(secret: DumpedResource | undefined): KnownAuthorities | undefined {
  if (secret === undefined || !isMapping(secret.resource) || !("validation_context" in secret.resource)) {
    return undefined;
  }
  return authoritiesIn(messageIn(secret, SecretSchema));
}

function extensionIn({ name, owners, resource }: DumpedResource): KnownExtension {
  const { typed_config: config } = resource as { readonly typed_config?: { readonly "@type"?: string } };
  return { name, type: config?.["@type"]?.split(".").at(-1) ?? "", owners: owners.map(({ id }) => id) };
}

function patchIn({ id, reference, patch, parts }: PlacedPatch): KnownPatch {
  return { object: id, part: patch, reference, parts };
}

function messageIn<Desc extends DescMessage>({ resource }: DumpedResource, schema: Desc): MessageShape<Desc> {
  const { "@type": _type, ...body } = resource as Readonly<Record<string, JsonValue>>;
  return fromJson(schema, body, { registry: allTypes() });
}
