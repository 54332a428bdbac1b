import type { MutatingWebhook, MutatingWebhookConfiguration } from "#gen/k8s/admissionregistration/v1/webhook_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Config, Labels } from "../../../config.ts";
import { mutatingWebhookConfiguration, service } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { injectionLabel, injectLabel, revisionLabel } from "../../facts/injection.ts";
import { labelSelectorMatches } from "../../facts/labels.ts";
import { messages } from "../../messages.ts";

export const webhook: Analyzer = {
  name: "webhook.Analyzer",
  description: "Injectors that would both inject a pod, or whose service is not there",
  inputs: [mutatingWebhookConfiguration, service],
  needs: [service],
  analyze(context) {
    const hooks = context.all(mutatingWebhookConfiguration).filter(isInjector).flatMap(hooksOf);
    for (const hook of hooks) {
      reportOverlaps(hook, hooks, context);
      const to = hook.webhook.clientConfig?.service;
      const key = `${to?.namespace}/${to?.name}`;
      if (to === undefined || context.find(service, key) !== undefined) continue;
      const detail = `the injector ${hook.webhook.name} is the service ${key}, which is not there`;
      context.report(messages.invalidWebhook, { ...hook, path: `${hook.path}.clientConfig.service` }, { detail });
    }
  },
};

interface PlacedHook {
  readonly config: Config<MutatingWebhookConfiguration>;
  readonly webhook: MutatingWebhook;
  readonly path: string;
}

function hooksOf(config: Config<MutatingWebhookConfiguration>): readonly PlacedHook[] {
  return config.spec.webhooks.map((each, index) => ({ config, webhook: each, path: `webhooks[${index}]` }));
}

function isInjector(config: Config<MutatingWebhookConfiguration>): boolean {
  return revisionsOf([config]).length > 0 || config.spec.webhooks.some(({ name }) => name.endsWith("istio.io"));
}

/** A pod that two injectors match gets two sidecars. All combinations of labels that matter are tried. */
function reportOverlaps(hook: PlacedHook, hooks: readonly PlacedHook[], context: AnalysisContext): void {
  const revisions = revisionsOf(hooks.map(({ config }) => config));
  const namespaces = withRevisions([{}, { [injectionLabel]: "enabled" }, { [injectionLabel]: "disabled" }], revisions);
  const pods = withRevisions([{}, { [injectLabel]: "true" }, { [injectLabel]: "false" }], revisions);
  const rivals = hooks.filter(
    (other) =>
      other !== hook &&
      namespaces.some((its) => injectsInto(hook, its) && injectsInto(other, its)) &&
      pods.some((its) => injects(hook, its) && injects(other, its)),
  );
  if (rivals.length === 0) return;
  const names = rivals.map(({ config, webhook: { name } }) => `${config.name}/${name}`).toSorted(compareTexts);
  const detail = `the injector ${hook.webhook.name} overlaps with ${names.join(", ")}: pods may be injected twice`;
  context.report(messages.invalidWebhook, hook, { detail });
}

function injectsInto({ webhook: { namespaceSelector } }: PlacedHook, labels: Labels): boolean {
  return labelSelectorMatches(namespaceSelector, labels);
}

function injects({ webhook: { objectSelector } }: PlacedHook, labels: Labels): boolean {
  return labelSelectorMatches(objectSelector, labels);
}

function withRevisions(bases: readonly Labels[], revisions: readonly string[]): readonly Labels[] {
  return [...bases, ...revisions.flatMap((revision) => bases.map((base) => ({ ...base, [revisionLabel]: revision })))];
}

/** Every revision that a selector speaks of. */
function revisionsOf(configs: readonly Config<MutatingWebhookConfiguration>[]): readonly string[] {
  const named = configs.flatMap(({ labels, spec }) => [
    ...(labels[revisionLabel] === undefined ? [] : [labels[revisionLabel]]),
    ...spec.webhooks.flatMap(({ namespaceSelector, objectSelector }) =>
      [namespaceSelector, objectSelector].flatMap((selector) => [
        ...(selector?.matchLabels[revisionLabel] === undefined ? [] : [selector.matchLabels[revisionLabel]]),
        ...(selector?.matchExpressions ?? [])
          .filter(({ key }) => key === revisionLabel)
          .flatMap(({ values }) => values),
      ]),
    ),
  ]);
  return [...new Set(named)];
}
