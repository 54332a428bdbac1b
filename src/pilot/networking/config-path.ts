/** The path of a source object in the metadata of resources. */
export function configPath(
  kind: "virtual-service" | "destination-rule" | "sidecar",
  namespace: string,
  name: string,
): string {
  return `/apis/networking.istio.io/v1/namespaces/${namespace}/${kind}/${name}`;
}
