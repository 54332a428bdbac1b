import type { Config } from "../../../config.ts";
import { configMap, namespace, pod } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import {
  dataplaneModeLabel,
  injectionLabel,
  injectLabel,
  isAmbientPod,
  isSystemNamespace,
  proxyOf,
  revisionLabel,
} from "../../facts/injection.ts";
import { type Injector, injectors } from "../../facts/injector.ts";
import { messages } from "../../messages.ts";

export const injection: Analyzer = {
  name: "injection.Analyzer",
  description: "Namespaces that do not say whether they are in the mesh, and pods without the sidecar they should have",
  inputs: [namespace, pod, configMap],
  needs: [configMap],
  analyze(context) {
    const usual = injectors(context)("");
    const injected = new Set(
      context
        .all(namespace)
        .filter((each) => isInjected(each, usual, context))
        .map(({ name }) => name),
    );
    for (const config of context.all(pod)) {
      const { labels, annotations, spec } = config;
      const wish = labels[injectLabel] ?? annotations[injectLabel] ?? "";
      if (!injected.has(config.namespace) || wish.toLowerCase() === "false") continue;
      if (spec.spec?.hostNetwork || isAmbientPod(config) || proxyOf(spec.spec) !== undefined) continue;
      context.report(messages.podMissingProxy, { config, path: "metadata.name" });
    }
  },
};

/** Reports mistakes in the labels of a namespace. Returns whether its pods should have sidecars. */
function isInjected(config: Config, usual: Injector | undefined, context: AnalysisContext): boolean {
  const { name, labels } = config;
  if (name === "istio-system" || isSystemNamespace(name)) return false;
  const about = { config, path: "metadata.labels" };
  const { [injectionLabel]: legacy = "", [revisionLabel]: revision, [dataplaneModeLabel]: mode } = labels;
  const wishes = [
    ...(legacy === "" ? [] : [`${injectionLabel}=${legacy}`]),
    ...(revision === undefined ? [] : [`${revisionLabel}=${revision}`]),
    ...(mode === "ambient" ? [`${dataplaneModeLabel}=${mode}`] : []),
  ];
  if (wishes.length === 0) {
    if (usual?.enabledByDefault) context.report(messages.injectedByDefault, about);
    else context.report(messages.namespaceNotInjected, about);
    return false;
  }
  // `disabled` is an explicit choice of the author and wins over everything else.
  if (legacy !== "" && legacy !== "enabled") return false;
  if (wishes.length > 1) {
    context.report(messages.multipleInjectionLabels, about, { labels: wishes.join(" and ") });
    return false;
  }
  return mode !== "ambient";
}
