import type { JsonObject } from "@bufbuild/protobuf";
import { describeNode } from "../../../../src/cli/nodes/describe-node.ts";
import { envoyBootstrap } from "../../../../src/cli/nodes/envoy-bootstrap.ts";
import type { XdsTls } from "../../../../src/cli/nodes/tls-socket.ts";

/** The node of a proxy. `metadata` overrides the common metadata. */
export interface EnvoyNode {
  readonly id: string;
  readonly metadata: JsonObject;
  /** The version of Envoy that a client of a test claims to be. Default: it tells none. */
  readonly envoyVersion?: { readonly majorNumber: number; readonly minorNumber: number };
}

/** The metadata that every proxy sends. The metadata of a node overrides it. */
export const commonMetadata = {
  CLUSTER_ID: "Kubernetes",
  ISTIO_VERSION: "1.29.6",
  INSTANCE_IPS: "127.0.0.1",
  PROXY_CONFIG: {},
};

export const gatewayNode: EnvoyNode = {
  id: "router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local",
  metadata: { NAMESPACE: "istio-system", LABELS: { app: "gw" } },
};

/** A sidecar without interception: its listeners bind `127.0.0.1:<service port>`, so it needs no root. */
export const sidecarNode: EnvoyNode = {
  id: "sidecar~127.0.0.9~client-0.default~default.svc.cluster.local",
  metadata: { NAMESPACE: "default", INSTANCE_IPS: "127.0.0.9", INTERCEPTION_MODE: "NONE", LABELS: { app: "client" } },
};

/** The part of Envoy's bootstrap that varies; `startEnvoyWith` adds the admin address. */
export type Bootstrap = Readonly<Record<string, unknown>>;

/** The output of `binnacle bootstrap envoy` for this node, with the test's own metadata. */
export function adsBootstrap(
  xdsPort: number,
  mode: "sotw" | "delta",
  { id, metadata }: EnvoyNode,
  xdsTls?: XdsTls,
): Bootstrap {
  const xds = { host: "127.0.0.1", port: xdsPort };
  const settings = { domain: "cluster.local", clusterId: "Kubernetes", labels: {} };
  const node = describeNode({ ...settings, id, certificates: { type: "none" }, metadata });
  return { ...envoyBootstrap({ node, xds, admin: { ...xds, port: 0 }, mode, ...(xdsTls && { xdsTls }) }) };
}
