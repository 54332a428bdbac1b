import type { PodSpec } from "#gen/k8s/core/v1/pod_pb.js";
import { deployment, mutatingWebhookConfiguration, namespace, pod } from "../../../kinds/kubernetes.ts";
import type { Analyzer } from "../../analyzer.ts";
import { proxyOf } from "../../facts/injection.ts";
import { labelSelectorMatches, selectorText } from "../../facts/labels.ts";
import { messages } from "../../messages.ts";

export const imageAuto: Analyzer = {
  name: "injection.ImageAutoAnalyzer",
  description: "Proxies whose image an injector should have filled in",
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
  return proxyOf(spec)?.image === "auto";
}
