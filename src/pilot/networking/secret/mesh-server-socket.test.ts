import { createRegistry, fromBinary, type JsonObject, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { DownstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Capabilities } from "../../model/capabilities.ts";
import type { Certificates } from "../../model/certificates.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import { type MeshServerInputs, meshServerSocket } from "./mesh-server-socket.ts";

const stock: Capabilities = { alpn: false, httpPeerMetadata: false, tcpMetadataExchange: false };
const exchanging: Capabilities = { ...stock, tcpMetadataExchange: true };
const files: Certificates = {
  type: "files",
  certificateChain: "/etc/certs/chain.pem",
  privateKey: "/etc/certs/key.pem",
  rootCertificates: "/etc/certs/root.pem",
};
const writer = new ProtoWriter();
const registry = createRegistry(DownstreamTlsContextSchema);

function contextOf(changes: Partial<MeshServerInputs>): JsonObject | undefined {
  const inputs = { certificates: files, mesh: defaultMeshSettings, capabilities: stock, protocol: "http", ...changes };
  const socket = meshServerSocket(inputs as MeshServerInputs, writer);
  if (socket === undefined) return undefined;
  const json = toJson(TransportSocketSchema, fromBinary(TransportSocketSchema, socket), { registry }) as JsonObject;
  return json["typedConfig"] as JsonObject;
}

test("certificates in files are named, and no secret is asked for", () => {
  expect(contextOf({ certificates: files })).toMatchObject({
    requireClientCertificate: true,
    commonTlsContext: {
      tlsCertificates: [
        { certificateChain: { filename: "/etc/certs/chain.pem" }, privateKey: { filename: "/etc/certs/key.pem" } },
      ],
      validationContext: {
        trustedCa: { filename: "/etc/certs/root.pem" },
        matchSubjectAltNames: [{ prefix: "spiffe://cluster.local/" }],
      },
    },
  });
  expect(JSON.stringify(contextOf({ certificates: files }))).not.toContain("sds");
});

test("with an agent both secrets come from it", () => {
  expect(contextOf({ certificates: { type: "agent" } })).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: "default" }],
      combinedValidationContext: { validationContextSdsSecretConfig: { name: "ROOTCA" } },
    },
  });
});

test("without certificates there is no socket", () => {
  expect(contextOf({ certificates: { type: "none" } })).toBeUndefined();
});

test("workloads of every alias of the trust domain are let in", () => {
  const mesh = { ...defaultMeshSettings, trustDomain: "new.example", trustDomainAliases: ["old.example"] };
  expect(contextOf({ mesh })).toMatchObject({
    commonTlsContext: {
      validationContext: {
        matchSubjectAltNames: [{ prefix: "spiffe://new.example/" }, { prefix: "spiffe://old.example/" }],
      },
    },
  });
});

test.each([
  ["http", stock, ["h2", "http/1.1"]],
  ["tcp", stock, ["h2", "http/1.1"]],
  ["http", exchanging, ["h2", "http/1.1"]],
  ["tcp", exchanging, ["istio-peer-exchange", "h2", "http/1.1"]],
] as const)("metadata are exchanged in %s only with proxies that can (%j)", (protocol, capabilities, alpnProtocols) => {
  expect(contextOf({ protocol, capabilities })).toMatchObject({ commonTlsContext: { alpnProtocols } });
});
