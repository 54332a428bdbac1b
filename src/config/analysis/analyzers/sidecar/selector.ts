import type { Sidecar } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import type { Config } from "../../../config.ts";
import { namespace, pod } from "../../../kinds/kubernetes.ts";
import { sidecar } from "../../../kinds/sidecar.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { isAmbientNamespace, isAmbientPod } from "../../facts/injection.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { selectorText } from "../../facts/labels.ts";
import { reportDefaults, reportSelectors } from "../../facts/selectors.ts";
import { workloadKinds } from "../../facts/workloads.ts";
import { messages } from "../../messages.ts";

export const selector: Analyzer = {
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
