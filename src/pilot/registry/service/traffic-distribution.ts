import type { Service } from "../../model/service/service.ts";

const distributions: ReadonlyMap<string, Service["trafficDistribution"]> = new Map([
  ["preferclose", "same-zone"],
  ["prefersamezone", "same-zone"],
  ["prefersamenode", "same-node"],
]);

/** What Kubernetes calls it, in any case; what we do not know prefers nobody. */
export function trafficDistributionOf(text = ""): Service["trafficDistribution"] {
  return distributions.get(text.toLowerCase()) ?? "any";
}
