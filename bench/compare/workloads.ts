import { unedited, type W1Edit, w1Files, w1Namespaces } from "../w1.ts";
import { type MeshObject, meshObject, meshService, yamlOf } from "./mesh-objects.ts";

/** The files of a mesh by name. An edited object has its own file, so that servers read little again. */
type MeshFiles = Readonly<Record<string, string>>;

/** An edit that is measured, and perhaps another one that undoes it and is not measured. */
interface MeasuredEdit {
  readonly measured: MeshFiles;
  readonly undone?: MeshFiles;
}

/** A mesh, the edits of it that are measured, and the proxies that see it. */
export interface Workload {
  readonly about: string;
  readonly files: MeshFiles;
  /** The n-th edit of each stage. */
  readonly edits: Readonly<Record<string, (n: number) => MeasuredEdit>>;
  readonly proxies: "sidecars" | "routers";
  readonly namespaces: readonly string[];
}

export const routerLabels = { istio: "ingressgateway" };

const w1Edits = {
  "endpoint edit": (n: number) => measured({ thirdEndpoint: n % 2 === 0 }),
  "VirtualService edit": (n: number) => measured({ weight: 80 - n }),
  "DestinationRule edit": (n: number) => measured({ maxConnections: 50 + n }),
  "new service": () => ({ ...measured({ anotherService: true }), undone: w1Files(unedited) }),
};

function measured(edit: Partial<W1Edit>): MeasuredEdit {
  return { measured: w1Files({ ...unedited, ...edit }) };
}

/** The meshes of the comparison. Made when asked for: some are large. */
export const workloads: Readonly<Record<string, () => Workload>> = {
  W1: () => ({
    about: "1 000 services of two endpoints, 200 VirtualServices, 200 DestinationRules",
    files: w1Files(unedited),
    edits: w1Edits,
    proxies: "sidecars",
    namespaces: w1Namespaces,
  }),
  W2: () => {
    const sidecars = w1Namespaces.map((namespace) =>
      meshObject("Sidecar", "default", namespace, { egress: [{ hosts: ["./*"] }] }),
    );
    const scoped = (files: MeshFiles) => ({ ...files, "sidecars.yaml": yamlOf(sidecars) });
    const edits = Object.entries(w1Edits).map(([stage, edit]) => [stage, (n: number) => mapFiles(edit(n), scoped)]);
    return {
      about: "W1 with a Sidecar per namespace, so that each proxy sees a tenth of the services",
      files: scoped(w1Files(unedited)),
      edits: Object.fromEntries(edits) as Workload["edits"],
      proxies: "sidecars",
      namespaces: w1Namespaces,
    };
  },
  W3: () => {
    const rest = numbers(1_000).slice(1);
    const files = (prefix: string) => ({
      "services.yaml": yamlOf(numbers(100).map((index) => meshService(index, 2))),
      "gateways.yaml": yamlOf(numbers(1_000).map(gateway)),
      "routes.yaml": yamlOf(rest.map((index) => gatewayRoute(index, "/"))),
      "route.yaml": yamlOf([gatewayRoute(0, prefix)]),
    });
    return {
      about: "1 000 Gateways with a VirtualService each, for routers",
      files: files("/"),
      edits: { "VirtualService edit": (n) => ({ measured: files(`/edited-${n}`) }) },
      proxies: "routers",
      namespaces: ["istio-system"],
    };
  },
  W4: () => {
    const rest = yamlOf(
      numbers(100)
        .slice(1)
        .map((index) => meshService(index, 1_000)),
    );
    const files = (endpoints: number) => ({
      "services.yaml": rest,
      "service.yaml": yamlOf([meshService(0, endpoints)]),
    });
    return {
      about: "100 services of 1 000 endpoints",
      files: files(1_000),
      edits: { "endpoint edit": (n) => ({ measured: files(n % 2 === 0 ? 999 : 1_000) }) },
      proxies: "sidecars",
      namespaces: ["mesh"],
    };
  },
};

function mapFiles({ measured: files, undone }: MeasuredEdit, change: (files: MeshFiles) => MeshFiles): MeasuredEdit {
  return { measured: change(files), ...(undone && { undone: change(undone) }) };
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function gateway(index: number): MeshObject {
  const hosts = [`host-${index}.example.com`];
  const servers = [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts }];
  return meshObject("Gateway", `gateway-${index}`, "mesh", { selector: routerLabels, servers });
}

function gatewayRoute(index: number, prefix: string): MeshObject {
  const host = `service-${index % 100}.mesh.svc.cluster.local`;
  return meshObject("VirtualService", `route-${index}`, "mesh", {
    hosts: [`host-${index}.example.com`],
    gateways: [`gateway-${index}`],
    http: [{ match: [{ uri: { prefix } }], route: [{ destination: { host, port: { number: 80 } } }] }],
  });
}
