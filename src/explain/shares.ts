import type { ClusterShare } from "./explanation.ts";

/** Weights as shares of 1, without zero weights. Empty when all weights are zero, which Envoy rejects. */
export function clusterSharesOf(
  clusters: readonly { readonly name: string; readonly weight?: number }[],
): readonly ClusterShare[] {
  const total = clusters.reduce((sum, { weight = 0 }) => sum + weight, 0);
  return clusters
    .filter(({ weight = 0 }) => weight > 0)
    .map(({ name, weight = 0 }) => ({ cluster: name, share: weight / total }));
}
