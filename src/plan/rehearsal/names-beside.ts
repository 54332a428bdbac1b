import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import type { TransportSocket } from "#gen/envoy/config/core/v3/base_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { SdsSecretConfig } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import {
  type CommonTlsContext,
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { extensionType, secretType } from "../../xds/type-urls.ts";
import { anyIn } from "../../xds/wire/entry.ts";

/** The names of secrets and of filters that an Envoy asks its own stream for, because a resource refers to them. */
interface NamesBeside {
  readonly secrets: readonly string[];
  readonly extensions: readonly string[];
}

/** The names that listeners and clusters refer to, of secrets or of extensions. */
export function namesBeside(typeUrl: string, clusters: Iterable<Resource>, listeners: Iterable<Resource>) {
  const what = typeUrl === secretType ? "secrets" : "extensions";
  return new Set([
    ...Array.from(clusters, (each) => inCluster(each)[what]).flat(),
    ...Array.from(listeners, (each) => inListener(each)[what]).flat(),
  ]);
}

/** Types whose names are in listeners and clusters. */
export const typesBeside: readonly string[] = [extensionType, secretType];

const inListener = oncePer((resource: Resource): NamesBeside => {
  const { filterChains, defaultFilterChain, listenerFilters } = messageIn(resource, ListenerSchema);
  const chains = [...filterChains, ...(defaultFilterChain === undefined ? [] : [defaultFilterChain])];
  const filters = chains.flatMap((chain) => chain.filters);
  const inHttp = filters.flatMap(({ configType }) => {
    if (configType.case !== "typedConfig") return [];
    return anyUnpack(configType.value, HttpConnectionManagerSchema)?.httpFilters ?? [];
  });
  return {
    secrets: chains.flatMap(({ transportSocket }) => secretsOf(transportSocket)),
    extensions: [...listenerFilters, ...filters, ...inHttp].flatMap(({ name, configType }) =>
      configType.case === "configDiscovery" ? [name] : [],
    ),
  };
});

const inCluster = oncePer((resource: Resource): NamesBeside => {
  const { transportSocket, transportSocketMatches } = messageIn(resource, ClusterSchema);
  const sockets = [transportSocket, ...transportSocketMatches.map((match) => match.transportSocket)];
  return { secrets: sockets.flatMap(secretsOf), extensions: [] };
});

function secretsOf(socket: TransportSocket | undefined): readonly string[] {
  const config = socket?.configType.case === "typedConfig" ? socket.configType.value : undefined;
  const context = config && contextIn(config);
  if (context === undefined) return [];
  const { tlsCertificateSdsSecretConfigs: certificates, validationContextType: validation } = context;
  const authorities =
    validation.case === "validationContextSdsSecretConfig"
      ? validation.value
      : validation.case === "combinedValidationContext"
        ? validation.value.validationContextSdsSecretConfig
        : undefined;
  return [...certificates, ...(authorities === undefined ? [] : [authorities])].flatMap(ofOwnStream);
}

function contextIn(config: Any): CommonTlsContext | undefined {
  const context = anyUnpack(config, DownstreamTlsContextSchema) ?? anyUnpack(config, UpstreamTlsContextSchema);
  return context?.commonTlsContext;
}

/** Other secrets come from the agent beside the Envoy. */
function ofOwnStream({ name, sdsConfig }: SdsSecretConfig): readonly string[] {
  return sdsConfig?.configSourceSpecifier.case === "ads" ? [name] : [];
}

function messageIn<Desc extends DescMessage>({ entry }: Resource, schema: Desc): MessageShape<Desc> {
  return fromBinary(schema, fromBinary(AnySchema, anyIn(entry)).value);
}
