import { destinationRule } from "../../../kinds/destination-rule.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { peerAuthentication } from "../../../kinds/peer-authentication.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { selectorText } from "../../facts/labels.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import type { PlacedSelector } from "../../facts/selectors.ts";
import { workloadKinds, workloads } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

/** Checks the kinds whose selectors no analyzer of Istio checks. */
export const selectors: Analyzer = {
  name: "references.SelectorAnalyzer",
  description: "Destination rules, service entries and peer authentications that select nothing",
  inputs: [destinationRule, meshConfig, peerAuthentication, serviceEntry, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    const candidates = workloads(context);
    const { rootNamespace } = meshSettings(context);
    for (const { config, labels, path, instead } of placedSelectors(context)) {
      const reference = selectorText(labels);
      const isMeshWide = config.namespace === rootNamespace && config.kind !== serviceEntry.kind;
      if (reference === "" || candidates.select(labels, isMeshWide ? undefined : config.namespace).length > 0) continue;
      context.report(messages.danglingReference, { config, path }, { what: "selector", reference, instead });
    }
  },
};

interface Selector extends PlacedSelector {
  readonly instead: string;
}

function placedSelectors(context: AnalysisContext): readonly Selector[] {
  return [
    ...context.all(destinationRule).map((config) => ({
      config,
      labels: config.spec.workloadSelector?.matchLabels ?? {},
      path: "spec.workloadSelector.matchLabels",
      instead: "the rule holds for nobody",
    })),
    ...context.all(serviceEntry).map((config) => ({
      config,
      labels: config.spec.workloadSelector?.labels ?? {},
      path: "spec.workloadSelector.labels",
      instead: "the service has no endpoints of its own, and requests fail with 503",
    })),
    ...context.all(peerAuthentication).map((config) => ({
      config,
      labels: config.spec.selector?.matchLabels ?? {},
      path: "spec.selector.matchLabels",
      instead: "the policy holds for nobody",
    })),
  ];
}
