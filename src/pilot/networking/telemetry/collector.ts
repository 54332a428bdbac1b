import { HeaderValueOption_HeaderAppendAction as AppendAction } from "#gen/envoy/config/core/v3/base_pb.js";
import type { Duration } from "../../model/duration.ts";
import type { HttpTransport, ProviderHeader } from "../../model/policy/telemetry-provider.ts";

/** The hostname of an outbound cluster's service. */
export function hostnameOf(cluster: string): string {
  return cluster.slice(cluster.lastIndexOf("|") + 1);
}

/** A gRPC service that receives logs or spans. */
export function grpcCollector(
  cluster: string,
  {
    timeout,
    metadata = [],
  }: { readonly timeout?: Duration | undefined; readonly metadata?: readonly ProviderHeader[] } = {},
) {
  const envoyGrpc = { clusterName: cluster, authority: hostnameOf(cluster) };
  return {
    targetSpecifier: { case: "envoyGrpc", value: envoyGrpc } as const,
    timeout,
    initialMetadata: metadata.map(({ name, value }) => ({ key: name, value })),
  };
}

/** An HTTP service that receives spans, or answers a sampler. */
export function httpCollector(cluster: string, { path, timeout, headers }: Omit<HttpTransport, "type">) {
  const uri = joinPath(hostnameOf(cluster), path);
  return httpService({ cluster, uri, timeout, headers });
}

export function httpService({
  cluster,
  uri,
  timeout,
  headers,
}: {
  readonly cluster: string;
  readonly uri: string;
  readonly timeout: Duration | undefined;
  readonly headers: readonly ProviderHeader[];
}) {
  return {
    httpUri: { uri, httpUpstreamType: { case: "cluster", value: cluster } as const, timeout },
    requestHeadersToAdd: headers.map(({ name, value }) => ({
      header: { key: name, value },
      appendAction: AppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
    })),
  };
}

/** Joins a host and a path with one slash between segments. A slash at the end stays. */
function joinPath(host: string, path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  const joined = [host, ...segments].join("/");
  return path.endsWith("/") ? `${joined}/` : joined;
}
