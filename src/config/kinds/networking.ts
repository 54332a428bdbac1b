/** What the kinds of networking.istio.io have in common. */
export const networking = {
  group: "networking.istio.io",
  versions: ["v1", "v1beta1", "v1alpha3"],
  scope: "namespace",
} as const;

/** The collection that sources fill with a kind of networking.istio.io: named after its first version, for good. */
export function networkingCollection(plural: string): string {
  return `k8s/networking.istio.io/v1alpha3/${plural}`;
}
