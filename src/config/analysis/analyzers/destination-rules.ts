import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode,
  type DestinationRule,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Labels } from "../../config.ts";
import { isWildcard } from "../../grammar/hostname.ts";
import { destinationRule } from "../../kinds/destination-rule.ts";
import { selects } from "../../selector.ts";
import type { Analyzer } from "../analyzer.ts";
import { type KnownService, KnownServices, serviceKinds } from "../facts/known-services.ts";
import type { LabelIndex } from "../facts/label-index.ts";
import { type SelectableWorkload, workloadKinds, workloads } from "../facts/selectable-workloads.ts";
import { messages } from "../messages.ts";

export const caCertificateAnalyzer: Analyzer = {
  name: "destinationrule.CaCertificateAnalyzer",
  description: "TLS without verification of the server's certificate",
  inputs: [destinationRule],
  analyze(context) {
    for (const config of context.all(destinationRule)) {
      const { host, trafficPolicy } = config.spec;
      if (trafficPolicy?.tls !== undefined && believesAnyone(trafficPolicy.tls, config.spec)) {
        const mode = modeOf(trafficPolicy.tls);
        const path = "spec.trafficPolicy.tls.caCertificates";
        context.report(messages.noVerificationAtDestination, { config, path }, { mode, host });
      }
      for (const [index, { port, tls }] of (trafficPolicy?.portLevelSettings ?? []).entries()) {
        if (tls === undefined || !believesAnyone(tls, config.spec)) continue;
        const path = `spec.trafficPolicy.portLevelSettings[${index}].tls.caCertificates`;
        const parameters = { mode: modeOf(tls), host, port: port?.number ?? 0 };
        context.report(messages.noVerificationAtPort, { config, path }, parameters);
      }
    }
  },
};

/**
 * A credential includes the CA certificate, but sidecars read credentials only for the workloads that the rule selects.
 * An explicit choice to skip verification is no mistake.
 */
function believesAnyone(tls: ClientTLSSettings, { workloadSelector }: DestinationRule): boolean {
  if (tls.insecureSkipVerify || tls.caCertificates !== "") return false;
  if (tls.credentialName !== "" && workloadSelector !== undefined) return false;
  return tls.mode === ClientTLSSettings_TLSmode.SIMPLE || tls.mode === ClientTLSSettings_TLSmode.MUTUAL;
}

function modeOf({ mode }: ClientTLSSettings): string {
  return ClientTLSSettings_TLSmode[mode];
}

export const podNotSelectedAnalyzer: Analyzer = {
  name: "destinationrule.PodNotSelectedAnalyzer",
  description: "Destination rules for missing services, and subsets without workloads",
  inputs: [destinationRule, ...workloadKinds, ...serviceKinds],
  needs: workloadKinds,
  analyze(context) {
    const services = new KnownServices(context);
    const candidates = workloads(context);
    for (const config of context.all(destinationRule)) {
      const { host, subsets, exportTo } = config.spec;
      // A wildcard may match future services.
      if (isWildcard(host)) continue;
      const known = services.find(host, { namespace: config.namespace, exportTo });
      if (known === undefined) {
        context.report(messages.unknownDestinationRuleHost, { config, path: "spec.host" }, { host });
        continue;
      }
      for (const [index, { name, labels }] of subsets.entries()) {
        if (serves(known, labels, candidates)) continue;
        const path = `spec.subsets[${index}].labels`;
        context.report(messages.subsetWithoutPods, { config, path }, { subset: name });
      }
    }
  },
};

/** If a service does not select its workloads by labels, this check cannot decide and reports nothing. */
function serves(
  { namespace, selector, endpoints }: KnownService,
  wanted: Labels,
  candidates: LabelIndex<SelectableWorkload>,
) {
  const own = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => value === "" || !isOfPlace(key)));
  if (selector === undefined) return endpoints.length === 0 || endpoints.some((labels) => selects(own, labels));
  return candidates.select({ ...selector, ...own }, namespace).length > 0;
}

/** Labels that endpoints get from their location, independently of the workload. They are never empty. */
function isOfPlace(key: string): boolean {
  return key.startsWith("topology.") || key === "kubernetes.io/hostname";
}
