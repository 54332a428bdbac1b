import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../testing/model/fake-cluster-client.ts";
import { fakeTls } from "../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { ClientTls } from "../../model/traffic/destination-rule.ts";
import { type OriginationInputs, originationSocket } from "./origination-socket.ts";

const writer = new ProtoWriter();
const mutual: Partial<ClientTls> = { mode: "mutual", clientCertificate: "/my/cert", privateKey: "/my/key" };

function contextOf(tls: Partial<ClientTls>, changes: Partial<OriginationInputs> = {}): JsonValue | undefined {
  const proxy = { certificates: fileCertificates, http2: false, credentials: false };
  const inputs = { ...proxy, tls: fakeTls(tls), names: [], defaults: defaultMeshSettings.tlsDefaults };
  const socket = originationSocket({ ...inputs, ...changes }, writer);
  return socket === undefined ? undefined : decodedMessage(TransportSocketSchema, socket)["typedConfig"];
}

test("without an agent Envoy reads the rule's files itself", () => {
  const tls = { ...mutual, caCertificates: "/my/ca", caCrl: "/my/crl", sni: "example.com" };
  expect(contextOf(tls, { names: ["example.com"] })).toMatchObject({
    sni: "example.com",
    commonTlsContext: {
      tlsCertificates: [{ certificateChain: { filename: "/my/cert" }, privateKey: { filename: "/my/key" } }],
      validationContext: {
        trustedCa: { filename: "/my/ca" },
        crl: { filename: "/my/crl" },
        matchSubjectAltNames: [{ exact: "example.com" }],
      },
    },
  });
});

test("an agent reads the rule's files, and Envoy waits for it only for a limited time", () => {
  const context = contextOf({ ...mutual, caCertificates: "/my/ca" }, { certificates: { type: "agent" } });
  expect(context).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: "file-cert:/my/cert~/my/key" }],
      combinedValidationContext: { validationContextSdsSecretConfig: { name: "file-root:/my/ca" } },
    },
  });
  expect(JSON.stringify(context)).not.toContain("initialFetchTimeout");
});

test("a rule without CA certificates uses the system's", () => {
  expect(JSON.stringify(contextOf({}, { certificates: { type: "agent" } }))).toContain("file-root:system");
  expect(JSON.stringify(contextOf({}, { certificates: { type: "none" } }))).toContain("ca-certificates.crt");
});

test("a rule may skip verification", () => {
  const context = contextOf({ insecureSkipVerify: true }, { certificates: { type: "agent" }, names: ["x"] });
  expect(context).toMatchObject({ commonTlsContext: { validationContext: {} } });
  expect(JSON.stringify(context)).not.toContain("matchSubjectAltNames");
});

test("ALPN offers h2 for HTTP/2 ports, and nothing for others", () => {
  expect(contextOf({}, { http2: true })).toMatchObject({ commonTlsContext: { alpnProtocols: ["h2"] } });
  expect(JSON.stringify(contextOf({}))).not.toContain("alpn");
});

test.each<[string, Partial<ClientTls>]>([
  ["mutual TLS without a certificate", { ...mutual, clientCertificate: "" }],
  ["mutual TLS without a key", { ...mutual, privateKey: "" }],
  ["a secret by name", { credentialName: "my-secret" }],
])("%s gives no socket", (_, tls) => {
  expect(contextOf(tls)).toBeUndefined();
});

test("a credential is an SDS secret over ADS, only for proxies that may read it", () => {
  const tls = { mode: "mutual", credentialName: "pay-cert" } as const;
  expect(contextOf(tls)).toBeUndefined();
  expect(contextOf(tls, { credentials: true, names: ["pay"] })).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: "kubernetes://pay-cert", sdsConfig: { ads: {} } }],
      combinedValidationContext: {
        defaultValidationContext: { matchSubjectAltNames: [{ exact: "pay" }] },
        validationContextSdsSecretConfig: { name: "kubernetes://pay-cert-cacert" },
      },
    },
  });
});

test("every proxy may read CA certificates from a ConfigMap", () => {
  const context = contextOf({ mode: "simple", credentialName: "configmap://shop/roots" });
  expect(JSON.stringify(context)).toContain("configmap://shop/roots-cacert");
  expect(JSON.stringify(context)).not.toContain("tlsCertificateSdsSecretConfigs");
});

test("cipher suites and curves are those of the mesh that Envoy supports", () => {
  const cipherSuites = ["ECDHE-RSA-AES256-GCM-SHA384", "no-such-suite"];
  const defaults = { minVersion: undefined, cipherSuites, ecdhCurves: ["P-256"] };
  expect(contextOf({}, { defaults })).toMatchObject({
    commonTlsContext: { tlsParams: { cipherSuites: ["ECDHE-RSA-AES256-GCM-SHA384"], ecdhCurves: ["P-256"] } },
  });
});
