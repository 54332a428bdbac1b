/** Common fields of the kinds in config.istio.io. They belong to Mixer, which no longer exists. */
export const mixer = { group: "config.istio.io", versions: ["v1alpha2"], scope: "namespace" } as const;

export function mixerCollection(plural: string): string {
  return `k8s/config.istio.io/v1alpha2/${plural}`;
}
