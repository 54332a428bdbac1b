/** One of Istio's networking objects. */
export interface MeshObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

export function meshObject(kind: string, name: string, namespace: string, spec: object): MeshObject {
  return { apiVersion: "networking.istio.io/v1", kind, metadata: { name, namespace }, spec };
}

/** A service of the namespace `mesh` with this many endpoints. */
export function meshService(index: number, endpoints: number): MeshObject {
  return meshObject("ServiceEntry", `service-${index}`, "mesh", {
    hosts: [`service-${index}.mesh.svc.cluster.local`],
    addresses: [`10.96.${index >> 8}.${index & 255}`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: Array.from({ length: endpoints }, (_, endpoint) => ({ address: addressOf(index, endpoint) })),
  });
}

/** Different from every other endpoint, and from the addresses of a fleet. */
function addressOf(service: number, endpoint: number): string {
  return `11.${service}.${endpoint >> 8}.${endpoint & 255}`;
}

/** One document per object. JSON is YAML, too. */
export function yamlOf(objects: readonly MeshObject[]): string {
  return objects.map((object) => JSON.stringify(object)).join("\n---\n");
}
