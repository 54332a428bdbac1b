import type { PodSpec } from "#gen/k8s/core/v1/pod_pb.js";
import type { Config } from "../../config.ts";
import { deployment, mutatingWebhookConfiguration, namespace, pod } from "../../kinds/kubernetes.ts";
import { configMap } from "../../kinds/secret.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { type Injector, injectors } from "../facts/injector.ts";
import { labelSelectorMatches } from "../../label-selector.ts";
import { selectorText } from "../facts/label-selectors.ts";
import {
  dataplaneModeLabel,
  findProxyContainer,
  injectionLabel,
  injectLabel,
  isAmbientPod,
  isSystemNamespace,
  revisionLabel,
} from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const injectionAnalyzer: Analyzer = {
  name: "injection.Analyzer",
  description: "Namespaces without an injection label, and pods without their sidecar",
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
      const choice = labels[injectLabel] ?? annotations[injectLabel] ?? "";
      if (!injected.has(config.namespace) || choice.toLowerCase() === "false") continue;
      if (spec.spec?.hostNetwork || isAmbientPod(config) || findProxyContainer(spec.spec) !== undefined) continue;
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
  const labelsFound = [
    ...(legacy === "" ? [] : [`${injectionLabel}=${legacy}`]),
    ...(revision === undefined ? [] : [`${revisionLabel}=${revision}`]),
    ...(mode === "ambient" ? [`${dataplaneModeLabel}=${mode}`] : []),
  ];
  if (labelsFound.length === 0) {
    if (usual?.enabledByDefault) context.report(messages.injectedByDefault, about);
    else context.report(messages.namespaceNotInjected, about);
    return false;
  }
  // `disabled` is an explicit choice of the author and wins over everything else.
  if (legacy !== "" && legacy !== "enabled") return false;
  if (labelsFound.length > 1) {
    context.report(messages.multipleInjectionLabels, about, { labels: labelsFound.join(" and ") });
    return false;
  }
  return mode !== "ambient";
}

export const imageAutoAnalyzer: Analyzer = {
  name: "injection.ImageAutoAnalyzer",
  description: "Proxies whose image an injector should have set",
  inputs: [namespace, pod, deployment, mutatingWebhookConfiguration],
  needs: [namespace, mutatingWebhookConfiguration],
  analyze(context) {
    for (const config of context.all(pod)) {
      // An existing pod was injected already, or never will be.
      if (hasAutoImage(config.spec.spec)) context.report(messages.imageAutoError, { config, path: "spec.containers" });
    }
    const webhooks = context
      .all(mutatingWebhookConfiguration)
      .flatMap(({ spec }) => spec.webhooks.filter(({ name }) => name.endsWith("istio.io")));
    // Deployments with the same labels and namespace have the same injectors.
    const injected = new Map<string, boolean>();
    for (const config of context.all(deployment)) {
      const template = config.spec.spec?.template;
      if (!hasAutoImage(template?.spec)) continue;
      const itsNamespace = context.find(namespace, config.namespace)?.labels ?? {};
      const labels = template?.metadata?.labels ?? {};
      const key = `${config.namespace} ${selectorText(labels)}`;
      const injects =
        injected.get(key) ??
        webhooks.some(
          ({ namespaceSelector, objectSelector }) =>
            labelSelectorMatches(namespaceSelector, itsNamespace) && labelSelectorMatches(objectSelector, labels),
        );
      injected.set(key, injects);
      const about = { config, path: "spec.template.spec.containers" };
      if (!injects) context.report(messages.imageAutoWarning, about);
    }
  },
};

function hasAutoImage(spec: PodSpec | undefined): boolean {
  return findProxyContainer(spec)?.image === "auto";
}
