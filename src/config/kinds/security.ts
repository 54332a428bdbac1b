/** What the kinds of security.istio.io have in common. */
export const security = {
  group: "security.istio.io",
  versions: ["v1", "v1beta1"],
  scope: "namespace",
} as const;

/** The collection that sources fill with a kind of security.istio.io: named after its first version, for good. */
export function securityCollection(plural: string): string {
  return `k8s/security.istio.io/v1beta1/${plural}`;
}
