import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import type { TrustAnchor } from "../../model/trust-anchor.ts";
import type { Inputs } from "../inputs.ts";

/** The roots of our certificate authority, and those of MeshConfig, by their PEM. */
export function deriveTrustAnchors(graph: Graph, inputs: Inputs): Collection<TrustAnchor> {
  const configured = graph.derive({
    name: "configured trust anchors",
    from: inputs.mesh,
    key: ({ pem }: TrustAnchor) => pem,
    *to({ spec }) {
      const texts = spec.caCertificates.map(({ certificateData }) => certificateData);
      const pems = texts.flatMap((text) =>
        text.case === "pem" && text.value.trim() !== "" ? [text.value.trim()] : [],
      );
      for (const pem of new Set(pems)) yield { pem: `${pem}\n` };
    },
  });
  return graph.union({ name: "trust anchors", parts: [inputs.trustedRoots, configured] });
}
