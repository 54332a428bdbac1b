import type { JsonObject } from "@bufbuild/protobuf";
import { fetchDump } from "../../../src/cli/mesh/fetch-dump.ts";
import { type KnownConfig, readDump } from "../../../src/cli/mesh/proxy-dump.ts";
import { startBinnacle } from "../support/binnacle/server.ts";
import type { EnvoyNode } from "../support/envoy/bootstrap.ts";
import { type EnvoyProcess, startEnvoy } from "../support/envoy/envoy.ts";
import { type HeldProxy, holdProxy, joined } from "../support/envoy/held-proxy.ts";
import { startRawServer } from "../support/envoy/raw-server.ts";
import { ask } from "../support/http.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import type { IssuedFiles, TestAuthority } from "../support/tls/certificates.ts";
import { certifiedNode } from "../support/tls/mutual-shop.ts";
import { fileOf, meshConfig, objectsOf, peerServices } from "./mesh-files.ts";
import type { Group, Place, Ports, TableMesh } from "./row.ts";

/** A group with its place in the mesh. */
export interface PlacedGroup {
  readonly group: Group;
  readonly place: Place;
  /** Where the client's sidecar takes requests for it. Undefined if no row goes that way. */
  readonly servicePort: number | undefined;
}

/** A group whose proxy is ready. */
export interface OpenGroup extends PlacedGroup {
  /** The configuration that the server sent to its proxy. */
  readonly known: KnownConfig;
  /** The configuration that the server sent to the client's sidecar. */
  readonly client: KnownConfig | undefined;
  /** The line of each object in the group's file, by `KIND NAMESPACE/NAME`. */
  readonly lines: ReadonlyMap<string, number>;
  readonly envoy: EnvoyProcess;
}

export interface MeshSetup {
  readonly mesh: TableMesh;
  readonly groups: readonly PlacedGroup[];
  readonly ports: Ports;
  readonly providers: readonly JsonObject[];
  readonly authority: TestAuthority;
}

/** A server, one Envoy for all proxies that can share one, and one for each of the others. */
export async function openMesh(setup: MeshSetup, stack: AsyncDisposableStack): Promise<readonly OpenGroup[]> {
  const { mesh, groups, ports, providers, authority } = setup;
  const files = groups.map(({ group, place, servicePort }) =>
    fileOf(objectsOf(group, place, servicePort), place.namespace),
  );
  const dir = stack.use(new MeshDir({ "peers.yaml": peerServices(ports) }));
  for (const [index, { text }] of files.entries()) dir.write(`${groups[index]?.place.app}.yaml`, text);
  const settings = stack.use(new MeshDir({ "mesh.yaml": meshConfig(mesh.config, providers) }));
  const allowances = ["--jwks-allow-http", "--jwks-allow-local", "--max-streams-per-second", "1000"];
  const args = ["--mesh", `${settings.path}/mesh.yaml`, ...allowances];
  const { xdsPort, httpPort } = stack.use(await startBinnacle({ dir: dir.path, args }));
  const nodes = await Promise.all(groups.map((placed) => nodeOf(placed, authority)));
  const start = async (node: EnvoyNode) => stack.use(await startEnvoy({ xdsPort, mode: "delta", node }));
  const dumpOf = async (node: EnvoyNode) => readDump(await fetchDump(`127.0.0.1:${httpPort}`, node.id));

  const share = (index: number) => groups[index]?.group.alone !== true;
  const held: HeldProxy[] = [];
  for (const node of nodes.filter((_, index) => share(index))) held.push(stack.use(await holdProxy(node, xdsPort)));
  const [common, alone, client] = await Promise.all([
    startJoined(held, stack),
    Promise.all(nodes.map(async (node, index) => (share(index) ? undefined : await start(node)))),
    groups.some(({ servicePort }) => servicePort !== undefined)
      ? clientNode(clientIdentity(mesh), authority)
      : undefined,
  ]);
  const clientEnvoy = client && (await start(client));
  const envoys = [common, clientEnvoy, ...alone].filter((envoy) => envoy !== undefined);
  await Promise.all(envoys.map((envoy) => envoy.settled()));
  const clientConfig = client && (await dumpOf(client));
  const open: OpenGroup[] = [];
  // One after the other: a server answers hundreds of such questions at once too slowly.
  for (const [index, placed] of groups.entries()) {
    const [node, file] = [nodes[index], files[index]];
    if (node === undefined || file === undefined) throw new Error(`${placed.place.app} has no node`);
    const known = await dumpOf(node);
    open.push({ ...placed, known, client: clientConfig, lines: file.lines, envoy: alone[index] ?? common });
  }
  return open;
}

/** One Envoy that serves the listeners of all held proxies. */
async function startJoined(held: readonly HeldProxy[], stack: AsyncDisposableStack): Promise<EnvoyProcess> {
  const relay = stack.use(await startRawServer());
  relay.set(joined(held));
  const extraArgs = ["--file-flush-interval-msec", "50"];
  const envoy = stack.use(await startEnvoy({ xdsPort: relay.port, mode: "delta", extraArgs }));
  // Spans leave one by one, so that rows need not wait for more of them.
  const least = ["opentelemetry", "zipkin"].map((tracer) => `tracing.${tracer}.min_flush_spans=1`).join("&");
  await ask("POST", envoy.adminPort, `/runtime_modify?${least}`);
  return envoy;
}

async function nodeOf({ group, place }: PlacedGroup, authority: TestAuthority): Promise<EnvoyNode> {
  const { namespace, app, address } = place;
  const files = await certificateFor(identityOfGroup({ group, place }), authority);
  const sidecar = certifiedNode(app, address, files);
  const type = group.at ?? "sidecar";
  return {
    id: `${type}~${address}~${app}-0.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { ...sidecar.metadata, NAMESPACE: namespace, SERVICE_ACCOUNT: app, ...group.metadata },
  };
}

/** The identity in the certificate of the group's proxy. */
export function identityOfGroup({ group, place }: Pick<PlacedGroup, "group" | "place">): string {
  return `spiffe://${group.trustDomain ?? "cluster.local"}/ns/${place.namespace}/sa/${place.app}`;
}

/** The identity in the certificate of the client's sidecar. */
export function clientIdentity({ clientTrustDomain = "cluster.local" }: Partial<TableMesh> = {}): string {
  return `spiffe://${clientTrustDomain}/ns/client/sa/client`;
}

async function clientNode(identity: string, authority: TestAuthority): Promise<EnvoyNode> {
  const files = await certificateFor(identity, authority);
  const { metadata } = certifiedNode("client", "127.0.0.1", files);
  return {
    id: "sidecar~127.0.0.1~client-0.client~client.svc.cluster.local",
    metadata: { ...metadata, NAMESPACE: "client", SERVICE_ACCOUNT: "client" },
  };
}

/** Files of a certificate for a SPIFFE id. */
export function certificateFor(identity: string, authority: TestAuthority): Promise<IssuedFiles> {
  const name = identity.replaceAll(/[^a-z0-9]+/giu, "-").slice(-60);
  return authority.issueNames(name, [{ type: "url", value: identity }]);
}
