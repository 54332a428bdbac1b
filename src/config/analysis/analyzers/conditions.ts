import { isMapping } from "../../../lib/is-mapping.ts";
import type { Config } from "../../config.ts";
import type { Kind } from "../../kind.ts";
import { authorizationPolicy } from "../../kinds/authorization-policy.ts";
import { requestAuthentication } from "../../kinds/request-authentication.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { telemetry } from "../../kinds/telemetry.ts";
import { wasmPlugin } from "../../kinds/wasm-plugin.ts";
import { workloadEntry } from "../../kinds/workload-entry.ts";
import type { Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";

const inputs: readonly Kind[] = [
  authorizationPolicy,
  requestAuthentication,
  serviceEntry,
  telemetry,
  wasmPlugin,
  workloadEntry,
];

export const conditionAnalyzer: Analyzer = {
  name: "conditions.ConditionAnalyzer",
  description: "Objects whose status says that the control plane did not accept them",
  inputs,
  analyze(context) {
    for (const config of inputs.flatMap((kind) => context.all<typeof kind.schema>(kind))) {
      for (const { type, reason, message } of refusals(config)) {
        const about = { config, path: "status.conditions" };
        context.report(messages.negativeCondition, about, { condition: type, reason, detail: message });
      }
    }
  },
};

/**
 * Istio's own conditions report an error with False, or a partial success with True and a reason. Conditions of other
 * controllers have no common meaning.
 */
function refusals({ status }: Config) {
  const conditions: unknown = isMapping(status) ? status["conditions"] : undefined;
  return (Array.isArray(conditions) ? conditions : []).flatMap((each: unknown) => {
    if (!isMapping(each) || !isIstios(each["type"])) return [];
    if (each["status"] !== "False" && each["reason"] !== "PartiallyInvalid") return [];
    return [{ type: textOf(each["type"]), reason: textOf(each["reason"]), message: textOf(each["message"]) }];
  });
}

function isIstios(type: unknown): boolean {
  return (
    typeof type === "string" &&
    (type.startsWith("istio.io/") || /^(?:PassedValidation|Reconciled|\w+Accepted)$/u.test(type))
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
