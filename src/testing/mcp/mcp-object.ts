import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { Config } from "../../config/config.ts";
import type { MeshService } from "../../config/mesh/mesh-service.ts";
import { assert } from "../../lib/assert.ts";
import { type McpCollection, mcpCollection } from "../../mcp/collections.ts";

/** The row of a collection that travels over MCP. */
export function travelling(name: string): McpCollection {
  const collection = mcpCollection(name);
  assert(collection !== undefined, `${name} travels`);
  return collection;
}

const service: MeshService = {
  hostname: "a.shop.svc.cluster.local",
  access: { type: "headless" },
  ports: [],
  externalAddresses: [],
  exportTo: [],
  selector: {},
  nodeLocal: false,
  trafficDistribution: "",
  publishNotReadyAddresses: false,
  endpoints: [],
};

/** The shortest valid spec of each kind. Kinds without an entry have an empty spec. */
const shortest: Readonly<Record<string, JsonObject>> = {
  Gateway: { servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }] },
  ServiceEntry: {
    hosts: ["pay.example.com"],
    ports: [{ number: 443, name: "tls", protocol: "TLS" }],
    resolution: "DNS",
  },
  DestinationRule: { host: "pay.example.com" },
  VirtualService: {
    hosts: ["pay.example.com"],
    http: [{ route: [{ destination: { host: "pay.example.com" } }] }],
  },
};

/** An object of any collection under a key. `content` is its content, so its version follows from `content`. */
export function mcpObject(collection: McpCollection, key: string, content: string): Config {
  const { kind, body } = collection;
  const [first = "", second] = key.split("/");
  const spec = body.typeUrl.includes("binnacle") ? service : fromJson(kind.schema, shortest[kind.kind] ?? {});
  const [version = ""] = kind.versions;
  const object = {
    kind: kind.kind,
    apiVersion: kind.group === "" ? version : `${kind.group}/${version}`,
    namespace: second === undefined ? "" : first,
    name: second ?? first,
    labels: {},
    annotations: { content },
    createdAt: 0,
    origin: { source: "test", reference: `${key}.yaml:1`, locate: () => undefined },
    spec,
  };
  return { ...object, version: body.versionOf(object) };
}
