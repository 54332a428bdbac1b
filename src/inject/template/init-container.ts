import { ownValue } from "../../lib/own-value.ts";
import { initContainer, validationContainer } from "../names.ts";
import type { Container, Fields } from "../pod.ts";
import { initImage } from "./image.ts";
import { agentLogLevel, environmentOf } from "./proxy-env.ts";
import { resourcesOf } from "./resources.ts";
import { annotated, interceptionOf, optional, statusPortOf, type TemplateInput } from "./template-input.ts";

const proxyUser = "1337";

/**
 * Redirects the pod's traffic to the proxy. With a CNI plugin, the node has done so before, and this container only
 * checks that it works. Undefined without interception.
 */
export function redirectingContainer(input: TemplateInput): Container | undefined {
  if (interceptionOf(input) === "NONE") return undefined;
  const { cni } = input.settings;
  const env = environmentOf(input);
  return {
    name: cni ? validationContainer : initContainer,
    image: initImage(input),
    args: redirectArgs(input),
    ...optional("imagePullPolicy", input.settings.pullPolicy),
    ...(env.length > 0 && { env }),
    resources: resourcesOf(input),
    securityContext: { ...(cni ? unprivileged : privilegesFor(input)), ...seccompOf(input) },
  };
}

/** The arguments of istio-iptables. */
function redirectArgs(input: TemplateInput): readonly string[] {
  const { mesh, settings } = input;
  const { traffic } = settings;
  const rule = (name: string, otherwise: string) => annotated(input, `traffic.sidecar.istio.io/${name}`, otherwise);
  const interfaces = ["istio.io/reroute-virtual-interfaces", "traffic.sidecar.istio.io/kubevirtInterfaces"];
  const rerouted = interfaces.map((name) => ownValue(input.annotations, name)).find((value) => value !== undefined);
  const always = [
    ["-p", String(mesh.outboundPort)],
    ["-z", String(mesh.inboundPort)],
    ["-u", proxyUser],
    ["-m", interceptionOf(input)],
    ["-i", rule("includeOutboundIPRanges", traffic.includeOutboundRanges)],
    ["-x", rule("excludeOutboundIPRanges", traffic.excludeOutboundRanges)],
    ["-b", rule("includeInboundPorts", traffic.includeInboundPorts)],
    ["-d", ["15090", "15021", excludedInboundPorts(input)].filter((ports) => ports !== "").join(",")],
  ];
  const whereGiven = [
    ["-q", rule("includeOutboundPorts", traffic.includeOutboundPorts)],
    ["-o", rule("excludeOutboundPorts", traffic.excludeOutboundPorts)],
    ["-k", rerouted ?? ""],
    ["-c", rule("excludeInterfaces", "")],
  ].filter(([, value]) => value !== "");
  return [
    "istio-iptables",
    ...[...always, ...whereGiven].flat(),
    agentLogLevel(input),
    ...(settings.log.asJson ? ["--log_as_json"] : []),
    ...(settings.cni ? ["--run-validation", "--skip-rule-apply"] : []),
    ...(settings.nativeNftables ? ["--native-nftables"] : []),
  ];
}

/** Probes must reach the agent without passing through the proxy. */
export function excludedInboundPorts(input: TemplateInput): string {
  const { excludeInboundPorts } = input.settings.traffic;
  const ports = annotated(input, "traffic.sidecar.istio.io/excludeInboundPorts", excludeInboundPorts);
  const listed = ports
    .split(",")
    .map((port) => port.trim())
    .filter((port) => port !== "");
  const status = statusPortOf(input);
  return status === 0 || listed.includes(String(status)) ? ports : [...listed, status].join(",");
}

const unprivileged: Fields = {
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  runAsGroup: 1337,
  runAsUser: 1337,
  runAsNonRoot: true,
};

/** Rules of the kernel need root and two capabilities, but no more. */
function privilegesFor({ settings: { proxy } }: TemplateInput): Fields {
  return {
    allowPrivilegeEscalation: proxy.privileged,
    privileged: proxy.privileged,
    capabilities: { add: ["NET_ADMIN", "NET_RAW"], drop: ["ALL"] },
    readOnlyRootFilesystem: false,
    runAsGroup: 0,
    runAsNonRoot: false,
    runAsUser: 0,
  };
}

export function seccompOf({ settings: { proxy } }: TemplateInput): Fields {
  return optional("seccompProfile", proxy.seccompProfile);
}
