import type { PodSpec } from "#gen/k8s/core/v1/pod_pb.js";
import type { Config, Labels } from "../../config.ts";
import { namespace as namespaceKind } from "../../kinds/kubernetes.ts";
import type { AnalysisInput } from "../analyzer.ts";

export const injectionLabel = "istio-injection";
export const revisionLabel = "istio.io/rev";
export const dataplaneModeLabel = "istio.io/dataplane-mode";
export const injectLabel = "sidecar.istio.io/inject";
export const proxyContainer = "istio-proxy";

const systemNamespaces = new Set(["kube-system", "kube-public", "kube-node-lease", "local-path-storage"]);

/** Namespaces of the platform, which users do not manage. */
export function isSystemNamespace(namespace: string): boolean {
  return systemNamespaces.has(namespace);
}

/** Recognises Istio's own objects by the labels of an Istio installation. */
export function isControlPlane({ labels }: Pick<Config, "labels">): boolean {
  return labels["istio"] !== undefined || labels["release"] === "istio";
}

/** The container with the proxy: an ordinary container or a native sidecar. */
export function findProxyContainer(spec: PodSpec | undefined) {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find(({ name }) => name === proxyContainer);
}

/** A pod, or the template of one. */
export interface PodLike {
  readonly namespace: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: PodSpec | undefined;
}

/** Whether the pod has a sidecar, or will get one. Reads Namespace. */
export function hasSidecar({ namespace, labels, annotations, spec }: PodLike, input: AnalysisInput): boolean {
  if (findProxyContainer(spec) !== undefined) return true;
  const injection = labels[injectLabel] ?? annotations[injectLabel];
  if (injection !== undefined) return injection === "true";
  const its = input.find(namespaceKind, namespace)?.labels ?? {};
  return its[injectionLabel] === "enabled" || (its[injectionLabel] === undefined && its[revisionLabel] !== undefined);
}

export function isAmbientPod({ annotations }: Pick<PodLike, "annotations">): boolean {
  return annotations["ambient.istio.io/redirection"] === "enabled";
}

/** A namespace in ambient mode, whose pods are in the mesh without sidecars. */
export function isAmbientNamespace({ labels }: Pick<Config, "labels">): boolean {
  const injected = labels[injectionLabel] === "enabled" || (labels[revisionLabel] ?? "") !== "";
  return !injected && labels[dataplaneModeLabel] === "ambient";
}
