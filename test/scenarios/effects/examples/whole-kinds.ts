import { effectsOf } from "../../../../src/config/effect/effects.ts";
import { apiVersionOf, type Kind } from "../../../../src/config/kind.ts";
import { kinds } from "../../../../src/config/kinds.ts";
import type { Example } from "../proof.ts";
import { caller, object, proxyless, router, service, settings, workload } from "./context.ts";

const attributes = {
  attributes: {
    a: { stringValue: "a" },
    b: { int64Value: "1" },
    c: { doubleValue: 1.5 },
    d: { boolValue: true },
    e: { bytesValue: "YQ==" },
    f: { timestampValue: "2020-01-01T00:00:00Z" },
    g: { durationValue: "1s" },
    h: { stringMapValue: { entries: { a: "b" } } },
  },
};
const services = [
  { name: "reviews", namespace: "shop", domain: "cluster.local", labels: { app: "reviews" } },
  { service: "reviews.shop.svc.cluster.local" },
];
const headerOperations = [{ name: "x-a", values: ['"a"'], operation: "APPEND" }];
const oauth = {
  clientId: "a",
  clientSecret: "/secret",
  tokenUrl: "https://a.example.com",
  scopes: ["a"],
  endpointParams: { a: "b" },
};
const mutualTls = { privateKey: "/a.key", clientCertificate: "/a.pem", caCertificates: "/ca.pem", serverName: "a" };
const tls = { caCertificates: "/ca.pem", serverName: "a" };
const handlers = [
  { tls: { ...tls, tokenPath: "/token", authHeader: "BEARER" } },
  { tls: { ...tls, oauth, customHeader: "x-a" } },
  { mutual: mutualTls },
].map((authentication) => ({
  name: "a",
  adapter: "a",
  params: { a: "b" },
  connection: { address: "a.example.com:80", timeout: "1s", authentication },
}));

/** Specs in which each field of a kind may stand; without an entry, the empty one. */
const specs: Readonly<Record<string, readonly object[]>> = {
  HTTPAPISpec: [
    {
      attributes,
      patterns: [
        { attributes, httpMethod: "GET", uriTemplate: "/a" },
        { httpMethod: "GET", regex: "/a" },
      ],
      apiKeys: [{ query: "a" }, { header: "x-a" }, { cookie: "a" }],
    },
  ],
  HTTPAPISpecBinding: [{ services, apiSpecs: [{ name: "a", namespace: "shop" }] }],
  QuotaSpec: [
    {
      rules: [
        {
          match: [{ clause: { a: { exact: "a" }, b: { prefix: "a" }, c: { regex: "a" } } }],
          quotas: [{ quota: "a", charge: 1 }],
        },
      ],
    },
  ],
  QuotaSpecBinding: [{ services, quotaSpecs: [{ name: "a", namespace: "shop" }] }],
  rule: [
    {
      match: 'a == "b"',
      actions: [{ handler: "a", instances: ["b"], name: "c" }],
      requestHeaderOperations: headerOperations,
      responseHeaderOperations: headerOperations,
      sampling: {
        random: {
          attributeExpression: "a",
          percentSampled: { numerator: 1, denominator: "TEN_THOUSAND" },
          useIndependentRandomness: true,
        },
        rateLimit: { samplingDuration: "1s", maxUnsampledEntries: "1", samplingRate: "2" },
      },
    },
  ],
  handler: [...handlers, { compiledAdapter: "a", params: { a: "b" } }],
  instance: [
    { name: "a", template: "b", params: { a: "b" }, attributeBindings: { a: "b" } },
    { compiledTemplate: "b", params: {} },
  ],
  attributemanifest: [{ name: "a", revision: "1", attributes: { a: { description: "b", valueType: "STRING" } } }],
};

function subjectOf(kind: Kind, spec: object): Example["subject"] {
  const name = "example";
  const metadata = kind.scope === "cluster" ? { name } : { name, namespace: "shop" };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
}

/** A mesh with something of everything that these kinds are about. */
const around = [
  service("reviews"),
  object("Gateway", "edge", {
    selector: { app: "gw" },
    servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
  }),
  object("PeerAuthentication", "strict", { mtls: { mode: "STRICT" } }),
  settings("MeshConfig", { accessLogFile: "/dev/stdout" }),
];

export const wholeKinds: readonly Example[] = kinds
  .filter((kind) => effectsOf(kind)?.whole !== undefined)
  .flatMap((kind) =>
    (specs[kind.kind] ?? [{}]).map((spec) => ({
      subject: subjectOf(kind, spec),
      around,
      clients: [workload("reviews"), caller, router, proxyless],
    })),
  );
