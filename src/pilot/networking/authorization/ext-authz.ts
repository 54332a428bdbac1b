import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { ExtAuthzSchema as HttpExtAuthzSchema } from "#gen/envoy/extensions/filters/http/ext_authz/v3/ext_authz_pb.js";
import { ExtAuthzSchema as NetworkExtAuthzSchema } from "#gen/envoy/extensions/filters/network/ext_authz/v3/ext_authz_pb.js";
import { StatusCode } from "#gen/envoy/type/v3/http_status_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type {
  CheckedBody,
  ExtAuthzGrpcProvider,
  ExtAuthzHttpProvider,
  ExtAuthzProvider,
} from "../../model/policy/ext-authz-provider.ts";
import type { FilterMessage } from "../filters/filter.ts";
import { affixMatcher, metadataMatcher, prefixMatcher, textValue } from "./patterns.ts";

/** A provider whose service is known. */
export type Reachable<P extends ExtAuthzProvider = ExtAuthzProvider> = P & { readonly cluster: string };

/** The rule that matched a request, as the RBAC filter before notes it. */
export interface MatchedRule {
  readonly filter: string;
  readonly key: string;
  readonly prefix: string;
}

/** The status codes that Envoy knows. */
const statusCodes = new Map<number, StatusCode>(
  Object.values(StatusCode).flatMap((code) => (typeof code === "number" ? [[code, code] as const] : [])),
);

/** Asks the provider about requests for which the filter before found a rule. */
export function httpExtAuthz(provider: Reachable, matched: MatchedRule, writer: ProtoWriter): FilterMessage {
  const value = writer.any(HttpExtAuthzSchema, {
    services:
      provider.type === "ext-authz-grpc"
        ? { case: "grpcService", value: grpcServiceOf(provider) }
        : { case: "httpService", value: httpServiceOf(provider) },
    transportApiVersion: ApiVersion.V3,
    failureModeAllow: provider.failOpen,
    withRequestBody: provider.body && bodyOf(provider.body),
    clearRouteCache: provider.clearsRouteCache,
    statusOnError: provider.statusOnError === undefined ? undefined : { code: statusCodes.get(provider.statusOnError) },
    filterEnabledMetadata: matcherOf(matched),
    allowedHeaders: provider.type === "ext-authz-http" ? headersOf(provider.requestHeaders) : undefined,
  });
  return { name: "envoy.filters.http.ext_authz", configType: { case: "typedConfig", value } };
}

/** The same for connections. Only gRPC knows them. */
export function networkExtAuthz(
  provider: Reachable<ExtAuthzGrpcProvider>,
  matched: MatchedRule,
  writer: ProtoWriter,
): FilterMessage {
  const value = writer.any(NetworkExtAuthzSchema, {
    statPrefix: "tcp.",
    grpcService: grpcServiceOf(provider),
    failureModeAllow: provider.failOpen,
    transportApiVersion: ApiVersion.V3,
    filterEnabledMetadata: matcherOf(matched),
  });
  return { name: "envoy.filters.network.ext_authz", configType: { case: "typedConfig", value } };
}

function matcherOf({ filter, key, prefix }: MatchedRule) {
  return metadataMatcher(filter, [key], textValue(prefixMatcher(prefix)));
}

const defaultTimeout = { seconds: 600n, nanos: 0 };

function grpcServiceOf({ cluster, hostname, timeout }: Reachable<ExtAuthzGrpcProvider>) {
  return {
    targetSpecifier: { case: "envoyGrpc", value: { clusterName: cluster, authority: hostname } },
    timeout: timeout ?? defaultTimeout,
  } as const;
}

function httpServiceOf(provider: Reachable<ExtAuthzHttpProvider>) {
  const { cluster, hostname, timeout, pathPrefix, addedHeaders } = provider;
  const headersToAdd = Object.entries(addedHeaders)
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([key, value]) => ({ key, value }));
  return {
    serverUri: {
      uri: `http://${hostname}`,
      httpUpstreamType: { case: "cluster", value: cluster },
      timeout: timeout ?? defaultTimeout,
    },
    pathPrefix,
    authorizationRequest: headersToAdd.length === 0 ? undefined : { headersToAdd },
    authorizationResponse: responseOf(provider),
  } as const;
}

function responseOf({ upstreamHeadersOnAllow, clientHeadersOnAllow, clientHeadersOnDeny }: ExtAuthzHttpProvider) {
  if (upstreamHeadersOnAllow.length + clientHeadersOnAllow.length + clientHeadersOnDeny.length === 0) return undefined;
  return {
    allowedUpstreamHeaders: headersOf(upstreamHeadersOnAllow),
    allowedClientHeaders: headersOf(clientHeadersOnDeny),
    allowedClientHeadersOnSuccess: headersOf(clientHeadersOnAllow),
  };
}

function headersOf(names: readonly string[]) {
  return names.length === 0 ? undefined : { patterns: names.map((name) => affixMatcher(name, true)) };
}

function bodyOf({ maxBytes, allowsPartial, asBytes }: CheckedBody) {
  return { maxRequestBytes: maxBytes, allowPartialMessage: allowsPartial, packAsBytes: asBytes };
}
