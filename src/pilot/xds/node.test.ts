import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { BadNode, proxyOf, readNode } from "./node.ts";

type NodeInit = Exclude<MessageInitShape<typeof NodeSchema>, { $typeName: string }>;
const read = (node: NodeInit) => readNode(toBinary(NodeSchema, create(NodeSchema, node as NodeInit & object)));
const good = "router~10.0.0.1~gw-0.edge~edge.svc.cluster.local";

test("a node becomes a proxy", () => {
  const metadata = {
    NAMESPACE: "istio-system",
    LABELS: { version: "v1", app: "gw" },
    CLUSTER_ID: "east",
    INSTANCE_IPS: "10.0.0.1,fd00::1",
    MESH_ID: 7,
    NETWORK: "net-1",
    SERVICE_ACCOUNT: "edge-gw",
    WORKLOAD_NAME: "edge-gw-v1",
    GENERATOR: "grpc",
  };
  const extensions = [{ name: "x", typeUrls: ["envoy.x"] }];
  expect(read({ id: good, metadata, locality: { region: "r", zone: "z" }, extensions })).toMatchObject({
    nodeId: good,
    type: "router",
    id: "gw-0.edge",
    dnsDomain: "edge.svc.cluster.local",
    ipAddresses: ["10.0.0.1", "fd00::1"],
    namespace: "istio-system",
    labels: { app: "gw", version: "v1" },
    clusterId: "east",
    meshId: "7",
    network: "net-1",
    serviceAccount: "edge-gw",
    workloadName: "edge-gw-v1",
    generator: "grpc",
    locality: { region: "r", zone: "z", subzone: "" },
    extensions: new Set(["envoy.x"]),
  });
});

test("a node without a locality is of no region, zone or subzone", () => {
  expect(read({ id: good }).locality).toEqual({ region: "", zone: "", subzone: "" });
});

test("a boolean is read as a string", () => {
  expect(read({ id: good, metadata: { NETWORK: true } }).network).toBe("true");
});

test("labels are sorted by their keys", () => {
  expect(Object.keys(read({ id: good, metadata: { LABELS: { version: "v1", app: "gw" } } }).labels)).toEqual([
    "app",
    "version",
  ]);
});

test("a proxy keeps labels, strings, numbers and booleans of its metadata, and no other objects", () => {
  const kept = { LABELS: { app: "gw" }, HTTP10: "1", MESH_ID: 7, UNPRIVILEGED_POD: true };
  expect(read({ id: good, metadata: { ...kept, PROXY_CONFIG: { concurrency: 2 } } }).metadata).toEqual(kept);
});

test.each([
  ["one address", "10.0.0.7", ["10.0.0.7"]],
  ["addresses with empty places between them", "10.0.0.7,,fd00::7", ["10.0.0.7", "fd00::7"]],
  ["an address and something else, so that the address in its id counts", "10.0.0.7,web", ["10.0.0.1"]],
])("INSTANCE_IPS may have %s", (_, list, addresses) => {
  expect(read({ id: good, metadata: { INSTANCE_IPS: list } }).ipAddresses).toEqual(addresses);
});

test("the namespace falls back to the domain, and addresses to the node id", () => {
  expect(read({ id: good, metadata: { INSTANCE_IPS: "not-an-address" } })).toMatchObject({
    namespace: "edge",
    ipAddresses: ["10.0.0.1"],
  });
  expect(read({ id: "sidecar~10.0.0.1~vm~localhost" }).namespace).toBe("");
  expect(read({ id: "sidecar~10.0.0.1~vm~edge.local" }).namespace).toBe("edge");
});

test("labels that an agent of Istio 1.3 wrote as JSON are read like others", () => {
  expect(read({ id: good, metadata: { LABELS: '{"version":"v1","app":"gw"}' } }).labels).toEqual({
    app: "gw",
    version: "v1",
  });
});

test("interception and certificates follow from the metadata", () => {
  expect(read({ id: good })).toMatchObject({ interception: "redirect", certificates: { type: "agent" } });
  expect(read({ id: good, metadata: { INTERCEPTION_MODE: "TPROXY" } }).interception).toBe("tproxy");
  const stock = [{ name: "router", typeUrls: ["envoy.extensions.filters.http.router.v3.Router"] }];
  expect(read({ id: good, extensions: stock }).certificates).toEqual({ type: "none" });
  expect(read({ id: good, extensions: stock, metadata: { SDS_MODE: "agent" } }).certificates).toEqual({
    type: "agent",
  });
  const files = { SDS_MODE: "files", TLS_CERT_CHAIN: "/c.pem", TLS_KEY: "/k.pem", TLS_ROOT_CERT: "/r.pem" };
  expect(read({ id: good, metadata: { INTERCEPTION_MODE: "NONE", ...files } })).toMatchObject({
    interception: "none",
    certificates: { type: "files", certificateChain: "/c.pem", privateKey: "/k.pem", rootCertificates: "/r.pem" },
  });
});

test.each(["ENVOY_STATUS_PORT", "ENVOY_PROMETHEUS_PORT"])("a stock Envoy with %s has Istio's agent", (key) => {
  const extensions = [{ name: "router", typeUrls: ["envoy.extensions.filters.http.router.v3.Router"] }];
  expect(read({ id: good, extensions, metadata: { [key]: 15_021 } }).certificates).toEqual({ type: "agent" });
  expect(read({ id: good, extensions, metadata: { [key]: 15_021, SDS_MODE: "none" } }).certificates.type).toBe("none");
});

test("certificates mounted for one side of its connections apply only to that side", () => {
  const metadata = { TLS_SERVER_CERT_CHAIN: "/c.pem", TLS_SERVER_KEY: "/k.pem", TLS_CLIENT_ROOT_CERT: "/r.pem" };
  expect(read({ id: good, metadata }).certificates).toEqual({
    type: "agent",
    server: { certificateChain: "/c.pem", privateKey: "/k.pem", rootCertificates: "" },
    client: { certificateChain: "", privateKey: "", rootCertificates: "/r.pem" },
  });
});

test("settings from its agent replace those of the mesh", () => {
  expect(read({ id: good }).settings).toBeUndefined();
  const metadata = { PROXY_CONFIG: { gatewayTopology: { numTrustedProxies: 1 }, unheardOf: true } };
  expect(read({ id: good, metadata }).settings?.topology.trustedProxies).toBe(1);
});

test.each([
  ["an empty id", { id: "" }, "missing node id"],
  ["three parts", { id: "router~10.0.0.1~gw" }, "four parts, found 3"],
  ["five parts", { id: `${good}~more` }, "four parts, found 5"],
  ["no separator", { id: "gw-0" }, "four parts, found 1"],
  ["an unknown type", { id: "balloon~10.0.0.1~gw~local" }, '"balloon" is not one of sidecar, router'],
  ["a type in capitals", { id: "ROUTER~10.0.0.1~gw~local" }, '"ROUTER" is not one of'],
  ["no address", { id: "router~~gw~local" }, '"" is not an IP address'],
  ["a name for an address", { id: "router~localhost~gw~local" }, '"localhost" is not an IP address'],
  ["no name", { id: "router~10.0.0.1~~local" }, "third part, is empty"],
  [
    "labels that are no map",
    { id: good, metadata: { LABELS: "app=gw" } },
    'LABELS: expected a map of texts, found "app=gw"',
  ],
  [
    "labels in a text that are no map",
    { id: good, metadata: { LABELS: "null" } },
    'expected a map of texts, found "null"',
  ],
  ["labels that are a list", { id: good, metadata: { LABELS: [7] } }, "LABELS: expected a map of texts, found [7]"],
  ["labels in a text that are a list", { id: good, metadata: { LABELS: "[1]" } }, "LABELS: expected a map"],
  ["a label that is no text", { id: good, metadata: { LABELS: { app: ["gw"] } } }, "app: expected a text"],
  ["an unknown interception", { id: good, metadata: { INTERCEPTION_MODE: "none" } }, "REDIRECT, TPROXY, NONE"],
  ["an unknown source of secrets", { id: good, metadata: { SDS_MODE: "disk" } }, "not one of agent, files, none"],
  [
    "secrets in files it does not name",
    { id: good, metadata: { SDS_MODE: "files" } },
    "TLS_CERT_CHAIN must name a file",
  ],
  ["settings that are none", { id: good, metadata: { PROXY_CONFIG: { tracing: 7 } } }, "PROXY_CONFIG is not a valid"],
  ["settings that are no object", { id: good, metadata: { PROXY_CONFIG: 7 } }, "PROXY_CONFIG is not a valid"],
  ["a namespace that is no text", { id: good, metadata: { NAMESPACE: { a: "b" } } }, "NAMESPACE: expected a text"],
])("a node with %s is refused with a message", (_, node, sentence) => {
  expect(() => read(node)).toThrow(BadNode);
  expect(() => read(node)).toThrow(sentence);
});

/** A refusal in exactly these words. */
function refusal(message: string): unknown {
  return expect.objectContaining({ name: "BadNode", message });
}

test("a missing node and one that cannot be decoded are refused too", () => {
  const invalid = "the node is not a valid envoy.config.core.v3.Node";
  expect(() => readNode(undefined)).toThrow("missing node information");
  expect(() => readNode(Uint8Array.of(0x0a, 200, 1))).toThrow(refusal(`${invalid}: truncated message`));
  expect(() => readNode(Uint8Array.of(0x0a, 2, 0xff, 0xff))).toThrow(refusal(invalid));
});

test("a build without a version says no version", () => {
  const build = { userAgentVersionType: { case: "userAgentBuildVersion" as const, value: {} } };
  expect(proxyOf(create(NodeSchema, { id: good, ...build })).build).toBe("");
  expect(read({ id: good, ...build }).build).toBe("");
});

test("a client says its version as numbers, as Envoy does, or as text, as gRPC does", () => {
  const version = { majorNumber: 1, minorNumber: 40, patch: 2 };
  const envoy = { case: "userAgentBuildVersion", value: { version } } as const;
  const grpc = { case: "userAgentVersion", value: "1.14.7" } as const;
  expect(read({ id: good, userAgentVersionType: envoy }).build).toBe("1.40.2");
  expect(read({ id: good, userAgentVersionType: grpc }).build).toBe("1.14.7");
});
