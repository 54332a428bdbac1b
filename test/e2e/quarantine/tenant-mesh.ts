import { freePort } from "../support/free-port.ts";
import { objectYaml } from "../support/yaml.ts";

/** The places of gateways. All serve the same hosts, each at its own port. */
export const slots = ["first", "second", "fresh", "old", "fresh-old"] as const;
export type Slot = (typeof slots)[number];
export type Ports = Readonly<Record<Slot, number>>;

/** The facts that a mesh depends on. */
export interface Setting {
  /** The number of hosts. */
  readonly count: number;
  /** The ports of the hosts. */
  readonly ports: Ports;
  /** Other ports, free in every slot. */
  readonly otherPorts: Ports;
}

/** Files of a mesh, by name. */
export type Files = Readonly<Record<string, string>>;

const tenants = 20;
/** The hosts of one file. */
const hostsPerFile = 250;
const gatewayNamespace = "istio-system";

export async function freePorts(): Promise<Ports> {
  const entries: [Slot, number][] = [];
  for (const slot of slots) entries.push([slot, await freePort()]);
  return Object.fromEntries(entries) as Record<Slot, number>;
}

export function hostOf(index: number): string {
  return `host-${index}.example.com`;
}

function tenantOf(index: number): string {
  return `tenant-${index % tenants}`;
}

/** The service that answers the requests of a host. */
export function serviceOf(index: number): string {
  return `backend.${tenantOf(index)}.svc.cluster.local`;
}

/** An object of the tenant that has this host. */
export function objectOf(kind: string, index: number, name: string, spec: object): string {
  return objectYaml(kind, name, spec, tenantOf(index));
}

/** An object of the gateways' namespace. */
export function gatewayObject(kind: string, name: string, spec: object): string {
  return objectYaml(kind, name, spec, gatewayNamespace);
}

/** The VirtualService of a host. Its answers have this version in a header. */
export function route(index: number, version: string, match: object = { prefix: "/" }): string {
  const http = [
    {
      match: [{ uri: match }],
      headers: { response: { set: { "x-version": version } } },
      route: [{ destination: { host: serviceOf(index), port: { number: 80 } } }],
    },
  ];
  const gateways = slots.map((slot) => `${gatewayNamespace}/${slot}`);
  return objectOf("VirtualService", index, `host-${index}`, { hosts: [hostOf(index)], gateways, http });
}

/** The hosts of all tenants, behind gateways in every slot. Hosts that a story changes have files of their own. */
export function tenantMesh({ count, ports }: Setting, changed: readonly number[], workloadPort: number): Files {
  const files: Record<string, string> = {
    "gateways.yaml": documents(slots.map((slot) => gatewayOf(slot, ports[slot]))),
  };
  const services = Array.from({ length: tenants }, (_, index) => backend(index, workloadPort));
  files["services.yaml"] = documents(services);
  for (let from = 0; from < count; from += hostsPerFile) {
    const indexes = Array.from({ length: Math.min(hostsPerFile, count - from) }, (_, index) => from + index);
    const unchanged = indexes.filter((index) => !changed.includes(index));
    files[`routes-${from}.yaml`] = documents(unchanged.map((index) => route(index, "good")));
  }
  return files;
}

function gatewayOf(slot: Slot, port: number): string {
  const servers = [{ port: { number: port, name: "http", protocol: "HTTP" }, bind: "127.0.0.1", hosts: ["*"] }];
  return gatewayObject("Gateway", slot, { selector: { app: "gw", slot }, servers });
}

function backend(index: number, workloadPort: number): string {
  return objectOf("ServiceEntry", index, "backend", {
    hosts: [serviceOf(index)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    endpoints: [{ address: "127.0.0.1", ports: { http: workloadPort } }],
  });
}

export function documents(objects: readonly string[]): string {
  return objects.join("---\n");
}
