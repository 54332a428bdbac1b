import { fromBinary, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { type Node, NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { isIpAddress } from "../../config/grammar/address.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { BadMessage } from "../../xds/wire/wire-format.ts";
import { isStock } from "../model/proxy/capabilities.ts";
import type { CertificateFiles, Certificates } from "../model/proxy/certificates.ts";
import type { Proxy } from "../model/proxy/proxy.ts";
import type { ProxySettings } from "../model/proxy/proxy-settings.ts";
import { readProxySettings } from "../registry/mesh/proxy-settings.ts";
import { leanNode } from "./lean-node.ts";

/** The reason why a client cannot be served, as a sentence for its operator. */
export class BadNode extends Error {
  override readonly name = "BadNode";
}

/** Reads the node of a stream's first message. Throws {@link BadNode}. */
export function readNode(bytes: Uint8Array | undefined): Proxy {
  if (bytes === undefined)
    throw new BadNode("missing node information: the first message of a stream must carry a node");
  return proxyOf(decode(bytes));
}

/** The same for a node that is at hand. Throws {@link BadNode}. */
export function proxyOf(node: Node): Proxy {
  const { type, ip, id, dnsDomain } = readNodeId(node.id);
  const metadata = node.metadata ?? {};
  const text = (key: string) => readText(metadata, key);
  const extensions = new Set(node.extensions.flatMap((extension) => extension.typeUrls));
  return {
    nodeId: node.id,
    type,
    id,
    dnsDomain,
    ipAddresses: readAddresses(ip, text("INSTANCE_IPS"), node.id),
    namespace: text("NAMESPACE") || namespaceOf(dnsDomain),
    labels: readLabels(metadata),
    clusterId: text("CLUSTER_ID"),
    network: text("NETWORK"),
    meshId: text("MESH_ID"),
    serviceAccount: text("SERVICE_ACCOUNT"),
    workloadName: text("WORKLOAD_NAME"),
    serviceCluster: node.cluster,
    locality: {
      region: node.locality?.region ?? "",
      zone: node.locality?.zone ?? "",
      subzone: node.locality?.subZone ?? "",
    },
    interception: readInterception(text("INTERCEPTION_MODE") || "REDIRECT"),
    certificates: readCertificates(metadata, extensions),
    settings: readSettings(metadata["PROXY_CONFIG"]),
    generator: text("GENERATOR"),
    build: readBuild(node),
    extensions,
    metadata: keptOf(metadata),
  };
}

/** `1.40.0`. Empty when the client does not say it. */
function readBuild({ userAgentVersionType: { case: type, value } }: Node): string {
  if (type !== "userAgentBuildVersion") return value ?? "";
  if (value.version === undefined) return "";
  const { majorNumber, minorNumber, patch } = value.version;
  return `${majorNumber}.${minorNumber}.${patch}`;
}

/** Metadata for later use; the settings are already read from the rest. */
function keptOf(metadata: JsonObject): Proxy["metadata"] {
  return Object.fromEntries(
    Object.entries(metadata).filter(([key, value]) => key === "LABELS" || typeof value !== "object"),
  );
}

function decode(bytes: Uint8Array): Node {
  try {
    return fromBinary(NodeSchema, leanNode(bytes));
  } catch (cause) {
    const detail = cause instanceof BadMessage ? `: ${cause.message}` : "";
    throw new BadNode(`the node is not a valid envoy.config.core.v3.Node${detail}`, { cause });
  }
}

function readNodeId(id: string) {
  if (id === "") throw new BadNode("missing node id: expected type~ip~name~dnsDomain");
  const parts = id.split("~");
  if (!hasFourParts(parts)) {
    throw new BadNode(`node id "${id}": expected type~ip~name~dnsDomain, four parts, found ${parts.length}`);
  }
  const [type, ip, name, dnsDomain] = parts;
  if (type !== "sidecar" && type !== "router") {
    throw new BadNode(`node id "${id}": type "${type}" is not one of sidecar, router`);
  }
  if (name === "") throw new BadNode(`node id "${id}": the name, its third part, is empty`);
  return { type, ip, id: name, dnsDomain } as const;
}

function hasFourParts(parts: readonly string[]): parts is readonly [string, string, string, string] {
  return parts.length === 4;
}

/** INSTANCE_IPS when all of them are addresses, else the address in the node id. */
function readAddresses(ip: string, instanceIps: string, nodeId: string): readonly string[] {
  const listed = instanceIps.split(",").filter((address) => address !== "");
  if (listed.length > 0 && listed.every((address) => isIpAddress(address))) return listed;
  if (isIpAddress(ip)) return [ip];
  throw new BadNode(`node id "${nodeId}": "${ip}" is not an IP address, and INSTANCE_IPS has no valid list either`);
}

const interceptions: ReadonlyMap<string, Proxy["interception"]> = new Map([
  ["REDIRECT", "redirect"],
  ["TPROXY", "tproxy"],
  ["NONE", "none"],
]);

function readInterception(mode: string): Proxy["interception"] {
  const interception = interceptions.get(mode);
  if (interception !== undefined) return interception;
  throw new BadNode(`node metadata INTERCEPTION_MODE: "${mode}" is not one of ${[...interceptions.keys()].join(", ")}`);
}

/** Metadata that every agent of Istio writes into the bootstrap of its Envoy: ports that the agent chooses. */
const agentKeys = ["ENVOY_PROMETHEUS_PORT", "ENVOY_STATUS_PORT"];

/**
 * `SDS_MODE` is our own field. Without it the proxy has Istio's agent, unless it is a stock Envoy that no agent
 * started. Such an Envoy would wait for ever for an agent that does not run.
 */
function readCertificates(metadata: JsonObject, extensions: ReadonlySet<string>): Certificates {
  const text = (key: string) => readText(metadata, key);
  const hasAgent = !isStock(extensions) || agentKeys.some((key) => key in metadata);
  const mode = text("SDS_MODE") || (hasAgent ? "agent" : "none");
  if (mode === "agent") return { type: mode, ...mounted("server", text), ...mounted("client", text) };
  if (mode === "none") return { type: mode };
  if (mode !== "files") throw new BadNode(`node metadata SDS_MODE: "${mode}" is not one of agent, files, none`);
  const path = (key: string) => {
    const given = text(key);
    if (given === "") throw new BadNode(`node metadata SDS_MODE is files, so ${key} must name a file`);
    return given;
  };
  return {
    type: "files",
    certificateChain: path("TLS_CERT_CHAIN"),
    privateKey: path("TLS_KEY"),
    rootCertificates: path("TLS_ROOT_CERT"),
  };
}

/** Certificates mounted beside the proxy, for one side of its connections; empty where there are none. */
function mounted(
  side: "server" | "client",
  text: (key: string) => string,
): { [Side in typeof side]?: CertificateFiles } {
  const path = (key: string) => text(`TLS_${side.toUpperCase()}_${key}`);
  const files = { certificateChain: path("CERT_CHAIN"), privateKey: path("KEY"), rootCertificates: path("ROOT_CERT") };
  return Object.values(files).every((each) => each === "") ? {} : { [side]: files };
}

/**
 * Settings that the agent merged from the mesh's defaults and the workload's annotations. Without an agent there are
 * none.
 */
function readSettings(config: JsonValue = {}): ProxySettings | undefined {
  if (config !== null && typeof config === "object" && Object.keys(config).length === 0) return undefined;
  try {
    return readProxySettings(config);
  } catch (cause) {
    throw new BadNode("node metadata PROXY_CONFIG is not a valid ProxyConfig", { cause });
  }
}

function namespaceOf(dnsDomain: string): string {
  const [first, ...rest] = dnsDomain.split(".");
  return rest.length > 0 && first !== undefined ? first : "";
}

type Metadata = Readonly<Record<string, unknown>>;

/** Numbers and booleans are taken as text: older agents quote them, newer ones do not. */
function readText(metadata: Metadata, key: string): string {
  const value = metadata[key] ?? "";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  throw new BadNode(`node metadata ${key}: expected a text, found ${JSON.stringify(value)}`);
}

function readLabels(metadata: Metadata): Readonly<Record<string, string>> {
  const labels = opened(metadata["LABELS"] ?? {});
  if (!isMapping(labels)) {
    throw new BadNode(`node metadata LABELS: expected a map of texts, found ${JSON.stringify(labels)}`);
  }
  return Object.fromEntries(
    Object.keys(labels)
      .toSorted()
      .map((key) => [key, readText(labels, key)]),
  );
}

/** Agents of Istio 1.3 and before wrote their labels as JSON in a text. */
function opened(labels: unknown): unknown {
  if (typeof labels !== "string") return labels;
  try {
    return JSON.parse(labels) ?? labels;
  } catch {
    return labels;
  }
}
