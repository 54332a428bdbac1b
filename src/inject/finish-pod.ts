import { ownValue } from "../lib/own-value.ts";
import { isTrue } from "./annotation-checks.ts";
import { ordered } from "./container-order.ts";
import { statusOf } from "./injection-status.ts";
import { networkLabel, overridesAnnotation, proxyContainer, statusAnnotation } from "./names.ts";
import { type Overrides, overridesText } from "./overrides.ts";
import type { Container, EnvVar, Pod, PodSpec, Texts } from "./pod.ts";
import { rewriteProbes, withProbers } from "./probes.ts";
import { mergePrometheus } from "./prometheus.ts";
import { followProxyUser } from "./proxy-user.ts";
import {
  holdsApplication,
  interceptionOf,
  type PodTemplate,
  statusPortOf,
  type TemplateInput,
} from "./template/template-input.ts";

interface Finishing {
  readonly input: TemplateInput;
  readonly template: PodTemplate;
  readonly overrides: Overrides;
}

/** The steps that depend on the whole pod. */
export function finishPod(pod: Pod, { input, template, overrides }: Finishing): Pod {
  const { settings, mesh, network, annotations: given } = input;
  const { annotations = {}, labels = {} } = pod.metadata;
  const statusPort = statusPortOf(input);
  const merges = flagged(given, "prometheus.istio.io/merge-metrics", mesh.mergesMetrics);
  const metrics = merges && statusPort !== 0 ? mergePrometheus(annotations, statusPort) : undefined;
  const rewrites = flagged(given, "sidecar.istio.io/rewriteAppHTTPProbers", settings.rewritesProbes);
  const spec = rewrites && statusPort !== 0 ? withAgentProbes(pod.spec, statusPort) : pod.spec;
  const followed = followProxyUser(spec, overrides, interceptionOf(input) === "TPROXY");
  const remembered = overridesText(overrides, { initContainers: [], ...template.spec });
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: { ...labels, ...(network !== "" && { [networkLabel]: network }) },
      annotations: {
        ...(metrics?.annotations ?? annotations),
        ...settings.injectedAnnotations,
        ...(remembered !== undefined && { [overridesAnnotation]: remembered }),
        [statusAnnotation]: statusOf(template.spec, settings.revision),
      },
    },
    spec: ordered(withProxyEnv(followed, metrics?.env ?? []), holdsApplication(input)),
  };
}

function flagged(annotations: Texts, name: string, otherwise: boolean): boolean {
  const value = ownValue(annotations, name);
  return value === undefined ? otherwise : isTrue(value);
}

function withAgentProbes(spec: PodSpec, statusPort: number): PodSpec {
  const { initContainers } = spec;
  const main = rewriteProbes(spec.containers, statusPort);
  const init = rewriteProbes(initContainers ?? [], statusPort);
  const probers = { ...main.probers, ...init.probers };
  const rewritten = {
    ...spec,
    containers: main.containers,
    ...(initContainers !== undefined && { initContainers: init.containers }),
  };
  return mapProxy(rewritten, (env) => withProbers(env, probers));
}

function withProxyEnv(spec: PodSpec, added: readonly EnvVar[]): PodSpec {
  if (added.length === 0) return spec;
  const names = new Set(added.map(({ name }) => name));
  return mapProxy(spec, (env) => [...env.filter(({ name }) => !names.has(name)), ...added]);
}

function mapProxy(spec: PodSpec, change: (env: readonly EnvVar[]) => readonly EnvVar[]): PodSpec {
  const mapped = (list: readonly Container[]) =>
    list.map((each) => (each.name === proxyContainer ? { ...each, env: change(each.env ?? []) } : each));
  const { initContainers } = spec;
  return {
    ...spec,
    containers: mapped(spec.containers),
    ...(initContainers !== undefined && { initContainers: mapped(initContainers) }),
  };
}
