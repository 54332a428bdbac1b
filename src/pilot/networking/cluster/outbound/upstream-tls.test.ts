import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../../testing/envoy/decoded-resource.ts";
import { fakeClient } from "../../../../testing/model/fake-cluster-client.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { fakePolicy, fakeTls } from "../../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import type { ClientTls } from "../../../model/traffic/destination-rule.ts";
import { type UpstreamTls, type UpstreamTlsInputs, upstreamTlsOf } from "./upstream-tls.ts";

const usual: UpstreamTlsInputs = {
  service: fakeService(),
  port: { number: 80, name: "http", protocol: "HTTP", targetPort: 80 },
  subset: "v1",
  peers: { hostname: "cart.shop", namespace: "shop", serviceAccounts: ["cart"], mutualPorts: ["http"] },
  policy: fakePolicy(),
  discovery: "eds",
  http2: false,
  client: fakeClient(),
  mesh: defaultMeshSettings,
  mtls: "permissive",
  selected: false,
};

function tlsOf(changes: Partial<UpstreamTlsInputs> = {}): UpstreamTls {
  return upstreamTlsOf({ ...usual, ...changes }, new ProtoWriter());
}

function ruled(tls: Partial<ClientTls>, changes: Partial<UpstreamTlsInputs> = {}): UpstreamTls {
  return tlsOf({ policy: fakePolicy({ tls: fakeTls(tls) }), ...changes });
}

function contextOf(tls: UpstreamTls) {
  if (tls.type !== "always" && tls.type !== "where-marked") throw new Error(`no socket: ${tls.type}`);
  return decodedMessage(TransportSocketSchema, tls.socket)["typedConfig"];
}

test("without a rule, endpoints that support mTLS use it", () => {
  const tls = tlsOf();
  expect(tls.type).toBe("where-marked");
  expect(contextOf(tls)).toMatchObject({
    sni: "outbound_.80_.v1_.cart.shop",
    commonTlsContext: {
      validationContext: { matchSubjectAltNames: [{ exact: "spiffe://cluster.local/ns/shop/sa/cart" }] },
    },
  });
});

test("a connection to a host that is too long for an SNI has no SNI", () => {
  const longest = "a".repeat(255 - "outbound_.80_.v1_.".length);
  expect(contextOf(tlsOf({ service: fakeService({ hostname: longest }) }))).toHaveProperty("sni");
  expect(contextOf(tlsOf({ service: fakeService({ hostname: `${longest}a` }) }))).not.toHaveProperty("sni");
});

test.each<[string, Partial<UpstreamTlsInputs>]>([
  ["of a mesh that does not want it", { mesh: { ...defaultMeshSettings, autoMtls: false } }],
  ["to a service outside of it", { service: fakeService({ meshExternal: true }) }],
  ["from a proxy without certificates", { client: fakeClient({ certificates: { type: "none" } }) }],
])("connections %s are plain", (_, changes) => {
  expect(tlsOf(changes).type).toBe("plain");
});

test("all endpoints of a passthrough service use mTLS, or none does", () => {
  const service = fakeService({ resolution: "passthrough" });
  const mixed = { hostname: "cart.shop", namespace: "shop", serviceAccounts: ["cart"], mutualPorts: [] };
  expect(tlsOf({ service, discovery: "original-dst" }).type).toBe("always");
  expect(tlsOf({ service, discovery: "original-dst", peers: mixed }).type).toBe("plain");
  expect(tlsOf({ service, discovery: "original-dst", peers: undefined }).type).toBe("plain");
  // Routers look such endpoints up, so they can tell one from the other; the service still counts as a whole.
  expect(tlsOf({ service }).type).toBe("where-marked");
  expect(tlsOf({ service, peers: mixed }).type).toBe("plain");
});

test("a rule may disable mTLS, or require it for all endpoints with its own SANs", () => {
  expect(ruled({ mode: "disable" }).type).toBe("plain");
  expect(ruled({ mode: "istio-mutual" }).type).toBe("always");
  const named = ruled({ mode: "istio-mutual", sni: "my.sni", subjectAltNames: ["me"] });
  expect(contextOf(named)).toMatchObject({
    sni: "my.sni",
    commonTlsContext: { validationContext: { matchSubjectAltNames: [{ exact: "me" }] } },
  });
});

test("a rule with mutual TLS applies without auto mTLS, and needs certificates", () => {
  expect(ruled({ mode: "istio-mutual" }, { mesh: { ...defaultMeshSettings, autoMtls: false } }).type).toBe("always");
  const client = fakeClient({ certificates: { type: "none" } });
  expect(ruled({ mode: "istio-mutual" }, { client }).type).toBe("impossible");
  expect(ruled({ mode: "simple" }, { client }).type).toBe("always");
});

test("impossible TLS does not fall back to plain text", () => {
  expect(ruled({ mode: "mutual" }).type).toBe("impossible");
  expect(ruled({ mode: "simple", credentialName: "secret" }).type).toBe("impossible");
});

test.each<[Partial<ClientTls>, object | undefined]>([
  [{}, { autoSni: true, autoSanValidation: true }],
  [{ subjectAltNames: ["x"] }, { autoSni: true, autoSanValidation: false }],
  [{ insecureSkipVerify: true }, { autoSni: true, autoSanValidation: false }],
  [{ sni: "x" }, undefined],
])("simple TLS with %j takes from the request: %j", (tls, names) => {
  expect(ruled(tls)).toMatchObject({ type: "always", names });
});

function textOf(tls: UpstreamTls): string {
  return JSON.stringify(contextOf(tls));
}

test("simple TLS verifies the SANs of the entry, unless the rule has its own", () => {
  const service = fakeService({ subjectAltNames: ["cart.example.com"] });
  const peers = undefined;
  expect(textOf(ruled({}, { service, peers }))).toContain("cart.example.com");
  expect(textOf(ruled({ subjectAltNames: ["x"] }, { service, peers }))).not.toContain("cart.example.com");
  const kubernetes = { ...service, registry: "Kubernetes" } as const;
  expect(textOf(ruled({}, { service: kubernetes, peers }))).not.toContain("cart.example.com");
});
