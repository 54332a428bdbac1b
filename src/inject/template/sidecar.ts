import { ownValue } from "../../lib/own-value.ts";
import { proxyContainer, revisionLabel } from "../names.ts";
import type { Container, Fields, Texts } from "../pod.ts";
import { proxyImage } from "./image.ts";
import { excludedInboundPorts, redirectingContainer, seccompOf } from "./init-container.ts";
import { canonicalLabels, defaultContainer } from "./pod-labels.ts";
import { proxyArgs, proxyEnv } from "./proxy-env.ts";
import { resourcesOf } from "./resources.ts";
import {
  annotated,
  holdsApplication,
  interceptionOf,
  isNative,
  optional,
  type PodTemplate,
  statusPortOf,
  type TemplateInput,
} from "./template-input.ts";
import { proxyVolumeMounts, proxyVolumes, pullSecrets } from "./volumes.ts";

/** A proxy beside the application, and the redirection of its traffic. */
export function sidecarTemplate(input: TemplateInput): PodTemplate {
  const redirecting = redirectingContainer(input);
  const first = redirecting === undefined ? [] : [redirecting];
  const proxy = sidecarContainer(input);
  const native = isNative(input);
  return {
    labels: {
      "security.istio.io/tlsMode": ownValue(input.labels, "security.istio.io/tlsMode") || "istio",
      ...canonicalLabels(input),
    },
    annotations: {
      [revisionLabel]: input.settings.revision || "default",
      ...defaultContainer(input),
      ...(input.settings.cni && cniAnnotations(input)),
    },
    spec: {
      initContainers: native ? [...first, proxy] : first,
      containers: native ? [] : [proxy],
      volumes: proxyVolumes(input, "sidecar"),
      ...pullSecrets(input),
    },
  };
}

function sidecarContainer(input: TemplateInput): Container {
  return {
    name: proxyContainer,
    image: proxyImage(input),
    ...(isNative(input) && { restartPolicy: "Always" }),
    ports: [{ containerPort: 15_090, protocol: "TCP", name: "http-envoy-prom" }],
    args: proxyArgs(input, "sidecar"),
    ...optional("lifecycle", lifecycleOf(input)),
    env: proxyEnv(input, "sidecar"),
    ...optional("imagePullPolicy", input.settings.pullPolicy),
    ...(statusPortOf(input) !== 0 && probesOf(input)),
    securityContext: { ...securityOf(input), ...seccompOf(input) },
    resources: resourcesOf(input),
    volumeMounts: proxyVolumeMounts(input, "sidecar"),
  };
}

/** A native sidecar drains when the pod begins to stop, and stops after the application. */
function lifecycleOf(input: TemplateInput): Fields | undefined {
  const { lifecycle } = input.settings.proxy;
  if (lifecycle !== undefined) return lifecycle;
  if (isNative(input)) {
    const port = `--debug-port=${statusPortOf(input)}`;
    return { preStop: { exec: { command: ["pilot-agent", "request", port, "POST", "drain"] } } };
  }
  return holdsApplication(input) ? { postStart: { exec: { command: ["pilot-agent", "wait"] } } } : undefined;
}

function probesOf(input: TemplateInput): Fields {
  const { proxy } = input.settings;
  const httpGet = { path: "/healthz/ready", port: 15_021 };
  const seconds = (name: string, otherwise: number) =>
    Number(annotated(input, `readiness.status.sidecar.istio.io/${name}`, String(otherwise)));
  const failureThreshold = proxy.startupFailureThreshold;
  const startup = { httpGet, initialDelaySeconds: 0, periodSeconds: 1, timeoutSeconds: 3, failureThreshold };
  return {
    ...(failureThreshold !== undefined && { startupProbe: startup }),
    readinessProbe: {
      httpGet,
      initialDelaySeconds: seconds("initialDelaySeconds", proxy.readinessInitialDelaySeconds),
      periodSeconds: seconds("periodSeconds", proxy.readinessPeriodSeconds),
      timeoutSeconds: 3,
      failureThreshold: seconds("failureThreshold", proxy.readinessFailureThreshold),
    },
  };
}

/** Transparent proxying and ports below 1024 need root with one capability each. */
function securityOf(input: TemplateInput): Fields {
  const { privileged, bindsLowPorts } = input.settings.proxy;
  const isTransparent = interceptionOf(input) === "TPROXY";
  const bindsLow = annotated(input, "sidecar.istio.io/capNetBindService", String(bindsLowPorts)) === "true";
  const isRoot = isTransparent || bindsLow;
  const add = [...(isTransparent ? ["NET_ADMIN"] : []), ...(bindsLow ? ["NET_BIND_SERVICE"] : [])];
  return {
    allowPrivilegeEscalation: privileged,
    capabilities: { ...(isRoot && { add }), drop: ["ALL"] },
    privileged,
    readOnlyRootFilesystem: true,
    runAsGroup: 1337,
    runAsNonRoot: !isRoot,
    runAsUser: isRoot ? 0 : 1337,
  };
}

/** The CNI plugin reads from annotations which traffic it redirects. */
function cniAnnotations(input: TemplateInput): Texts {
  const { traffic } = input.settings;
  const given = (short: string, otherwise: string) => {
    const name = `traffic.sidecar.istio.io/${short}`;
    const value = annotated(input, name, otherwise);
    return value === "" ? {} : { [name]: value };
  };
  return {
    "sidecar.istio.io/interceptionMode": interceptionOf(input),
    ...given("includeOutboundIPRanges", traffic.includeOutboundRanges),
    ...given("excludeOutboundIPRanges", traffic.excludeOutboundRanges),
    ...given("includeInboundPorts", traffic.includeInboundPorts),
    "traffic.sidecar.istio.io/excludeInboundPorts": excludedInboundPorts(input),
    ...given("includeOutboundPorts", traffic.includeOutboundPorts),
    ...given("excludeOutboundPorts", traffic.excludeOutboundPorts),
  };
}
