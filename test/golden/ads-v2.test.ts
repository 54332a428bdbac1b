import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import {
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { compareTexts } from "../../src/lib/compare.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { streamPair } from "../../src/testing/stream/stream-pair.ts";

const recorded = resolve(istiodGoldens, "../istio-1.3.6/ads-v2");

interface Node {
  readonly name: string;
  readonly id: string;
  readonly metadata: JsonObject;
}

interface Recording {
  readonly typeUrl: string;
  readonly request: { readonly names: readonly string[] | null };
  readonly resources: readonly { readonly name: string; readonly body: unknown }[];
}

const read = (...path: readonly string[]): unknown => JSON.parse(readFileSync(join(recorded, ...path), "utf8"));
const recordingOf = (node: string, type: string) => read("expect", node, `${type}.json`) as Recording;
const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted(compareTexts);

/** The mesh of the recorded Pilot 1.3.6. */
async function recordedMesh(): Promise<ScenarioMesh> {
  const files = globSync("conf/*", { cwd: recorded }).toSorted();
  const made = new ScenarioMesh();
  for (const file of files) made.applyValid(readFileSync(join(recorded, file), "utf8"));
  await made.start();
  return made;
}

/** The response to a v2 proxy that sends the recorded request. */
function answerTo(given: ScenarioMesh, node: Node, { typeUrl, request }: Recording): DiscoveryResponse {
  const { server, client } = streamPair();
  given.discovery.serve(server, { mode: "sotw" });
  const asked = create(DiscoveryRequestSchema, {
    typeUrl,
    resourceNames: [...(request.names ?? [])],
    node: { id: node.id, metadata: node.metadata },
  });
  client.send(toBinary(DiscoveryRequestSchema, asked));
  expect(client.status).toBeUndefined();
  return fromBinary(DiscoveryResponseSchema, client.received[0] ?? new Uint8Array());
}

/** Every string below a field of this name. */
function* stringsAt(field: string, value: unknown): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === field && typeof child === "string") yield child;
    else yield* stringsAt(field, child);
  }
}

const addresses = (name: string, body: unknown) => [name, sorted(stringsAt("address", body))];

describeWithData(recorded, "proxies that speak xDS v2 are answered as Pilot 1.3.6 did", () => {
  const mesh = recordedMesh();
  const nodes = globSync("nodes.json", { cwd: recorded }).flatMap((file) => read(file) as readonly Node[]);

  test.each(nodes.flatMap((node) => ["CDS", "EDS", "LDS", "RDS"].map((type) => [node.name, type, node] as const)))(
    "%s: the %s response has the requested type, and so have its resources",
    async (name, type, node) => {
      const recording = recordingOf(name, type);
      const answer = answerTo(await mesh, node, recording);
      expect(answer.typeUrl).toBe(recording.typeUrl);
      expect(sorted(answer.resources.map(({ typeUrl }) => typeUrl))).toEqual([recording.typeUrl]);
    },
  );

  test.each(nodes)("$name has the same clusters to call", async (node) => {
    const recording = recordingOf(node.name, "CDS");
    const { resources } = answerTo(await mesh, node, recording);
    const ours = resources.map(({ value }) => fromBinary(ClusterSchema, value).name);
    // Since then, inbound clusters have other names, and routers no longer pass unknown traffic through.
    const gone = node.id.startsWith("router~") ? /^(?:inbound|PassthroughCluster)/iu : /^inbound/iu;
    const isOutbound = (name: string) => !gone.test(name);
    expect(sorted(ours.filter(isOutbound))).toEqual(
      sorted(recording.resources.map(({ name }) => name).filter(isOutbound)),
    );
  });

  test.each(nodes)("$name calls the same endpoints", async (node) => {
    const recording = recordingOf(node.name, "EDS");
    const { resources } = answerTo(await mesh, node, recording);
    const ours = resources
      .map(({ value }) => fromBinary(ClusterLoadAssignmentSchema, value))
      .map((each) => addresses(each.clusterName, { ...each, clusterName: "" }));
    expect(Object.fromEntries(ours)).toEqual(
      Object.fromEntries(recording.resources.map(({ name, body }) => addresses(name, body))),
    );
  });

  test.each(nodes)("$name listens at the same addresses, with connection managers of its own version", async (node) => {
    const recording = recordingOf(node.name, "LDS");
    const { resources } = answerTo(await mesh, node, recording);
    const ours = resources.map(({ value }) => fromBinary(ListenerSchema, value));
    // Since Istio 1.5 virtualInbound listens for inbound traffic.
    const isOwn = (name: string) => name.startsWith(node.id.split("~")[1] ?? "");
    expect(sorted(ours.map(({ name }) => name))).toEqual(
      sorted(recording.resources.map(({ name }) => name).filter((name) => !isOwn(name))),
    );
    const types = sorted(stringsAt("typeUrl", ours));
    expect(types.filter((type) => type.endsWith(".HttpConnectionManager"))).toEqual([
      "type.googleapis.com/envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager",
    ]);
  });

  test.each(nodes)("$name has routes to the same clusters", async (node) => {
    const recording = recordingOf(node.name, "RDS");
    const { resources } = answerTo(await mesh, node, recording);
    const routes = resources.map(({ value }) => fromBinary(RouteConfigurationSchema, value));
    expect(sorted(routes.map(({ name }) => name))).toEqual(sorted(recording.resources.map(({ name }) => name)));
    const ours = routes.flatMap((each) => [...clustersIn(each)]);
    const theirs = recording.resources.flatMap(({ body }) => [...clustersIn(body)]);
    expect(sorted(ours)).toEqual(sorted(theirs));
  });
});

/** Names of clusters, at any depth. */
function* clustersIn(value: unknown): Iterable<string> {
  if (typeof value === "string" && value.startsWith("outbound|")) yield value;
  if (typeof value === "object" && value !== null) for (const child of Object.values(value)) yield* clustersIn(child);
}
