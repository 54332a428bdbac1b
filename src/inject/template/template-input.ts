import type { InjectionMesh } from "../../config/mesh/injection-mesh.ts";
import type { ProxyLaunch } from "../../config/mesh/proxy-launch.ts";
import { ownValue } from "../../lib/own-value.ts";
import type { Container, Fields, PodSpec, Texts } from "../pod.ts";
import type { InjectionSettings } from "../settings/injection-settings.ts";

/** The object that creates the pod: a Deployment, a Job, or the pod itself. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** Everything that the parts of a template depend on. */
export interface TemplateInput {
  readonly settings: InjectionSettings;
  readonly mesh: InjectionMesh;
  readonly launch: ProxyLaunch;
  readonly workload: Workload;
  readonly labels: Texts;
  readonly annotations: Texts;
  /** All containers of the user, with those that customise the proxy. */
  readonly containers: readonly Container[];
  /** The names of the application's containers. */
  readonly applications: readonly string[];
  /** The cluster and the network of the pod. */
  readonly cluster: string;
  readonly network: string;
}

/** The parts that are laid over a pod. */
export interface PodTemplate {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly spec: PodSpec;
}

export type InterceptionMode = "REDIRECT" | "TPROXY" | "NONE";

/** The annotation's value, or else the setting's. */
export function annotated({ annotations }: TemplateInput, name: string, otherwise: string): string {
  return ownValue(annotations, name) ?? otherwise;
}

/** An annotation has been checked before. */
export function interceptionOf(input: TemplateInput): InterceptionMode {
  return annotated(input, "sidecar.istio.io/interceptionMode", input.launch.interceptionMode) as InterceptionMode;
}

/** Whether the proxy is an init container that keeps running. */
export function isNative(input: TemplateInput): boolean {
  return annotated(input, "sidecar.istio.io/nativeSidecar", String(input.settings.native)) !== "false";
}

export function holdsApplication({ launch, settings }: TemplateInput): boolean {
  return launch.holdsApplication || settings.proxy.holdsApplication;
}

/** The port of the agent's probes and metrics; 0 switches both off. */
export function statusPortOf(input: TemplateInput): number {
  return Number(annotated(input, "status.sidecar.istio.io/port", String(input.launch.statusPort)));
}

/** The entry, unless its value is absent. */
export function optional(name: string, value: unknown): Fields {
  return value === undefined || value === "" ? {} : { [name]: value };
}
