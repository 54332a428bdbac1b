import type { JsonObject } from "@bufbuild/protobuf";
import type { Labels } from "../../config/config.ts";
import type { MachineGroup } from "../../config/mesh/machine-group.ts";
import { toYaml } from "../../config/yaml/to-yaml.ts";
import { compareTexts } from "../../lib/compare.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import { accountOf, controlPlaneHost, type Machine } from "./machine.ts";

/** The files of a machine, by name. Istio's packages for VMs read exactly these. */
export const machineFileNames = ["cluster.env", "hosts", "istio-token", "mesh.yaml", "root-cert.pem"] as const;

export type MachineFiles = Readonly<Record<(typeof machineFileNames)[number], string>>;

/** The content of all files, as `istioctl x workload entry configure` writes them. */
export function machineFiles(machine: Machine): MachineFiles {
  const { ingressIp, rootCertificates, token } = machine;
  const proxyConfig = proxyConfigOf(machine);
  return {
    "cluster.env": clusterEnv(machine, proxyConfig),
    hosts: ingressIp === undefined ? "" : `${ingressIp} ${controlPlaneHost(machine)}\n`,
    "istio-token": token,
    "mesh.yaml": `${toYaml({ defaultConfig: sorted(proxyConfig) })}\n`,
    "root-cert.pem": rootCertificates,
  };
}

/** The ProxyConfig of the machine's agent. Its variables are those that injection gives to a pod. */
function proxyConfigOf(machine: Machine): JsonObject {
  const { group, settings, clusterId, autoRegister, captureDns, revision } = machine;
  const { readinessProbe: _ofMesh, ...config } = settings.proxyConfig;
  const { meshId } = config;
  const { spec, namespace, name } = group;
  const { template = {}, probe } = spec;
  const labels = canonicalLabels(group);
  const ports = Object.entries(template.ports ?? {}).toSorted(([a], [b]) => compareTexts(a, b));
  const discoveryAddress = revision === "" ? undefined : `${controlPlaneHost(machine)}:15012`;
  return {
    ...(discoveryAddress !== undefined && { discoveryAddress }),
    ...config,
    ...(probe && { readinessProbe: probe }),
    proxyMetadata: {
      ...textsIn(config["proxyMetadata"]),
      CANONICAL_SERVICE: labels[canonicalName] ?? "",
      CANONICAL_REVISION: labels[canonicalRevision] ?? "",
      POD_NAMESPACE: namespace,
      SERVICE_ACCOUNT: accountOf(group),
      TRUST_DOMAIN: settings.trustDomain,
      ISTIO_META_CLUSTER_ID: clusterId,
      ISTIO_META_MESH_ID: typeof meshId === "string" ? meshId : "",
      ISTIO_META_NETWORK: template.network ?? "",
      ...(ports.length > 0 && { ISTIO_META_POD_PORTS: podPorts(ports) }),
      ISTIO_META_WORKLOAD_NAME: name,
      ISTIO_METAJSON_LABELS: JSON.stringify(sorted(labels)),
      ...(captureDns && { ISTIO_META_DNS_CAPTURE: "true" }),
      ...(autoRegister && { ISTIO_META_AUTO_REGISTER_GROUP: name }),
    },
  };
}

function podPorts(ports: readonly (readonly [string, number])[]): string {
  return JSON.stringify(ports.map(([name, containerPort]) => ({ name, containerPort, protocol: "" })));
}

const canonicalName = "service.istio.io/canonical-name";
const canonicalRevision = "service.istio.io/canonical-revision";

/** The labels of the machine, with those that group the metrics of a service. Labels of the template win. */
function canonicalLabels({ name, spec }: MachineGroup): Labels {
  const labels = { ...spec.metadata?.labels, ...spec.template?.labels };
  const first = (...names: readonly string[]) => names.map((each) => ownValue(labels, each)).find((value) => value);
  return {
    ...labels,
    [canonicalName]: first(canonicalName, "app.kubernetes.io/name", "app") ?? name,
    [canonicalRevision]: first(canonicalRevision, "app.kubernetes.io/version", "version") ?? "latest",
  };
}

/** SSH, so that a mistake leaves the machine reachable, and the ports of Envoy and its agent. */
const reservedPorts = [22, 15_090, 15_021];
const agentPort = 15_020;

/** The variables of the script that starts the agent and redirects traffic to it. */
function clusterEnv(machine: Machine, proxyConfig: JsonObject): string {
  const { group, revision, address } = machine;
  const { namespace, name, spec } = group;
  const ports = Object.values(spec.template?.ports ?? {}).toSorted((a, b) => a - b);
  const statusPort = Number(proxyConfig["statusPort"] ?? 0) || agentPort;
  const excluded = [...reservedPorts, ...(reservedPorts.slice(1).includes(statusPort) ? [] : [statusPort])];
  return envText({
    ...textsIn(proxyConfig["proxyMetadata"]),
    ISTIO_INBOUND_PORTS: ports.length === 0 ? "*" : ports.join(","),
    ISTIO_NAMESPACE: namespace,
    ISTIO_SERVICE: `${name}.${namespace}`,
    ISTIO_SERVICE_CIDR: "*",
    ISTIO_LOCAL_EXCLUDE_PORTS: excluded.join(","),
    SERVICE_ACCOUNT: accountOf(group),
    ...(revision !== "" && { CA_ADDR: `${controlPlaneHost(machine)}:15012` }),
    ...(address !== undefined && { ISTIO_SVC_IP: address.ip }),
    ...(address?.type === "external" && { REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION: "true" }),
  });
}

/** One `NAME='VALUE'` per line, for a shell. */
function envText(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value.replaceAll("'", `'"'"'`)}'`);
  return `${lines.toSorted(compareTexts).join("\n")}\n`;
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  return isMapping(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)])) : {};
}

/** With the fields in order, at all depths. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
