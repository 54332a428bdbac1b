import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { TransportSocketSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../testing/model/fake-cluster-client.ts";
import { fakeServerTls } from "../../../testing/model/fake-gateway.ts";
import type { ServerTls } from "../../model/gateway/gateway.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Certificates } from "../../model/proxy/certificates.ts";
import { type ServerTlsContext, serverSocket } from "./server-socket.ts";

const agent: Certificates = { type: "agent" };
const none: Certificates = { type: "none" };
const mutual: Partial<ServerTls> = { mode: "mutual", caCertificates: "/certs/ca.crt" };

function contextOf(
  tls: Partial<ServerTls>,
  certificates: Certificates = none,
  changes: Partial<ServerTlsContext> = {},
): JsonValue | undefined {
  const around = { certificates, defaults: defaultMeshSettings.tlsDefaults, exchangesMetadata: false, ...changes };
  const socket = serverSocket(fakeServerTls(tls), around, new ProtoWriter());
  return socket === undefined ? undefined : decodedMessage(TransportSocketSchema, socket)["typedConfig"];
}

describe("files of a gateway", () => {
  test("are read by Envoy itself, also where the proxy has no certificates of the mesh", () => {
    for (const certificates of [none, fileCertificates]) {
      expect(contextOf({ ...mutual, caCrl: "/certs/ca.crl" }, certificates)).toMatchObject({
        commonTlsContext: {
          tlsCertificates: [
            { certificateChain: { filename: "/certs/server.crt" }, privateKey: { filename: "/certs/server.key" } },
          ],
          validationContext: { trustedCa: { filename: "/certs/ca.crt" }, crl: { filename: "/certs/ca.crl" } },
        },
      });
    }
  });

  test("are read by the agent where there is one", () => {
    expect(contextOf(mutual, agent)).toMatchObject({
      commonTlsContext: {
        tlsCertificateSdsSecretConfigs: [{ name: "file-cert:/certs/server.crt~/certs/server.key" }],
        combinedValidationContext: { validationContextSdsSecretConfig: { name: "file-root:/certs/ca.crt" } },
      },
    });
  });
});

describe("credentials of a gateway", () => {
  const ads = { ads: {}, resourceApiVersion: "V3" };

  test("are SDS secrets by name, with or without an agent, and take precedence over files", () => {
    const tls = { credentialNames: ["rsa", "kubernetes-gateway://edge/ecdsa"] };
    for (const certificates of [agent, none]) {
      const context = contextOf(tls, certificates);
      expect(context).toMatchObject({
        commonTlsContext: {
          tlsCertificateSdsSecretConfigs: [
            { name: "kubernetes://rsa", sdsConfig: ads },
            { name: "kubernetes-gateway://edge/ecdsa", sdsConfig: ads },
          ],
        },
      });
      expect(JSON.stringify(context)).not.toContain("server.crt");
    }
  });

  test.each([
    ["under the first name", "", "kubernetes://rsa-cacert"],
    ["under their own name", "ca", "kubernetes://ca-cacert"],
  ])("hold the authorities for clients %s", (_, caCredentialName, name) => {
    expect(contextOf({ ...mutual, credentialNames: ["rsa", "ecdsa"], caCredentialName })).toMatchObject({
      commonTlsContext: { combinedValidationContext: { validationContextSdsSecretConfig: { name } } },
    });
  });
});

describe("certificates of the mesh", () => {
  const istio: Partial<ServerTls> = { mode: "istio-mutual", certificates: [], minVersion: "1.3" };

  test("come from the agent or from the proxy's files, and verify clients as usual", () => {
    expect(contextOf(istio, agent)).toMatchObject({
      requireClientCertificate: true,
      commonTlsContext: {
        tlsCertificateSdsSecretConfigs: [{ name: "default" }],
        combinedValidationContext: { validationContextSdsSecretConfig: { name: "ROOTCA" } },
      },
    });
    const context = contextOf({ ...istio, subjectAltNames: ["spiffe://td/ns/a/sa/b"] }, fileCertificates);
    expect(context).toMatchObject({
      commonTlsContext: {
        tlsCertificates: [{ certificateChain: { filename: "/certs/chain.pem" } }],
        validationContext: {
          trustedCa: { filename: "/certs/root.pem" },
          matchSubjectAltNames: [{ exact: "spiffe://td/ns/a/sa/b" }],
        },
      },
    });
    expect(context).not.toHaveProperty("commonTlsContext.tlsParams");
  });

  test("do not exist for a proxy without certificates, which then has no socket", () => {
    expect(contextOf(istio, none)).toBeUndefined();
    expect(contextOf({ mode: "mutual" }, none)).toBeUndefined();
  });

  test("verify clients if a server names no authority", () => {
    const validationContext = { trustedCa: { filename: "/certs/root.pem" } };
    expect(contextOf({ mode: "mutual" }, fileCertificates)).toMatchObject({ commonTlsContext: { validationContext } });
  });
});

test.each<[ServerTls["mode"], boolean, boolean]>([
  ["simple", false, false],
  ["optional-mutual", true, false],
  ["mutual", true, true],
])("mode %s verifies clients: %s, and requires a certificate: %s", (mode, checked, required) => {
  const context = contextOf({ ...mutual, mode });
  expect(context).toMatchObject({ requireClientCertificate: required });
  expect(JSON.stringify(context).includes("validationContext")).toBe(checked);
});

test("clients are verified as the server sets", () => {
  const tls = { ...mutual, verifySpki: ["spki"], verifyHash: ["hash"], insecureSkipVerify: true };
  expect(contextOf(tls)).toMatchObject({
    commonTlsContext: {
      validationContext: {
        verifyCertificateSpki: ["spki"],
        verifyCertificateHash: ["hash"],
        trustChainVerification: "ACCEPT_UNTRUSTED",
      },
    },
  });
});

describe("versions and ciphers", () => {
  test("are Envoy's defaults unless a server sets them", () => {
    expect(contextOf({})).not.toHaveProperty("commonTlsContext.tlsParams");
    expect(contextOf({ cipherSuites: ["ROT13"] })).not.toHaveProperty("commonTlsContext.tlsParams");
  });

  test("are those of the server, without ciphers that Envoy would reject", () => {
    const cipherSuites = ["AES256-SHA", "ROT13", "AES128-SHA", "AES256-SHA"];
    expect(contextOf({ minVersion: "1.0", maxVersion: "1.2", cipherSuites })).toMatchObject({
      commonTlsContext: {
        tlsParams: {
          tlsMinimumProtocolVersion: "TLSv1_0",
          tlsMaximumProtocolVersion: "TLSv1_2",
          cipherSuites: ["AES256-SHA", "AES128-SHA"],
        },
      },
    });
  });
});

describe("the TLS defaults of the mesh", () => {
  const defaults = { minVersion: "1.3", cipherSuites: ["AES128-SHA"], ecdhCurves: ["P-256"] } as const;

  test("apply if a server sets nothing", () => {
    expect(contextOf({}, none, { defaults })).toMatchObject({
      commonTlsContext: {
        tlsParams: { tlsMinimumProtocolVersion: "TLSv1_3", cipherSuites: ["AES128-SHA"], ecdhCurves: ["P-256"] },
      },
    });
  });

  test("yield to the server's settings, field by field", () => {
    const own = { minVersion: "1.2", cipherSuites: ["AES256-SHA"] } as const;
    expect(contextOf(own, none, { defaults })).toMatchObject({
      commonTlsContext: {
        tlsParams: { tlsMinimumProtocolVersion: "TLSv1_2", cipherSuites: ["AES256-SHA"], ecdhCurves: ["P-256"] },
      },
    });
  });

  test("yield to the curves of a server, without those that Envoy would reject", () => {
    const ecdhCurves = ["P-384", "brainpool", "P-384"];
    expect(contextOf({ ecdhCurves }, none, { defaults })).toMatchObject({
      commonTlsContext: { tlsParams: { cipherSuites: ["AES128-SHA"], ecdhCurves: ["P-384"] } },
    });
    expect(contextOf({ ecdhCurves })).toMatchObject({ commonTlsContext: { tlsParams: { ecdhCurves: ["P-384"] } } });
  });

  test("do not apply to mesh mTLS", () => {
    expect(JSON.stringify(contextOf({ mode: "istio-mutual" }, agent, { defaults }))).not.toContain("tlsParams");
  });
});

test("mesh mTLS for TCP offers metadata exchange, if the proxy supports it", () => {
  const exchanging = { exchangesMetadata: true };
  expect(contextOf({ mode: "istio-mutual" }, agent, exchanging)).toMatchObject({
    commonTlsContext: { alpnProtocols: ["istio-peer-exchange", "h2", "http/1.1"] },
  });
  expect(contextOf({}, agent, exchanging)).toMatchObject({ commonTlsContext: { alpnProtocols: ["h2", "http/1.1"] } });
});
