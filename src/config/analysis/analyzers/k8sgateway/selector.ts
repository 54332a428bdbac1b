import { compareTexts } from "../../../../lib/compare.ts";
import { oncePer } from "../../../../lib/memo.ts";
import type { Config } from "../../../config.ts";
import { authorizationPolicy } from "../../../kinds/authorization-policy.ts";
import { pod } from "../../../kinds/kubernetes.ts";
import { requestAuthentication } from "../../../kinds/request-authentication.ts";
import { telemetry } from "../../../kinds/telemetry.ts";
import { wasmPlugin } from "../../../kinds/wasm-plugin.ts";
import type { Analyzer } from "../../analyzer.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { listedTexts } from "../../facts/names.ts";
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
