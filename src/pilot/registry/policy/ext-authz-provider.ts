import type {
  MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationRequestBody as IstioBody,
  MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationGrpcProvider as IstioGrpc,
  MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationHttpProvider as IstioHttp,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { durationOf } from "../../model/duration.ts";
import type { CheckedBody, ExtAuthzGrpcProvider, ExtAuthzHttpProvider } from "../../model/policy/ext-authz-provider.ts";
import type { ProviderTarget } from "./provider-target.ts";

export function extAuthzGrpcOf(name: string, said: IstioGrpc, target: ProviderTarget): ExtAuthzGrpcProvider {
  return { type: "ext-authz-grpc", ...common(name, said, target) };
}

export function extAuthzHttpOf(name: string, said: IstioHttp, target: ProviderTarget): ExtAuthzHttpProvider {
  const { includeRequestHeadersInCheck: headers, includeHeadersInCheck: oldHeaders } = said;
  return {
    type: "ext-authz-http",
    ...common(name, said, target),
    pathPrefix: said.pathPrefix,
    // The newer field replaces the older one.
    requestHeaders: headers.length > 0 ? headers : oldHeaders,
    addedHeaders: said.includeAdditionalHeadersInCheck,
    upstreamHeadersOnAllow: said.headersToUpstreamOnAllow,
    clientHeadersOnAllow: said.headersToDownstreamOnAllow,
    clientHeadersOnDeny: said.headersToDownstreamOnDeny,
  };
}

function common(name: string, said: IstioGrpc | IstioHttp, { hostname, cluster }: ProviderTarget) {
  return {
    name,
    hostname,
    cluster,
    timeout: durationOf(said.timeout),
    failOpen: said.failOpen,
    statusOnError: said.statusOnError === "" ? undefined : Number(said.statusOnError),
    body: bodyOf(said.includeRequestBodyInCheck),
    clearsRouteCache: said.clearRouteCache,
  };
}

function bodyOf(body: IstioBody | undefined): CheckedBody | undefined {
  if (body === undefined) return undefined;
  return { maxBytes: body.maxRequestBytes, allowsPartial: body.allowPartialMessage, asBytes: body.packAsBytes };
}
