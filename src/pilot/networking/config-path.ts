/** How resources name the object they were made of, in their metadata. */
export function configPath(
  kind: "virtual-service" | "destination-rule" | "sidecar",
  namespace: string,
  name: string,
): string {
  return `/apis/networking.istio.io/v1/namespaces/${namespace}/${kind}/${name}`;
}
