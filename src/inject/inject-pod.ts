import type { InjectionMesh } from "../config/mesh/injection-mesh.ts";
import type { LaunchedPod, LaunchResult, ProxyLaunch } from "../config/mesh/proxy-launch.ts";
import { ownValue } from "../lib/own-value.ts";
import { annotationProblems } from "./annotations.ts";
import { finishPod } from "./finish-pod.ts";
import { layTemplate } from "./lay-template.ts";
import { mergeOver } from "./merge.ts";
import { configAnnotation, networkLabel, proxyContainer } from "./names.ts";
import { type Overrides, overridesIn } from "./overrides.ts";
import type { Fields, Pod } from "./pod.ts";
import type { InjectionSettings } from "./settings/injection-settings.ts";
import type { PodTemplate, TemplateInput, Workload } from "./template/template-input.ts";
import { selectTemplates, templates } from "./template/templates.ts";

/** The control plane's part of an injection. */
export interface InjectionContext {
  readonly settings: InjectionSettings;
  readonly mesh: InjectionMesh;
  /** The settings of the proxy in a pod. */
  readonly launchOf: (pod: LaunchedPod) => LaunchResult;
  /** From the address of the webhook; absent for those of the settings. */
  readonly cluster?: string;
  readonly network?: string;
}

export type InjectedPod = { readonly pod: Pod } | { readonly problems: readonly string[] };

/**
 * Adds a proxy to a pod. Injecting the result again changes nothing. The caller has decided that the pod gets a proxy.
 * Problems are the user's mistakes in annotations.
 */
export function injectPod(pod: Pod, workload: Workload, context: InjectionContext): InjectedPod {
  const { annotations = {}, labels = {} } = pod.metadata;
  const { namespace } = workload;
  const problems = annotationProblems(annotations);
  const selected = selectTemplates(annotations, context.settings);
  const overrides = overridesIn(pod);
  const launched = context.launchOf({ namespace, labels, annotation: ownValue(annotations, configAnnotation) });
  const all = [
    ...problems,
    ...("problem" in selected ? [selected.problem] : []),
    ...("problem" in overrides ? [overrides.problem] : []),
    ...("problem" in launched ? [`annotation ${configAnnotation}: ${launched.problem}`] : []),
  ];
  if (all.length > 0 || "problem" in selected || "problem" in overrides || "problem" in launched) {
    return { problems: all };
  }
  const input = inputFor(pod, { workload, context, overrides, launch: launched.launch });
  const template = selected.names.map((name) => templates[name](input)).reduce(laidOver);
  return { pod: finishPod(layTemplate(pod, template, overrides), { input, template, overrides }) };
}

interface InputSources {
  readonly workload: Workload;
  readonly context: InjectionContext;
  readonly overrides: Overrides;
  readonly launch: ProxyLaunch;
}

function inputFor({ metadata, spec }: Pod, { workload, context, overrides, launch }: InputSources): TemplateInput {
  const { labels = {}, annotations = {} } = metadata;
  const { settings, mesh } = context;
  const own = overrides.get(proxyContainer);
  const applications = spec.containers.filter(({ name }) => name !== proxyContainer);
  return {
    settings,
    mesh,
    launch,
    workload,
    labels,
    annotations,
    containers: own === undefined ? applications : [...applications, own],
    applications: applications.map(({ name }) => name),
    cluster: context.cluster || settings.cluster,
    network: ownValue(labels, networkLabel) ?? (context.network || settings.network),
  };
}

/** A pod may ask for several templates. Each is laid over those before it. */
function laidOver(base: PodTemplate, over: PodTemplate): PodTemplate {
  return mergeOver(base as unknown as Fields, over as unknown as Fields) as unknown as PodTemplate;
}
