import { ownValue } from "../../lib/own-value.ts";
import type { Container, EnvVar, Fields } from "../pod.ts";
import { annotated, interceptionOf, type TemplateInput } from "./template-input.ts";

/** The variables that the agent reads at its start. The order is Istio's. */
export function proxyEnv(input: TemplateInput, proxy: "sidecar" | "router"): readonly EnvVar[] {
  const { settings, mesh, launch, workload, labels, annotations } = input;
  const meshId = settings.meshId || mesh.trustDomain;
  const workloadName = (proxy === "sidecar" && ownValue(labels, "service.istio.io/workload-name")) || workload.name;
  const isOwned = workload.apiVersion !== "" && workload.name !== "";
  return [
    ...(proxy === "sidecar" && mesh.inboundToLocalhost
      ? [variable("REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION", "true")]
      : []),
    variable("PILOT_CERT_PROVIDER", "istiod"),
    variable("CA_ADDR", settings.caAddress || launch.discoveryAddress),
    fromField("POD_NAME", "metadata.name"),
    fromField("POD_NAMESPACE", "metadata.namespace"),
    fromField("INSTANCE_IP", "status.podIP"),
    fromField("SERVICE_ACCOUNT", "spec.serviceAccountName"),
    fromField("HOST_IP", "status.hostIP"),
    fromLimit("ISTIO_CPU_LIMIT", "cpu"),
    variable("PROXY_CONFIG", `${launch.json}\n`),
    variable("ISTIO_META_POD_PORTS", podPorts(input.containers)),
    variable("ISTIO_META_APP_CONTAINERS", input.applications.join(",")),
    fromLimit("GOMEMLIMIT", "memory"),
    fromLimit("GOMAXPROCS", "cpu"),
    variable("ISTIO_META_CLUSTER_ID", input.cluster),
    fromField("ISTIO_META_NODE_NAME", "spec.nodeName"),
    variable("ISTIO_META_INTERCEPTION_MODE", proxy === "sidecar" ? interceptionOf(input) : launch.interceptionMode),
    ...optionalVariable("ISTIO_META_NETWORK", input.network),
    ...optionalVariable("ISTIO_META_WORKLOAD_NAME", workloadName),
    ...optionalVariable("ISTIO_META_OWNER", isOwned ? ownerOf(input) : ""),
    ...(Object.hasOwn(annotations, "sidecar.istio.io/bootstrapOverride")
      ? [variable("ISTIO_BOOTSTRAP_OVERRIDE", "/etc/istio/custom-bootstrap/custom_bootstrap.json")]
      : []),
    ...optionalVariable("ISTIO_META_MESH_ID", meshId),
    ...optionalVariable("TRUST_DOMAIN", mesh.trustDomain),
    ...environmentOf(input),
  ];
}

/** The variables of `proxyMetadata`, which switch on DNS capture, for example. */
export function environmentOf({ launch }: TemplateInput): readonly EnvVar[] {
  return Object.entries(launch.environment)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => variable(name, value));
}

/** The arguments of `pilot-agent`. */
export function proxyArgs(input: TemplateInput, proxy: "sidecar" | "router"): readonly string[] {
  const { domain, log, proxy: container } = input.settings;
  return [
    "proxy",
    proxy,
    "--domain",
    `$(POD_NAMESPACE).svc.${domain}`,
    `--proxyLogLevel=${annotated(input, "sidecar.istio.io/logLevel", log.proxy)}`,
    `--proxyComponentLogLevel=${annotated(input, "sidecar.istio.io/componentLogLevel", log.components)}`,
    agentLogLevel(input),
    ...(log.asJson ? ["--log_as_json"] : []),
    ...(proxy === "sidecar" && container.outlierLogPath !== "" ? [`--outlierLogPath=${container.outlierLogPath}`] : []),
  ];
}

export function agentLogLevel(input: TemplateInput): string {
  return `--log_output_level=${annotated(input, "sidecar.istio.io/agentLogLevel", input.settings.log.agent)}`;
}

function variable(name: string, value: string): EnvVar {
  return { name, value };
}

function optionalVariable(name: string, value: string): readonly EnvVar[] {
  return value === "" ? [] : [variable(name, value)];
}

function fromField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}

function fromLimit(name: string, resource: "cpu" | "memory"): EnvVar {
  return { name, valueFrom: { resourceFieldRef: { resource: `limits.${resource}`, divisor: "1" } } };
}

const portFields = ["name", "hostPort", "containerPort", "protocol", "hostIP"];

function podPorts(containers: readonly Container[]): string {
  const ports = containers.flatMap((container) => container.ports ?? []);
  return JSON.stringify(ports.map(portOf));
}

function portOf(port: Fields): Fields {
  return Object.fromEntries(portFields.flatMap((name) => (port[name] === undefined ? [] : [[name, port[name]]])));
}

function ownerOf({ workload: { apiVersion, kind, name, namespace } }: TemplateInput): string {
  const plural = `${kind.toLowerCase()}s`;
  return `kubernetes://apis/${apiVersion}/namespaces/${namespace || "default"}/${plural}/${name}`;
}
