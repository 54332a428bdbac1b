import { authorizationPolicy } from "../../../kinds/authorization-policy.ts";
import { pod } from "../../../kinds/kubernetes.ts";
import { requestAuthentication } from "../../../kinds/request-authentication.ts";
import { telemetry } from "../../../kinds/telemetry.ts";
import { wasmPlugin } from "../../../kinds/wasm-plugin.ts";
import { selects } from "../../../selector.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

/** On the pods of a gateway of the Gateway API. */
const gatewayLabel = "gateway.networking.k8s.io/gateway-name";

export const selector: Analyzer = {
  name: "k8sgateway.SelectorAnalyzer",
  description: "Policies that select the pods of a Kubernetes gateway, which only heeds references",
  inputs: [authorizationPolicy, requestAuthentication, telemetry, wasmPlugin, pod],
  analyze(context) {
    const gateways = context.all(pod).filter(({ labels }) => labels[gatewayLabel] !== undefined);
    if (gateways.length === 0) return;
    const policies = [
      ...context.all(authorizationPolicy),
      ...context.all(requestAuthentication),
      ...context.all(telemetry),
      ...context.all(wasmPlugin),
    ];
    for (const config of policies) {
      const { selector: own, targetRef, targetRefs } = config.spec;
      if (own === undefined || targetRef !== undefined || targetRefs.length > 0) continue;
      for (const { namespace, labels } of gateways) {
        if (namespace !== config.namespace || !selects(own.matchLabels, labels)) continue;
        const gateway = labels[gatewayLabel] ?? "";
        context.report(messages.ineffectiveSelector, { config, path: "spec.selector" }, { gateway });
      }
    }
  },
};
