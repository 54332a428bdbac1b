import { fieldPath } from "../../field-path.ts";
import { secret } from "../../kinds/secret.ts";
import { meshNetworks } from "../../kinds/mesh-networks.ts";
import { serviceEntry } from "../../kinds/service-entry.ts";
import { workloadEntry } from "../../kinds/workload-entry.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { messages } from "../messages.ts";
import type { Reference } from "./references.ts";

/** Checks only meshes with several named networks: a single network needs no gateway. */
export const networkAnalyzer: Analyzer = {
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

export const meshNetworksAnalyzer: Analyzer = {
  name: "multicluster.MeshNetworksAnalyzer",
  description: "Networks that refer to unknown registries",
  inputs: [meshNetworks, secret],
  needs: [secret],
  analyze(context) {
    const registries = knownRegistries(context);
    for (const config of context.all(meshNetworks)) {
      for (const [network, { endpoints }] of Object.entries(config.spec.networks)) {
        for (const [index, { ne }] of endpoints.entries()) {
          if (ne.case !== "fromRegistry" || registries.has(ne.value)) continue;
          const path = fieldPath("spec.networks", network, "endpoints", index, "fromRegistry");
          context.report(messages.unknownRegistry, { config, path }, { registry: ne.value, network });
        }
      }
    }
  },
};

/** Default names of the registries of a control plane. */
const ownRegistries = ["Kubernetes", "External", "Mock"];
const remoteLabel = "istio/multiCluster";

/** The control plane finds other clusters through secrets, whose keys are the cluster names. */
function knownRegistries(context: AnalysisContext): ReadonlySet<string> {
  const remote = context.all(secret).filter(({ labels }) => labels[remoteLabel] === "true");
  const named = remote.flatMap(({ spec }) => Object.keys(spec.data));
  return new Set([...ownRegistries, ...named]);
}
