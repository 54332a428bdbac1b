import { configMap, namespace, pod } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { injectionLabel, proxyOf, revisionLabel } from "../../facts/injection.ts";
import { injectorOf } from "../../facts/injector.ts";
import { messages } from "../../messages.ts";

export const image: Analyzer = {
  name: "injection.ImageAnalyzer",
  description: "Pods whose sidecar is not the one that is injected today",
  inputs: [namespace, pod, configMap],
  needs: [configMap],
  analyze(context) {
    for (const config of context.all(namespace)) {
      const { [injectionLabel]: legacy, [revisionLabel]: revision } = config.labels;
      if (legacy !== "enabled" && revision === undefined) continue;
      const wanted = injectorOf(revision ?? "", context)?.image ?? "";
      if (wanted === "") continue;
      const pods = otherImages(config.name, wanted, context);
      if (pods.length === 0) continue;
      context.report(messages.imageMismatch, { config, path: "metadata.name" }, { pods: pods.join(", ") });
    }
  },
};

/** An image that the pod itself asks for is nobody's mistake. */
function otherImages(inNamespace: string, wanted: string, context: AnalysisContext): readonly string[] {
  return context
    .all(pod)
    .filter(({ namespace: its, annotations, spec }) => {
      if (its !== inNamespace || (annotations["sidecar.istio.io/proxyImage"] ?? "") !== "") return false;
      const found = proxyOf(spec.spec);
      return found !== undefined && found.image !== wanted;
    })
    .map(({ name }) => name);
}
