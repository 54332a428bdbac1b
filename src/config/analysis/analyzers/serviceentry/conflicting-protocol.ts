import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Config } from "../../../config.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { everywhere, exportScopes } from "../../facts/export-scope.ts";
import { listed } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const conflictingProtocol: Analyzer = {
  name: "serviceentry.ConflictingServiceEntryProtocolAnalyzer",
  description: "Service entries that disagree about the protocol of one port of one host",
  inputs: [serviceEntry],
  analyze(context) {
    const claims = context.all(serviceEntry).flatMap(claimsOf);
    const reported = new Set<Config>();
    for (const rivals of Map.groupBy(claims, ({ host, port }) => `${host}:${port}`).values()) {
      for (const own of rivals) {
        const others = rivals.filter((other) => meet(own, other) && other.protocol !== own.protocol);
        if (others.length === 0 || reported.has(own.config)) continue;
        reported.add(own.config);
        const protocols = new Set([own, ...others].map(({ protocol }) => protocol));
        context.report(messages.conflictingServiceEntryProtocol, own, {
          protocols: [...protocols].toSorted(compareTexts).join(", "),
          host: own.host,
          port: own.port,
          objects: listed([own, ...others].map(({ config }) => config)),
        });
      }
    }
  },
};

interface Claim {
  readonly config: Config<ServiceEntry>;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
}

function claimsOf(config: Config<ServiceEntry>): readonly Claim[] {
  const { hosts, ports, exportTo } = config.spec;
  const scopes = exportScopes(exportTo, config.namespace);
  return ports.flatMap(({ number, protocol }, index) =>
    hosts.map((host) => {
      const path = `spec.ports[${index}].protocol`;
      return { config, path, scopes, host, port: number, protocol: protocol.toUpperCase() };
    }),
  );
}

/** Whether some namespace sees both. */
function meet(a: Claim, b: Claim): boolean {
  return (
    a.scopes.includes(everywhere) || b.scopes.includes(everywhere) || a.scopes.some((one) => b.scopes.includes(one))
  );
}
