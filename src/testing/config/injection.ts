import type { Config } from "../../config/config.ts";
import { injectionSource } from "../../config/mesh/injection-source.ts";
import { parseMeshConfig } from "../../config/parse/mesh-files.ts";
import { parseDocuments } from "../../config/yaml/yaml.ts";
import { injectObject, type Outcome } from "../../inject/inject-object.ts";
import type { InjectionContext } from "../../inject/inject-pod.ts";
import type { Container, EnvVar, Pod } from "../../inject/pod.ts";
import {
  defaultSettings,
  discoveryAddressOf,
  type InjectionSettings,
} from "../../inject/settings/injection-settings.ts";

/** Settings of a test, a MeshConfig as YAML, and ProxyConfig objects. */
export interface InjectionChoices extends Partial<InjectionSettings> {
  readonly mesh?: string;
  readonly proxyConfigs?: readonly Config[];
}

export function injectionContext(choices: InjectionChoices = {}): InjectionContext {
  const { mesh: text = "", proxyConfigs = [], ...changed } = choices;
  const settings = { ...defaultSettings, ...changed };
  const { config } = parseMeshConfig({ text, file: "mesh.yaml", source: "test" });
  const meshConfigs = config === undefined ? [] : [config];
  return { settings, ...injectionSource({ meshConfigs, proxyConfigs }, discoveryAddressOf(settings)) };
}

/** A pod with annotations, labels and more fields of its spec and of its container. */
export function podYaml({ annotations = "", labels = "app: web", spec = "", container = "" } = {}): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {${labels}}, annotations: {${annotations}}}
spec:
  ${spec}
  containers:
  - name: web
    image: shop/web:1
    ports: [{name: http, containerPort: 8080}]
    ${container}
`;
}

export interface InjectedValue {
  readonly value: unknown;
  readonly outcomes: readonly Outcome[];
}

export function injectValue(value: unknown, choices: InjectionChoices = {}): InjectedValue {
  const context = injectionContext(choices);
  const { revision } = context.settings;
  return injectObject(value, { ...context, defaultNamespace: "default", revisions: [revision || "default"] });
}

/** The only object of a text, injected. */
export function injectYaml(yaml: string, choices: InjectionChoices = {}): InjectedValue {
  const [document] = parseDocuments(yaml, "pod.yaml");
  return injectValue(document?.value, choices);
}

/** The same for a pod that can be injected. */
export function injectedPod(yaml: string, choices: InjectionChoices = {}): Pod {
  const { value, outcomes } = injectYaml(yaml, choices);
  const problem = outcomes.find(({ type }) => type !== "injected");
  if (problem !== undefined) throw new Error(`${problem.type}: ${problem.messages.join(", ")}`);
  return value as Pod;
}

export function containerOf({ spec }: Pod, wanted: string): Container {
  const found = [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`the pod has no container ${wanted}`);
  return found;
}

export function variableOf(pod: Pod, name: string): EnvVar | undefined {
  return containerOf(pod, "istio-proxy").env?.find((each) => each.name === name);
}
