import type { Sidecar } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import { compareTexts } from "../../../lib/compare.ts";
import { oncePer } from "../../../lib/memo.ts";
import type { Config } from "../../config.ts";
import { authorizationPolicy } from "../../kinds/authorization-policy.ts";
import { destinationRule } from "../../kinds/destination-rule.ts";
import { namespace, pod } from "../../kinds/kubernetes.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { peerAuthentication } from "../../kinds/peer-authentication.ts";
import { requestAuthentication } from "../../kinds/request-authentication.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { sidecar } from "../../kinds/sidecar.ts";
import { telemetry } from "../../kinds/telemetry.ts";
import { wasmPlugin } from "../../kinds/wasm-plugin.ts";
import type { AnalysisContext, AnalysisInput, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { LabelIndex } from "../facts/label-index.ts";
import { selectorText } from "../facts/label-selectors.ts";
import { listedTexts } from "../facts/listed-names.ts";
import { workloadKinds, workloads } from "../facts/selectable-workloads.ts";
import { type PlacedSelector, reportDefaults, reportSelectors } from "../facts/selector-conflicts.ts";
import { isAmbientNamespace, isAmbientPod } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

/** Checks the kinds whose selectors no analyzer of Istio checks. */
export const selectorAnalyzer: Analyzer = {
  name: "references.SelectorAnalyzer",
  description: "Destination rules, service entries and peer authentications that select nothing",
  inputs: [destinationRule, meshConfig, peerAuthentication, serviceEntry, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    const candidates = workloads(context);
    const { rootNamespace } = currentMeshConfig(context);
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
      instead: "the rule applies to no workload",
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
      instead: "the policy applies to no workload",
    })),
  ];
}

/** On the pods of a gateway of the Gateway API. */
const gatewayLabel = "gateway.networking.k8s.io/gateway-name";

export const gatewaySelectorAnalyzer: Analyzer = {
  name: "k8sgateway.SelectorAnalyzer",
  description: "Policies that select pods of a Kubernetes gateway, which supports targetRefs only",
  inputs: [authorizationPolicy, requestAuthentication, telemetry, wasmPlugin, pod],
  analyze(context) {
    const gateways = context.all(pod).filter(({ labels }) => labels[gatewayLabel] !== undefined);
    if (gateways.length === 0) return;
    const index = new LabelIndex(gateways);
    const gatewaysOf = oncePer((pods: readonly Config[]) => {
      return listedTexts([...new Set(pods.map(({ labels }) => labels[gatewayLabel] ?? ""))].toSorted(compareTexts));
    });
    const policies = [
      ...context.all(authorizationPolicy),
      ...context.all(requestAuthentication),
      ...context.all(telemetry),
      ...context.all(wasmPlugin),
    ];
    for (const config of policies) {
      const { selector: own, targetRef, targetRefs } = config.spec;
      if (own === undefined || targetRef !== undefined || targetRefs.length > 0) continue;
      const selected = index.select(own.matchLabels, config.namespace);
      if (selected.length === 0) continue;
      const about = { config, path: "spec.selector" };
      context.report(messages.ineffectiveSelector, about, { gateway: gatewaysOf(selected) });
    }
  },
};

export const sidecarSelectorAnalyzer: Analyzer = {
  name: "sidecar.SelectorAnalyzer",
  description: "Sidecars that select nothing, the same workloads as others, or workloads that have no sidecar",
  inputs: [sidecar, namespace, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    const selectors = context.all(sidecar).map((config) => ({
      config,
      labels: config.spec.workloadSelector?.labels ?? {},
      path: "spec.workloadSelector.labels",
    }));
    reportSelectors(selectors, context, messages.conflictingSidecarSelectors);
    reportDefaults(selectors, context, messages.multipleSidecarsWithoutSelector);
    const pods = new LabelIndex(context.all(pod));
    for (const config of context.all(sidecar)) reportAmbient(config, pods, context);
  },
};

/** Ztunnel and waypoints do not read Sidecars. */
function reportAmbient(config: Config<Sidecar>, pods: LabelIndex<Config>, context: AnalysisContext): void {
  const labels = config.spec.workloadSelector?.labels ?? {};
  const its = context.find(namespace, config.namespace);
  if (selectorText(labels) === "") {
    if (its === undefined || !isAmbientNamespace(its)) return;
    const detail = "the namespace is in ambient mode, where a Sidecar has no effect";
    context.report(messages.ineffectivePolicy, { config, path: "metadata.name" }, { detail });
    return;
  }
  if (!pods.select(labels, config.namespace).some(isAmbientPod)) return;
  const detail = "it selects pods in ambient mode, where a Sidecar has no effect";
  context.report(messages.ineffectivePolicy, { config, path: "spec.workloadSelector" }, { detail });
}

export const telemetrySelectorAnalyzer: Analyzer = {
  name: "telemetry.SelectorAnalyzer",
  description: "Telemetries that select nothing, or the same workloads as others",
  inputs: [telemetry, ...workloadKinds],
  needs: workloadKinds,
  analyze(context) {
    reportSelectors(selectorsOf(context), context, messages.conflictingTelemetrySelectors);
  },
};

export const telemetryDefaultSelectorAnalyzer: Analyzer = {
  name: "telemetry.DefaultSelectorAnalyzer",
  description: "Several Telemetries for a whole namespace",
  inputs: [telemetry],
  analyze(context) {
    reportDefaults(selectorsOf(context), context, messages.multipleTelemetriesWithoutSelector);
  },
};

function selectorsOf(input: AnalysisInput): readonly PlacedSelector[] {
  const selecting = input.all(telemetry).filter(({ spec }) => !spec.targetRef && spec.targetRefs.length === 0);
  return selecting.map((config) => ({
    config,
    labels: config.spec.selector?.matchLabels ?? {},
    path: "spec.selector.matchLabels",
  }));
}
