import { envoyFilter } from "../../kinds/envoy-filter.ts";
import { customResourceDefinition } from "../../kinds/kubernetes.ts";
import { serviceRoleBinding } from "../../kinds/legacy/rbac.ts";
import { sidecar } from "../../kinds/sidecar.ts";
import { virtualService } from "../../kinds/virtual-service.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";

export const deprecationAnalyzer: Analyzer = {
  name: "deprecation.DeprecationAnalyzer",
  description: "Fields and kinds that Istio has replaced, ignores or has removed",
  inputs: [virtualService, sidecar, envoyFilter, serviceRoleBinding, customResourceDefinition],
  analyze(context) {
    delayPercents(context);
    egressProxies(context);
    envoyFilters(context);
    bindings(context);
    removedKinds(context);
  },
};

function delayPercents(context: AnalysisContext): void {
  for (const config of context.all(virtualService)) {
    for (const [index, { fault }] of config.spec.http.entries()) {
      if ((fault?.delay?.percent ?? 0) <= 0) continue;
      const about = { config, path: `spec.http[${index}].fault.delay.percent` };
      context.report(messages.deprecated, about, { what: replaced("fault.delay.percent", "fault.delay.percentage") });
    }
  }
}

function egressProxies(context: AnalysisContext): void {
  for (const config of context.all(sidecar)) {
    if (config.spec.outboundTrafficPolicy?.egressProxy === undefined) continue;
    const about = { config, path: "spec.outboundTrafficPolicy.egressProxy" };
    context.report(messages.deprecated, about, { what: "outboundTrafficPolicy.egressProxy is ignored" });
  }
}

function envoyFilters(context: AnalysisContext): void {
  for (const config of context.all(envoyFilter)) {
    const { workloadLabels, filters } = config.spec;
    if (Object.keys(workloadLabels).length > 0) {
      const what = replaced("workloadLabels", "workloadSelector");
      context.report(messages.deprecated, { config, path: "spec.workloadLabels" }, { what });
    }
    if (filters.length > 0) {
      const what = replaced("filters", "configPatches");
      context.report(messages.deprecated, { config, path: "spec.filters" }, { what });
    }
  }
}

function bindings(context: AnalysisContext): void {
  for (const config of context.all(serviceRoleBinding)) {
    for (const [index, { group }] of config.spec.subjects.entries()) {
      if (group === "") continue;
      const about = { config, path: `spec.subjects[${index}].group` };
      context.report(messages.deprecated, about, { what: replaced("subjects.group", "subjects.properties") });
    }
  }
}

const removed = new Set(["ClusterRbacConfig", "RbacConfig", "ServiceRole", "ServiceRoleBinding"]);

function removedKinds(context: AnalysisContext): void {
  for (const config of context.all(customResourceDefinition)) {
    const { group, names } = config.spec;
    if (group !== "rbac.istio.io" || !removed.has(names?.kind ?? "")) continue;
    const what = `Istio no longer reads ${names?.kind} of ${group}`;
    context.report(messages.deprecated, { config, path: "spec.names.kind" }, { what });
  }
}

function replaced(field: string, instead: string): string {
  return `${field} is deprecated: use ${instead}`;
}
