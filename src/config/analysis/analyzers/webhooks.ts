import type { MutatingWebhook, MutatingWebhookConfiguration } from "#gen/k8s/admissionregistration/v1/webhook_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import type { Config, Labels } from "../../config.ts";
import { mutatingWebhookConfiguration, service } from "../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { labelSelectorMatches } from "../../label-selector.ts";
import { listedTexts } from "../facts/listed-names.ts";
import { injectionLabel, injectLabel, revisionLabel } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const webhookAnalyzer: Analyzer = {
  name: "webhook.Analyzer",
  description: "Injectors that would both inject a pod, or whose service is missing",
  inputs: [mutatingWebhookConfiguration, service],
  needs: [service],
  analyze(context) {
    const hooks = context.all(mutatingWebhookConfiguration).filter(isInjector).flatMap(hooksOf);
    reportOverlaps(hooks, context);
    for (const hook of hooks) {
      const to = hook.webhook.clientConfig?.service;
      const key = `${to?.namespace}/${to?.name}`;
      if (to === undefined || context.find(service, key) !== undefined) continue;
      const detail = `the injector ${hook.webhook.name} is the service ${key}, which does not exist`;
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

/** Largest number of different injectors compared. A cluster has four for each revision of Istio. */
const maxCompared = 100;

/** Injectors with equal selectors, and the labels they select. They overlap unless they select nothing. */
interface HookGroup {
  readonly hooks: readonly PlacedHook[];
  readonly namespaces: ReadonlySet<Labels>;
  readonly pods: ReadonlySet<Labels>;
}

/** A pod that two injectors match gets two sidecars. This tries all relevant combinations of labels. */
function reportOverlaps(hooks: readonly PlacedHook[], context: AnalysisContext): void {
  const groups = groupsOf(hooks);
  for (const group of groups) {
    const rivals = groups.filter((other) => overlap(group, other)).flatMap((other) => other.hooks);
    if (rivals.length < 2) continue;
    const names = rivals.slice(0, maxCompared).map(nameOf).toSorted(compareTexts);
    for (const hook of group.hooks) {
      if (rivals.every((each) => each === hook)) continue;
      const others = names.filter((name) => name !== nameOf(hook));
      const text = listedTexts(others, rivals.length - 1);
      const detail = `the injector ${hook.webhook.name} overlaps with ${text}: pods may be injected twice`;
      context.report(messages.invalidWebhook, hook, { detail });
    }
  }
}

function groupsOf(hooks: readonly PlacedHook[]): readonly HookGroup[] {
  const bySelectors = Map.groupBy(hooks, ({ webhook: { namespaceSelector, objectSelector } }) =>
    JSON.stringify([namespaceSelector, objectSelector]),
  );
  const compared = [...bySelectors.values()].slice(0, maxCompared);
  const revisions = revisionsOf(compared.flatMap((group) => group.slice(0, 1).map(({ config }) => config)));
  const namespaces = withRevisions([{}, { [injectionLabel]: "enabled" }, { [injectionLabel]: "disabled" }], revisions);
  const pods = withRevisions([{}, { [injectLabel]: "true" }, { [injectLabel]: "false" }], revisions);
  return compared.map((group) => {
    const { namespaceSelector, objectSelector } = group[0]?.webhook ?? {};
    return {
      hooks: group,
      namespaces: new Set(namespaces.filter((its) => labelSelectorMatches(namespaceSelector, its))),
      pods: new Set(pods.filter((its) => labelSelectorMatches(objectSelector, its))),
    };
  });
}

function overlap(a: HookGroup, b: HookGroup): boolean {
  return !a.namespaces.isDisjointFrom(b.namespaces) && !a.pods.isDisjointFrom(b.pods);
}

function nameOf({ config, webhook: { name } }: PlacedHook): string {
  return `${config.name}/${name}`;
}

function withRevisions(bases: readonly Labels[], revisions: readonly string[]): readonly Labels[] {
  return [...bases, ...revisions.flatMap((revision) => bases.map((base) => ({ ...base, [revisionLabel]: revision })))];
}

/** Every revision in the selectors. */
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
