import type { JsonObject } from "@bufbuild/protobuf";
import type { Certificates } from "../../pilot/model/proxy/certificates.ts";
import { BadNode } from "../../pilot/xds/node.ts";

/** The node of a proxy, as its bootstrap file has it under `node`. */
export interface BootstrapNode {
  readonly id: string;
  /** The name of the Envoy in traces and statistics. */
  readonly cluster: string;
  readonly metadata: JsonObject;
}

export interface NodeSketch {
  /** `TYPE~NAME.NAMESPACE`, or `TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN`. */
  readonly id: string;
  /** The DNS domain that completes the short form. */
  readonly domain: string;
  readonly clusterId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The certificates of an Envoy. The node of a gRPC client does not mention certificates. */
  readonly certificates: Certificates;
  /** Overrides the derived metadata. */
  readonly metadata: JsonObject;
}

/** The Istio release of the generated configuration. Tools show it as the version of the proxy. */
const istioVersion = "1.29.6";

/** Derives the node from an id, with the metadata of all our proxies. Throws {@link BadNode}. */
export function describeNode(sketch: NodeSketch): BootstrapNode {
  const { type, ip, name, dnsDomain } = partsOf(sketch);
  const [workload = "", namespace = dnsDomain.split(".", 1)[0] ?? ""] = name.split(".", 2);
  const labels = { app: workload.replace(/-\d+$/u, ""), ...sketch.labels };
  const metadata = {
    NAMESPACE: namespace,
    CLUSTER_ID: sketch.clusterId,
    INSTANCE_IPS: ip,
    ISTIO_VERSION: istioVersion,
    PROXY_CONFIG: {},
    LABELS: labels,
    ...(sketch.metadata["GENERATOR"] !== "grpc" && { ...interceptionOf(type), ...certificatesOf(sketch) }),
    ...sketch.metadata,
  };
  return { id: `${type}~${ip}~${name}~${dnsDomain}`, cluster: `${labels.app}.${namespace}`, metadata };
}

/** Without interception, the listeners need no root privileges. */
function interceptionOf(type: string): JsonObject {
  return type === "sidecar" ? { INTERCEPTION_MODE: "NONE" } : {};
}

/** Without this metadata, the server assumes an SDS agent. */
function certificatesOf({ certificates }: NodeSketch): JsonObject {
  if (certificates.type === "agent") return {};
  if (certificates.type === "none") return { SDS_MODE: "none" };
  return {
    SDS_MODE: "files",
    TLS_CERT_CHAIN: certificates.certificateChain,
    TLS_KEY: certificates.privateKey,
    TLS_ROOT_CERT: certificates.rootCertificates,
  };
}

function partsOf({ id, domain }: NodeSketch) {
  const parts = id.split("~");
  const [type = "", ip = "", name = "", dnsDomain = "", ...rest] =
    parts.length === 2 ? completed(parts, domain) : parts;
  if (!/^(?:sidecar|router)$/u.test(type) || ip === "" || name === "" || dnsDomain === "" || rest.length > 0) {
    const expected = "TYPE~NAME.NAMESPACE or TYPE~IP~NAME.NAMESPACE~NAMESPACE.svc.DOMAIN, TYPE being sidecar or router";
    throw new BadNode(`expected ${expected}; found ${JSON.stringify(id)}`);
  }
  return { type, ip, name, dnsDomain };
}

function completed([type = "", name = ""]: readonly string[], domain: string): readonly string[] {
  const namespace = name.split(".", 2)[1] ?? "";
  return [type, "127.0.0.1", name, namespace === "" ? "" : `${namespace}.svc.${domain}`];
}
