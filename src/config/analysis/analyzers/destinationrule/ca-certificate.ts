import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode,
  type DestinationRule,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { destinationRule } from "../../../kinds/destination-rule.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const caCertificate: Analyzer = {
  name: "destinationrule.CaCertificateAnalyzer",
  description: "TLS to a server whose certificate nobody verifies",
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
