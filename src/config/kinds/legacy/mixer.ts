/** What the kinds of config.istio.io have in common: Mixer's, which is gone. */
export const mixer = { group: "config.istio.io", versions: ["v1alpha2"], scope: "namespace" } as const;

export function mixerCollection(plural: string): string {
  return `k8s/config.istio.io/v1alpha2/${plural}`;
}
