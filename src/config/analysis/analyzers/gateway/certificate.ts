import type { Gateway, ServerTLSSettings } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { Config } from "../../../config.ts";
import { gateway } from "../../../kinds/gateway.ts";
import { selects } from "../../../selector.ts";
import type { Analyzer } from "../../analyzer.ts";
import { listed } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const certificate: Analyzer = {
  name: "gateway.CertificateAnalyzer",
  description: "One certificate served by several gateways of the same workloads",
  inputs: [gateway],
  analyze(context) {
    const holders = new Map<string, Config<Gateway>[]>();
    for (const config of context.all(gateway)) {
      for (const each of certificatesOf(config)) {
        const known = holders.get(each);
        if (known === undefined) holders.set(each, [config]);
        else known.push(config);
      }
    }
    for (const config of context.all(gateway)) {
      const sharing = new Set(certificatesOf(config).flatMap((each) => holders.get(each) ?? []));
      const about = { config, path: "metadata.name" };
      for (const twin of sharing) {
        if (twin === config || !covers(config, twin)) continue;
        context.report(messages.duplicateCertificate, about, { gateways: listed([config, twin]) });
      }
    }
  },
};

/** True when every workload of the other gateway is one of this gateway, too. */
function covers(config: Config<Gateway>, other: Config<Gateway>): boolean {
  return selects(config.spec.selector, other.spec.selector);
}

/** What tells the certificates of a gateway apart: the credential, or both files. */
function certificatesOf({ spec }: Config<Gateway>): readonly string[] {
  return spec.servers.flatMap(({ tls }) => (tls === undefined ? [] : certificateOf(tls)));
}

function certificateOf({ credentialName, serverCertificate, privateKey }: ServerTLSSettings): readonly string[] {
  if (credentialName !== "") return [`credential ${credentialName}`];
  return serverCertificate === "" || privateKey === "" ? [] : [`files ${serverCertificate} ${privateKey}`];
}
