import type { Service } from "../../model/service/service.ts";

const distributions: ReadonlyMap<string, Service["trafficDistribution"]> = new Map([
  ["preferclose", "same-zone"],
  ["prefersamezone", "same-zone"],
  ["prefersamenode", "same-node"],
]);

/** Parses Kubernetes' value in any case; an unknown value has no preference. */
export function trafficDistributionOf(text = ""): Service["trafficDistribution"] {
  return distributions.get(text.toLowerCase()) ?? "any";
}
