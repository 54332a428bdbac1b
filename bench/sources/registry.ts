/** A registry of services, filled and changed in the way of its own clients. */
export interface BenchedRegistry extends AsyncDisposable {
  /** The source of a server that reads the registry: `--source URL`. */
  readonly source: string;
  readonly flags?: readonly string[];
  /** Registers this many services, each with one endpoint. */
  fill(services: number): Promise<void>;
  /** Moves the endpoint of a service. Resolves when the registry has it. */
  flip(service: number, address: string): Promise<void>;
  /** The cluster of a service in proxies. */
  clusterOf(service: number): string;
}

/** An address for each number, up to sixteen million. */
export function instanceAddress(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

/** Calls `act` for each index, some at a time: many clients fill registries. */
export async function forEach(count: number, atOnce: number, act: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** A service as an object, for sources of objects. */
export function serviceEntry(service: number, address: string): string {
  const name = `service-${service}`;
  const spec = {
    hosts: [`${name}.example.com`],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address }],
  };
  const metadata = { name, namespace: "bench" };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec });
}

/** The cluster of {@link serviceEntry}. */
export function entryCluster(service: number): string {
  return `outbound|80||service-${service}.example.com`;
}
