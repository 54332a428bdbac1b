import { meshNetworks } from "../../../kinds/mesh-networks.ts";
import { serviceEntry } from "../../../kinds/service-entry.ts";
import { workloadEntry } from "../../../kinds/workload-entry.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";
import type { Reference } from "./reference.ts";

/** Checks only meshes with several named networks: a single network needs no gateway. */
export const networks: Analyzer = {
  name: "references.NetworkAnalyzer",
  description: "Endpoints in networks that the mesh does not know",
  inputs: [meshNetworks, serviceEntry, workloadEntry],
  analyze(context) {
    const known = new Set(context.all(meshNetworks).flatMap(({ spec }) => Object.keys(spec.networks)));
    for (const { config, reference, path } of networksOf(context)) {
      if (known.size === 0 || reference === "" || known.has(reference)) continue;
      const instead = "the endpoint is reached without a gateway";
      context.report(messages.danglingReference, { config, path }, { what: "network", reference, instead });
    }
  },
};

function networksOf(context: AnalysisContext): readonly Reference[] {
  const outside = context.all(workloadEntry).map((config) => {
    return { config, reference: config.spec.network, path: "spec.network" };
  });
  const listed = context.all(serviceEntry).flatMap((config) =>
    config.spec.endpoints.map(({ network }, index) => {
      return { config, reference: network, path: `spec.endpoints[${index}].network` };
    }),
  );
  return [...outside, ...listed];
}
