/** Common fields of the kinds in rbac.istio.io, which AuthorizationPolicy replaced. */
export const rbac = { group: "rbac.istio.io", versions: ["v1alpha1"] } as const;

export function rbacCollection(plural: string): string {
  return `k8s/rbac.istio.io/v1alpha1/${plural}`;
}
