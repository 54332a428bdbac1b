import type { Gateway, ServerTLSSettings } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import { oncePer } from "../../../../lib/memo.ts";
import { type Config, configKey } from "../../../config.ts";
import { gateway } from "../../../kinds/gateway.ts";
import type { Analyzer } from "../../analyzer.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { selectorText } from "../../facts/label-selectors.ts";
import { listedGroups } from "../../facts/listed-names.ts";
import { messages } from "../../messages.ts";

export const certificateAnalyzer: Analyzer = {
  name: "gateway.CertificateAnalyzer",
  description: "One certificate served by several gateways of the same workloads",
  inputs: [gateway],
  analyze(context) {
    const holders = context.all(gateway).flatMap((config) => {
      return [...new Set(certificatesOf(config))].map((text) => ({ text, config }));
    });
    const groups = new Map(
      Array.from(
        Map.groupBy(holders, ({ text }) => text),
        ([text, same]) => {
          return [text, coveredBy(same.map(({ config }) => config))];
        },
      ),
    );
    for (const config of context.all(gateway)) {
      const sharing = new Set(certificatesOf(config).flatMap((each) => [groups.get(each)?.(config) ?? []]));
      const twins = [...sharing].filter((group) => group.some((twin) => twin !== config));
      if (twins.length === 0) continue;
      const gateways = listedGroups(twins);
      context.report(messages.duplicateCertificate, { config, path: "metadata.name" }, { gateways });
    }
  },
};

type Gateways = readonly Config<Gateway>[];

/**
 * For gateways with the same certificate. Finds those whose workloads are a subset of one gateway's workloads,
 * including itself, by name. Gateways with equal selectors get the same answer.
 */
function coveredBy(holders: Gateways): (config: Config<Gateway>) => Gateways {
  const groups = Map.groupBy(holders, ({ spec }) => selectorText(spec.selector)).values();
  const index = new LabelIndex(
    Array.from(groups, (group) => ({ namespace: "", labels: group[0]?.spec.selector ?? {}, group })),
  );
  const covered = oncePer((selected: readonly { readonly group: Gateways }[]) =>
    selected.flatMap(({ group }) => group).toSorted((a, b) => compareTexts(configKey(a), configKey(b))),
  );
  return ({ spec }) => covered(index.select(spec.selector));
}

/** The identity of a gateway's certificates: the credential, or both files. */
function certificatesOf({ spec }: Config<Gateway>): readonly string[] {
  return spec.servers.flatMap(({ tls }) => (tls === undefined ? [] : certificateOf(tls)));
}

function certificateOf({ credentialName, serverCertificate, privateKey }: ServerTLSSettings): readonly string[] {
  if (credentialName !== "") return [`credential ${credentialName}`];
  return serverCertificate === "" || privateKey === "" ? [] : [`files ${serverCertificate} ${privateKey}`];
}
