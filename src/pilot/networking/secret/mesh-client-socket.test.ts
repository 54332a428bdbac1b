import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../testing/model/fake-cluster-client.ts";
import { type MeshClientInputs, meshClientSocket } from "./mesh-client-socket.ts";

const writer = new ProtoWriter();

function contextOf(changes: Partial<MeshClientInputs>): JsonValue | undefined {
  const inputs = { certificates: fileCertificates, names: [], sni: "s", http2: false, exchangesMetadata: false };
  const socket = meshClientSocket({ ...inputs, ...changes }, writer);
  return socket === undefined ? undefined : decodedMessage(TransportSocketSchema, socket)["typedConfig"];
}

test("a socket with certificates in files lists the accepted server identities and needs no SDS secret", () => {
  const context = contextOf({ names: ["spiffe://td/ns/a/sa/b"], sni: "outbound_.80_._.cart.shop" });
  expect(context).toMatchObject({
    sni: "outbound_.80_._.cart.shop",
    commonTlsContext: {
      tlsCertificates: [
        { certificateChain: { filename: "/certs/chain.pem" }, privateKey: { filename: "/certs/key.pem" } },
      ],
      validationContext: {
        trustedCa: { filename: "/certs/root.pem" },
        matchSubjectAltNames: [{ exact: "spiffe://td/ns/a/sa/b" }],
      },
    },
  });
  expect(JSON.stringify(context)).not.toContain("sds");
});

test("a socket with an agent gets both secrets from the agent", () => {
  expect(contextOf({ certificates: { type: "agent" } })).toMatchObject({
    commonTlsContext: {
      tlsCertificateSdsSecretConfigs: [{ name: "default", sdsConfig: { initialFetchTimeout: "0s" } }],
      combinedValidationContext: { validationContextSdsSecretConfig: { name: "ROOTCA" } },
    },
  });
});

test("a proxy without certificates has no client socket", () => {
  expect(contextOf({ certificates: { type: "none" } })).toBeUndefined();
});

test.each([
  [false, false, ["istio"]],
  [true, false, ["istio", "h2"]],
  [false, true, ["istio-peer-exchange", "istio"]],
  [true, true, ["istio-peer-exchange", "istio", "h2"]],
])("a socket with HTTP/2 %s and metadata exchange %s offers %j", (http2, exchangesMetadata, alpnProtocols) => {
  expect(contextOf({ http2, exchangesMetadata })).toMatchObject({ commonTlsContext: { alpnProtocols } });
});
