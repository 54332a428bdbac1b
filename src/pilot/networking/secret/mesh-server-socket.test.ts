import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer.ts";
import { fileCertificates } from "../../../testing/cluster-client.ts";
import { messageJson } from "../../../testing/resource-json.ts";
import type { Capabilities } from "../../model/capabilities.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import { type MeshServerInputs, meshServerSocket } from "./mesh-server-socket.ts";

const stock: Capabilities = { alpn: false, httpPeerMetadata: false, tcpMetadataExchange: false };
const exchanging: Capabilities = { ...stock, tcpMetadataExchange: true };
const usual: MeshServerInputs = {
  certificates: fileCertificates,
  mesh: defaultMeshSettings,
  capabilities: stock,
  protocol: "http",
};
const writer = new ProtoWriter();

function contextOf(changes: Partial<MeshServerInputs>): JsonValue | undefined {
  const socket = meshServerSocket({ ...usual, ...changes }, writer);
  return socket === undefined ? undefined : messageJson(TransportSocketSchema, socket)["typedConfig"];
}

test("certificates in files are named, and no secret is asked for", () => {
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
