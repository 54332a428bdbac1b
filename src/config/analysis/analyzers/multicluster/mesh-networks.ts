import { fieldPath } from "../../../field-path.ts";
import { secret } from "../../../kinds/kubernetes.ts";
import { meshNetworks as networksKind } from "../../../kinds/mesh-networks.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const meshNetworks: Analyzer = {
  name: "multicluster.MeshNetworksAnalyzer",
  description: "Networks of the endpoints of registries that nobody has been told of",
  inputs: [networksKind, secret],
  needs: [secret],
  analyze(context) {
    const registries = knownRegistries(context);
    for (const config of context.all(networksKind)) {
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
  const named = remote.flatMap(({ spec }) => [...Object.keys(spec.data), ...Object.keys(spec.stringData)]);
  return new Set([...ownRegistries, ...named]);
}
