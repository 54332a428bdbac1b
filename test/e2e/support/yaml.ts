/** One endpoint of a service, on loopback unless told otherwise. */
interface EndpointYaml {
  readonly address?: string;
  readonly port: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly serviceAccount?: string;
}

interface ServiceYaml {
  readonly name: string;
  readonly port: number;
  readonly protocol?: string;
  readonly resolution?: "STATIC" | "DNS";
  readonly endpoints: readonly EndpointYaml[];
}

/** A ServiceEntry of namespace `shop`: `NAME.shop.svc.cluster.local` with one port. JSON is YAML as well. */
export function serviceYaml({ name, port, protocol = "HTTP", resolution = "STATIC", endpoints }: ServiceYaml): string {
  return objectYaml("ServiceEntry", name, {
    hosts: [`${name}.shop.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution,
    ports: [{ number: port, name: "main", protocol }],
    endpoints: endpoints.map(({ address = "127.0.0.1", port: target, labels, serviceAccount }) => ({
      address,
      ports: { main: target },
      labels,
      serviceAccount,
    })),
  });
}

/** Any object of namespace `shop`, or of another. */
export function objectYaml(kind: string, name: string, spec: object, namespace = "shop"): string {
  const apiVersion = "networking.istio.io/v1";
  return `${JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec }, undefined, 2)}\n`;
}
