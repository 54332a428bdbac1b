/** Common fields of the kinds in networking.istio.io. */
export const networking = {
  group: "networking.istio.io",
  versions: ["v1", "v1beta1", "v1alpha3"],
  scope: "namespace",
} as const;

/** The collection that sources fill with a kind of networking.istio.io. Its name keeps the first version for ever. */
export function networkingCollection(plural: string): string {
  return `k8s/networking.istio.io/v1alpha3/${plural}`;
}

/** Common fields of the kinds in security.istio.io. */
export const security = {
  group: "security.istio.io",
  versions: ["v1", "v1beta1"],
  scope: "namespace",
} as const;

/** The collection that sources fill with a kind of security.istio.io. Its name keeps the first version for ever. */
export function securityCollection(plural: string): string {
  return `k8s/security.istio.io/v1beta1/${plural}`;
}
