import type { JsonObject } from "@bufbuild/protobuf";
import { isSeq, LineCounter, type Node, parseDocument, stringify } from "yaml";
import { type Group, type MeshObject, object, type Place, type Ports } from "./row.ts";

/** The namespace of the servers that objects refer to: `NAME.peers.svc.cluster.local`. */
const peerNamespace = "peers";

/**
 * The ports of their services; the servers themselves have others. A sidecar without interception binds them on
 * 127.0.0.1. Envoys share such a port.
 */
const peerPorts = { TCP: 17_071, HTTP: 17_070, GRPC: 17_070 };

/** Ports at which each workload takes requests. */
export const workloadPorts = { http: 8080, tcp: 9000 };

/** The objects of a group: its own first, so that their lines are easy to find, then what makes it a workload. */
export function objectsOf(group: Group, place: Place, servicePort: number | undefined): readonly MeshObject[] {
  const own = typeof group.objects === "function" ? group.objects(place) : group.objects;
  if (group.at === "router") return [...own, ...(own.some(({ kind }) => kind === "Gateway") ? [] : gatewayOf(place))];
  return [...own, sidecarOf(place), ...(servicePort === undefined ? [] : [serviceOf(place, servicePort)])];
}

/**
 * A file of objects, and the line at which each of them begins, by `KIND NAMESPACE/NAME`. Patches of EnvoyFilters have
 * lines of their own, by `EnvoyFilter NAMESPACE/NAME configPatches[INDEX]`.
 */
export function fileOf(objects: readonly MeshObject[], namespace: string) {
  const lines = new Map<string, number>();
  let text = "";
  for (const each of objects) {
    const metadata = { namespace, ...each.metadata };
    if (text !== "") text += "---\n";
    const name = `${each.kind} ${metadata.namespace}/${metadata.name}`;
    const first = text.split("\n").length;
    const written = stringify({ ...each, metadata });
    lines.set(name, first);
    for (const [index, line] of patchLines(written).entries()) {
      lines.set(`${name} configPatches[${index}]`, first + line - 1);
    }
    text += written;
  }
  return { text, lines };
}

/** The lines of the patches in the text of an EnvoyFilter, from 1. */
function patchLines(text: string): readonly number[] {
  const counter = new LineCounter();
  const patches = parseDocument(text, { lineCounter: counter }).getIn(["spec", "configPatches"]);
  if (!isSeq<Node>(patches)) return [];
  return patches.items.map(({ range }) => counter.linePos(range?.[0] ?? 0).line);
}

/** Services of the applications and of all peers. They have no sidecars, and so get no mTLS. */
export function peerServices(ports: Ports): string {
  const services = Object.entries(ports).map(([name, port]) =>
    object("ServiceEntry", name, {
      hosts: [`${name}.${peerNamespace}.svc.cluster.local`],
      location: "MESH_EXTERNAL",
      resolution: "STATIC",
      ports: [{ number: peerPorts[protocolOf(name)], name: "main", protocol: protocolOf(name) }],
      endpoints: [{ address: "127.0.0.1", ports: { main: port } }],
    }),
  );
  return fileOf(services, peerNamespace).text;
}

/** Names tell protocols: `grpc-…` is gRPC, `tcp` is TCP, all else is HTTP. */
function protocolOf(name: string): keyof typeof peerPorts {
  if (name.startsWith("grpc-")) return "GRPC";
  return name.startsWith("tcp") ? "TCP" : "HTTP";
}

/** MeshConfig with the providers of all areas. */
export function meshConfig(config: JsonObject, providers: readonly JsonObject[]): string {
  const { extensionProviders: own = [] } = config as { readonly extensionProviders?: readonly JsonObject[] };
  return stringify({ ...config, extensionProviders: [...providers, ...own] });
}

function sidecarOf({ app, address, ports }: Place): MeshObject {
  const ingress = (["http", "tcp"] as const).map((name) => ({
    port: { number: workloadPorts[name], protocol: name.toUpperCase(), name },
    bind: address,
    captureMode: "NONE",
    defaultEndpoint: `127.0.0.1:${ports[name === "http" ? "app" : "tcp"] ?? 0}`,
  }));
  const egress = [{ hosts: [`${peerNamespace}/*`] }];
  return object("Sidecar", app, { workloadSelector: { labels: { app } }, ingress, egress });
}

/** The service by which the client's sidecar calls the workload. */
function serviceOf({ namespace, app, address }: Place, port: number): MeshObject {
  return object("ServiceEntry", app, {
    hosts: [`${app}.${namespace}.svc.cluster.local`],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: port, name: "http", protocol: "HTTP" }],
    endpoints: [{ address, ports: { http: workloadPorts.http }, labels: { app }, serviceAccount: app }],
  });
}

function gatewayOf({ app, address }: Place): readonly MeshObject[] {
  const server = { port: { number: workloadPorts.http, name: "http", protocol: "HTTP" }, bind: address, hosts: ["*"] };
  const destination = { host: `app.${peerNamespace}.svc.cluster.local`, port: { number: peerPorts.HTTP } };
  return [
    object("Gateway", app, { selector: { app }, servers: [server] }),
    object("VirtualService", app, { hosts: ["*"], gateways: [app], http: [{ route: [{ destination }] }] }),
  ];
}
