import type { MutatingWebhook, MutatingWebhookConfiguration } from "#gen/k8s/admissionregistration/v1/webhook_pb.js";
import type { Config } from "../../config.ts";
import { isIpAddress } from "../../grammar/address.ts";
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from "../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";

const validatorPrefix = "istio-validator-";
const injectorPrefix = "istio-sidecar-injector-";
const defaultValidator = "istiod-default-validator";

export const externalControlPlaneAnalyzer: Analyzer = {
  name: "externalcontrolplane.ExternalControlPlaneAnalyzer",
  description: "Webhooks that should point to an external control plane, but do not",
  inputs: [validatingWebhookConfiguration, mutatingWebhookConfiguration],
  analyze(context) {
    const validators = context.all(validatingWebhookConfiguration);
    const injectors = context.all(mutatingWebhookConfiguration);
    const named = new Set(injectors.map(({ name }) => name));
    const remotes = new Set(validators.flatMap(({ name }) => remoteOf(name, named)));
    if (remotes.size === 0) return;
    const involved = [
      ...validators.filter(({ name }) => name === defaultValidator || remotes.has(name.slice(validatorPrefix.length))),
      ...injectors.filter(({ name }) => remotes.has(name.slice(injectorPrefix.length))),
    ];
    for (const config of involved) checkHooks(config, context);
  },
};

/**
 * In a remote cluster the validator and the injector have the same name. In the control plane's cluster the names
 * differ.
 */
function remoteOf(name: string, injectors: ReadonlySet<string>): readonly string[] {
  const suffix = name.slice(validatorPrefix.length);
  const isRemote = name.startsWith(validatorPrefix) && injectors.has(injectorPrefix + suffix);
  return isRemote ? [suffix] : [];
}

function checkHooks(config: Config<MutatingWebhookConfiguration>, context: AnalysisContext): void {
  for (const [index, webhook] of config.spec.webhooks.entries()) {
    const about = { config, path: `webhooks[${index}].clientConfig` };
    const detail = problemOf(webhook);
    if (detail !== undefined) {
      context.report(messages.invalidExternalControlPlane, about, { webhook: webhook.name, detail });
      continue;
    }
    const address = hostOf(webhook);
    if (isIpAddress(address)) context.report(messages.controlPlaneAddress, about, { webhook: webhook.name, address });
  }
}

function problemOf({ clientConfig }: MutatingWebhook): string | undefined {
  const url = clientConfig?.url ?? "";
  if (url === "") return "it has no URL";
  return URL.canParse(url) ? undefined : `${url} is not a URL`;
}

function hostOf({ clientConfig }: MutatingWebhook): string {
  return new URL(clientConfig?.url ?? "").hostname.replace(/^\[(?<address>.*)\]$/u, "$<address>");
}
