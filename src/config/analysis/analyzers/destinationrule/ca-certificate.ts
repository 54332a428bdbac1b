import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode,
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
      if (believesAnyone(trafficPolicy?.tls)) {
        const mode = modeOf(trafficPolicy.tls);
        const path = "spec.trafficPolicy.tls.caCertificates";
        context.report(messages.noVerificationAtDestination, { config, path }, { mode, host });
      }
      for (const [index, { port, tls }] of (trafficPolicy?.portLevelSettings ?? []).entries()) {
        if (!believesAnyone(tls)) continue;
        const path = `spec.trafficPolicy.portLevelSettings[${index}].tls.caCertificates`;
        const parameters = { mode: modeOf(tls), host, port: port?.number ?? 0 };
        context.report(messages.noVerificationAtPort, { config, path }, parameters);
      }
    }
  },
};

/** With a credential, the certificate of the authority comes from there; without verification on purpose, it is said. */
function believesAnyone(tls: ClientTLSSettings | undefined): tls is ClientTLSSettings {
  if (tls === undefined || tls.insecureSkipVerify || tls.credentialName !== "" || tls.caCertificates !== "")
    return false;
  return tls.mode === ClientTLSSettings_TLSmode.SIMPLE || tls.mode === ClientTLSSettings_TLSmode.MUTUAL;
}

function modeOf({ mode }: ClientTLSSettings): string {
  return ClientTLSSettings_TLSmode[mode];
}
