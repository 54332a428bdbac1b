import type { JsonTree } from "../../../src/testing/random/mutate-tree.ts";
import { fixtures } from "../judged/fixtures.ts";

/** An object of Istio that is right. */
export interface Original {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { [key: string]: JsonTree };
}

function object(group: string, kind: string, spec: object): Original {
  const metadata = { name: "a", namespace: "shop" };
  return { apiVersion: group, kind, metadata, spec: spec as Original["spec"] };
}

const module = {
  url: "oci://example.com/filters/a:1.2",
  sha256: "ab".repeat(32),
  imagePullPolicy: "Always",
  imagePullSecret: "secret",
  pluginConfig: { a: 1 },
  pluginName: "a",
  failStrategy: "FAIL_OPEN",
  vmConfig: {
    env: [
      { name: "A", value: "b" },
      { name: "HOME", valueFrom: "HOST" },
    ],
  },
};
const match = [{ mode: "SERVER", ports: [{ number: 80 }, { number: 8443 }] }];
const targetRefs = [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }];
const template = {
  labels: { app: "vm" },
  ports: { http: 8080 },
  serviceAccount: "vm",
  locality: "eu/a/1",
  weight: 3,
  network: "n1",
};
const probe = { initialDelaySeconds: 1, timeoutSeconds: 2, periodSeconds: 3, successThreshold: 1, failureThreshold: 2 };

/** Kinds and fields that proxies of the fixtures do not use. */
const others: readonly Original[] = [
  object("extensions.istio.io/v1alpha1", "WasmPlugin", {
    ...module,
    selector: { matchLabels: { app: "a" } },
    phase: "AUTHN",
    priority: 10,
    type: "HTTP",
    match,
  }),
  object("extensions.istio.io/v1alpha1", "WasmPlugin", { url: "https://example.com/a.wasm", targetRefs }),
  object("extensions.istio.io/v1alpha1", "TrafficExtension", { wasm: module, match, phase: "AUTHZ", targetRefs }),
  object("extensions.istio.io/v1alpha1", "TrafficExtension", {
    lua: { inlineCode: "function envoy_on_request(handle) end" },
    selector: { matchLabels: { app: "a" } },
  }),
  object("networking.istio.io/v1", "WorkloadGroup", {
    metadata: { labels: { app: "vm" }, annotations: { a: "b" } },
    template,
    probe: {
      ...probe,
      httpGet: { path: "/ready", port: 8080, scheme: "HTTP", httpHeaders: [{ name: "x-a", value: "b" }] },
    },
  }),
  object("networking.istio.io/v1", "WorkloadGroup", { template, probe: { tcpSocket: { host: "a", port: 8080 } } }),
  object("networking.istio.io/v1", "WorkloadGroup", { template, probe: { exec: { command: ["cat", "/ready"] } } }),
  object("networking.istio.io/v1", "VirtualService", {
    hosts: ["reviews"],
    exportTo: [".", "bank"],
    http: [{ match: [{ uri: { prefix: "/a" } }], delegate: { name: "b", namespace: "shop" } }],
  }),
  object("networking.istio.io/v1", "VirtualService", {
    http: [{ match: [{ uri: { prefix: "/a" } }], route: [{ destination: { host: "reviews", port: { number: 80 } } }] }],
  }),
  object("networking.istio.io/v1", "DestinationRule", {
    host: "*.example.com",
    exportTo: ["."],
    workloadSelector: { matchLabels: { app: "a" } },
    trafficPolicy: {
      tls: {
        mode: "MUTUAL",
        clientCertificate: "/a/cert.pem",
        privateKey: "/a/key.pem",
        caCertificates: "/a/ca.pem",
        caCrl: "/a/crl.pem",
      },
    },
  }),
  object("networking.istio.io/v1", "Sidecar", {
    outboundTrafficPolicy: { mode: "ALLOW_ANY", egressProxy: { host: "egress.example.com", port: { number: 443 } } },
    ingress: [
      {
        port: { number: 9443, protocol: "HTTPS", name: "https" },
        defaultEndpoint: "127.0.0.1:8443",
        tls: { mode: "SIMPLE", serverCertificate: "/a/cert.pem", privateKey: "/a/key.pem" },
      },
    ],
    egress: [{ bind: "unix:///tmp/a.sock", port: { protocol: "HTTP", name: "out" }, hosts: ["./*", "~/*"] }],
  }),
  object("telemetry.istio.io/v1", "Telemetry", {
    targetRefs,
    metrics: [
      {
        providers: [{ name: "prometheus" }],
        reportingInterval: "5s",
        overrides: [
          {
            match: { metric: "REQUEST_COUNT", mode: "CLIENT" },
            disabled: false,
            tagOverrides: {
              a: { operation: "UPSERT", value: "request.host" },
              b: { operation: "REMOVE" },
            },
          },
          { match: { customMetric: "mine" }, disabled: true },
        ],
      },
    ],
  }),
  object("security.istio.io/v1", "AuthorizationPolicy", { targetRefs, action: "DENY", rules: [{}] }),
  object("security.istio.io/v1", "RequestAuthentication", {
    targetRefs,
    jwtRules: [{ issuer: "a", jwksUri: "https://example.com/keys" }],
  }),
];

/** One key of each type. */
export const keySet: JsonTree = {
  keys: [
    { kty: "oct", kid: "a", alg: "HS256", k: "AQEBAQ" },
    { kty: "RSA", kid: "b", alg: "RS256", use: "sig", e: "AQAB", n: "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ" },
    {
      kty: "EC",
      kid: "c",
      crv: "P-256",
      x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    },
    { kty: "OKP", kid: "d", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" },
  ],
};

/** At least one object of each kind that `istioctl validate` reads. */
export const originals: readonly Original[] = [...(fixtures as unknown as readonly Original[]), ...others];
