import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../testing/model/fake-cluster-client.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Capabilities } from "../../model/proxy/capabilities.ts";
import { type MeshServerInputs, meshServerSocket } from "./mesh-server-socket.ts";

const stock: Capabilities = { alpn: false, httpPeerMetadata: false, tcpMetadataExchange: false, stats: false };
const exchanging: Capabilities = { ...stock, tcpMetadataExchange: true, stats: true };
const usual: MeshServerInputs = {
  certificates: fileCertificates,
  mesh: defaultMeshSettings,
  capabilities: stock,
  protocol: "http",
};
const writer = new ProtoWriter();

function contextOf(changes: Partial<MeshServerInputs>): JsonValue | undefined {
  const socket = meshServerSocket({ ...usual, ...changes }, writer);
  return socket === undefined ? undefined : decodedMessage(TransportSocketSchema, socket)["typedConfig"];
}

test("a socket with certificates in files needs no SDS secret", () => {
  expect(contextOf({})).toMatchObject({
    requireClientCertificate: true,
    commonTlsContext: {
      tlsCertificates: [
        { certificateChain: { filename: "/certs/chain.pem" }, privateKey: { filename: "/certs/key.pem" } },
      ],
      validationContext: {
        trustedCa: { filename: "/certs/root.pem" },
        matchSubjectAltNames: [{ prefix: "spiffe://cluster.local/" }],
      },
    },
  });
  expect(JSON.stringify(contextOf({}))).not.toContain("sds");
});

test("a socket with an agent gets both secrets from the agent", () => {
  expect(contextOf({ certificates: { type: "agent" } })).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: "default" }],
      combinedValidationContext: { validationContextSdsSecretConfig: { name: "ROOTCA" } },
    },
  });
});

test("a socket uses certificates mounted for the server side instead of the agent's own", () => {
  const server = { certificateChain: "/m/cert.pem", privateKey: "/m/key.pem", rootCertificates: "/m/root.pem" };
  expect(contextOf({ certificates: { type: "agent", server } })).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [
        { name: "file-cert:/m/cert.pem~/m/key.pem", sdsConfig: { initialFetchTimeout: "0s" } },
      ],
      combinedValidationContext: { validationContextSdsSecretConfig: { name: "file-root:/m/root.pem" } },
    },
  });
  const client = { ...server, rootCertificates: "" };
  expect(contextOf({ certificates: { type: "agent", client } })).toMatchObject({
    commonTlsContext: { tlsCertificateSdsSecretConfigs: [{ name: "default" }] },
  });
});

test("the mesh settings may set a newer TLS version and other cipher suites", () => {
  const meshTls = { minVersion: "1.3", cipherSuites: ["AES256-GCM-SHA384", "no-such"], ecdhCurves: ["P-256"] } as const;
  expect(contextOf({ mesh: { ...defaultMeshSettings, meshTls } })).toMatchObject({
    commonTlsContext: {
      tlsParams: {
        tlsMinimumProtocolVersion: "TLSv1_3",
        tlsMaximumProtocolVersion: "TLSv1_3",
        cipherSuites: ["AES256-GCM-SHA384"],
        ecdhCurves: ["P-256"],
      },
    },
  });
});

test("a proxy without certificates has no server socket", () => {
  expect(contextOf({ certificates: { type: "none" } })).toBeUndefined();
});

test("a server accepts workloads of every trust domain alias, and of every domain of caCertificates", () => {
  const mesh = {
    ...defaultMeshSettings,
    trustDomain: "new.example",
    trustDomainAliases: ["old.example"],
    foreignTrustDomains: ["old.example", "far.example"],
  };
  expect(contextOf({ mesh })).toMatchObject({
    commonTlsContext: {
      validationContext: {
        matchSubjectAltNames: [
          { prefix: "spiffe://new.example/" },
          { prefix: "spiffe://old.example/" },
          { prefix: "spiffe://far.example/" },
        ],
      },
    },
  });
});

test.each([
  ["http", stock, ["h2", "http/1.1"]],
  ["tcp", stock, ["h2", "http/1.1"]],
  ["http", exchanging, ["h2", "http/1.1"]],
  ["tcp", exchanging, ["istio-peer-exchange", "h2", "http/1.1"]],
] as const)(
  "metadata exchange in %s happens only with proxies that support it (%j)",
  (protocol, capabilities, alpnProtocols) => {
    expect(contextOf({ protocol, capabilities })).toMatchObject({ commonTlsContext: { alpnProtocols } });
  },
);
