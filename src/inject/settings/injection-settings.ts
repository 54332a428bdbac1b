import type { Fields, Texts } from "../pod.ts";

/** A label selector of Kubernetes. */
export interface LabelSelector {
  readonly matchLabels: Texts;
  readonly matchExpressions: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

export const templateNames = ["sidecar", "gateway"] as const;
export type TemplateName = (typeof templateNames)[number];

/** How pods are injected. The names and defaults are those of Istio's Helm values. */
export interface InjectionSettings {
  /** Empty for the default revision. */
  readonly revision: string;
  readonly istioNamespace: string;
  readonly policy: "enabled" | "disabled";
  readonly defaultTemplates: readonly TemplateName[];
  readonly neverInject: readonly LabelSelector[];
  readonly alwaysInject: readonly LabelSelector[];
  readonly injectedAnnotations: Texts;
  readonly rewritesProbes: boolean;
  readonly image: ImageSettings;
  readonly pullPolicy: string;
  readonly pullSecrets: readonly string[];
  /** The address of the control plane; empty for Istio's name of it. */
  readonly discoveryAddress: string;
  /** The address of the certificate authority; empty for the discovery address. */
  readonly caAddress: string;
  readonly tokenAudience: string;
  /** The ConfigMap with the root certificates. */
  readonly trustBundle: string;
  readonly domain: string;
  readonly cluster: string;
  readonly network: string;
  readonly meshId: string;
  readonly native: boolean;
  readonly cni: boolean;
  readonly nativeNftables: boolean;
  readonly traffic: TrafficSettings;
  readonly log: LogSettings;
  readonly proxy: ProxyContainerSettings;
}

interface ImageSettings {
  readonly hub: string;
  readonly tag: string;
  /** Such as `distroless`. */
  readonly variant: string;
  /** The name in the hub, or a whole reference if it contains a slash. */
  readonly proxy: string;
  readonly init: string;
}

/** The traffic that is redirected to the proxy, in the notation of istio-iptables. */
interface TrafficSettings {
  readonly includeOutboundRanges: string;
  readonly excludeOutboundRanges: string;
  readonly includeOutboundPorts: string;
  readonly excludeOutboundPorts: string;
  readonly includeInboundPorts: string;
  readonly excludeInboundPorts: string;
}

interface LogSettings {
  readonly proxy: string;
  readonly components: string;
  readonly agent: string;
  readonly asJson: boolean;
}

interface ProxyContainerSettings {
  readonly resources: Fields;
  readonly lifecycle: Fields | undefined;
  readonly seccompProfile: Fields | undefined;
  readonly privileged: boolean;
  readonly bindsLowPorts: boolean;
  readonly outlierLogPath: string;
  readonly holdsApplication: boolean;
  readonly readinessInitialDelaySeconds: number;
  readonly readinessPeriodSeconds: number;
  readonly readinessFailureThreshold: number;
  /** Undefined without a startup probe. */
  readonly startupFailureThreshold: number | undefined;
}

export const defaultSettings: InjectionSettings = {
  revision: "",
  istioNamespace: "istio-system",
  policy: "enabled",
  defaultTemplates: ["sidecar"],
  neverInject: [],
  alwaysInject: [],
  injectedAnnotations: {},
  rewritesProbes: true,
  image: { hub: "istio", tag: "1.29.6", variant: "", proxy: "proxyv2", init: "proxyv2" },
  pullPolicy: "",
  pullSecrets: [],
  discoveryAddress: "",
  caAddress: "",
  tokenAudience: "istio-ca",
  trustBundle: "istio-ca-root-cert",
  domain: "cluster.local",
  cluster: "Kubernetes",
  network: "",
  meshId: "",
  native: false,
  cni: false,
  nativeNftables: false,
  traffic: {
    includeOutboundRanges: "*",
    excludeOutboundRanges: "",
    includeOutboundPorts: "",
    excludeOutboundPorts: "",
    includeInboundPorts: "*",
    excludeInboundPorts: "",
  },
  log: { proxy: "warning", components: "misc:error", agent: "default:info", asJson: false },
  proxy: {
    resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "100m", memory: "128Mi" } },
    lifecycle: undefined,
    seccompProfile: undefined,
    privileged: false,
    bindsLowPorts: false,
    outlierLogPath: "",
    holdsApplication: false,
    readinessInitialDelaySeconds: 0,
    readinessPeriodSeconds: 15,
    readinessFailureThreshold: 4,
    startupFailureThreshold: 600,
  },
};

/** Istio's name of a control plane, which depends on its revision. */
export function discoveryAddressOf({ discoveryAddress, revision, istioNamespace }: InjectionSettings): string {
  if (discoveryAddress !== "") return discoveryAddress;
  return `istiod${revision === "" ? "" : `-${revision}`}.${istioNamespace}.svc:15012`;
}
