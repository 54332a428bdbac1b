import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ServerTLSSettings_TLSmode as Mode,
  ServerTLSSettingsSchema,
  ServerTLSSettings_TLSProtocol as Version,
} from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { ServerTls } from "../../model/gateway/gateway.ts";
import { serverTlsOf } from "./server-tls.ts";

type Init = MessageInitShape<typeof ServerTLSSettingsSchema>;

const pair = { certificateChain: "/a.crt", privateKey: "/a.key" };
const files = { serverCertificate: "/a.crt", privateKey: "/a.key" };

test.each<[string, Init, Partial<ServerTls>]>([
  ["nothing said means that TLS is passed on", {}, { mode: "passthrough", certificates: [], credentialNames: [] }],
  ["a pair of files", { mode: Mode.SIMPLE, ...files }, { mode: "simple", certificates: [pair] }],
  [
    "several pairs, and the authority that comes with one of them",
    { mode: Mode.MUTUAL, ...files, tlsCertificates: [files, { ...files, caCertificates: "/ca.crt" }] },
    { mode: "mutual", certificates: [pair, pair], caCertificates: "/ca.crt" },
  ],
  ["one credential", { credentialName: "one" }, { credentialNames: ["one"] }],
  ["several of them before the one", { credentialName: "one", credentialNames: ["two"] }, { credentialNames: ["two"] }],
  [
    "versions",
    { mode: Mode.OPTIONAL_MUTUAL, minProtocolVersion: Version.TLSV1_1, maxProtocolVersion: Version.TLSV1_3 },
    { mode: "optional-mutual", minVersion: "1.1", maxVersion: "1.3" },
  ],
])("%s", (_, settings, expected) => {
  expect(serverTlsOf(create(ServerTLSSettingsSchema, settings))).toMatchObject(expected);
});
