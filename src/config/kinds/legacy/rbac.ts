/** What the kinds of rbac.istio.io have in common, the rules before AuthorizationPolicy. */
export const rbac = { group: "rbac.istio.io", versions: ["v1alpha1"] } as const;

export function rbacCollection(plural: string): string {
  return `k8s/rbac.istio.io/v1alpha1/${plural}`;
}
