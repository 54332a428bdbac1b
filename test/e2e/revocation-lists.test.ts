import { create, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Cluster_DiscoveryType, ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ApiVersion } from "#gen/envoy/config/core/v3/config_source_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import { UpstreamTlsContextSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { revocationsProblem } from "../../src/config/credential/key-material.ts";
import { revocationList, rootCertificate } from "../../src/testing/config/fake-certificates.ts";
import { toyCluster, typed } from "../../src/testing/envoy/toy-envoy-config.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { revocationLists } from "../../src/testing/random/revocation-lists.ts";
import { runs, steadySeed } from "../../src/testing/random/seed.ts";
import { clusterType, secretType } from "../../src/xds/type-urls.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { startRawServer } from "./support/envoy/raw-server.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const name = "roots";

/** A cluster that verifies servers by the secret. */
const cluster = (() => {
  const ads = { configSourceSpecifier: { case: "ads", value: {} }, resourceApiVersion: ApiVersion.V3 } as const;
  const validation = { case: "validationContextSdsSecretConfig", value: { name, sdsConfig: ads } } as const;
  const socket = typed(UpstreamTlsContextSchema, { commonTlsContext: { validationContextType: validation } });
  const message = toyCluster("one", {
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    transportSocket: { name: "tls", configType: socket.configType },
  });
  return { typeUrl: clusterType, name: "one", value: toBinary(ClusterSchema, create(ClusterSchema, message)) };
})();

function inline(value: string) {
  return { specifier: { case: "inlineString", value } } as const;
}

function secretWith(crl: string) {
  const value = { trustedCa: inline(rootCertificate), crl: inline(crl) };
  const secret = create(SecretSchema, { name, type: { case: "validationContext", value } });
  return { typeUrl: secretType, name, value: toBinary(SecretSchema, secret) };
}

function pem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/gu) ?? [];
  return ["-----BEGIN X509 CRL-----", ...lines, "-----END X509 CRL-----", ""].join("\n");
}

/** A good list in other forms of text. */
const body = revocationList.split("\n").slice(1, -2);
const inLines = (...lines: readonly string[]) =>
  ["-----BEGIN X509 CRL-----", ...lines, "-----END X509 CRL-----", ""].join("\n");
const forms = [
  revocationList,
  inLines(body.join("")),
  inLines(...(body.join("").match(/.{1,76}/gu) ?? [])),
  inLines(...(body.join("").match(/.{1,30}/gu) ?? [])),
  revocationList.replaceAll("\n", "\r\n"),
  `A list:\n${revocationList}`,
  revocationList.trimEnd(),
  `${revocationList}${revocationList}`,
  `${revocationList}${inLines("MAA=")}`,
  `${revocationList}-----BEGIN X509 CRL-----\n`,
  `${revocationList}${rootCertificate}`,
  `${revocationList}-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n`,
  inLines(`${body[0]}!`, ...body.slice(1)),
  inLines(` ${body[0]}`, ...body.slice(1)),
  inLines(`${body[0]} `, ...body.slice(1)),
  inLines("", ...body),
  inLines(...body, ""),
  inLines(...body.slice(0, 1), "", ...body.slice(1)),
  inLines(...body.slice(0, -1)),
  inLines(...body).replace("END X509 CRL", "END CERTIFICATE"),
  inLines("Comment: a", "", ...body),
];

describeWithEnvoy("lists of revoked certificates", () => {
  test("are accepted by validation exactly if a real Envoy accepts them", async () => {
    await using server = await startRawServer();
    await using envoy = await startEnvoy({ xdsPort: server.port, mode: "delta" });
    const lists = fc.sample(revocationLists, { seed: steadySeed(5280), numRuns: runs(200) });
    const texts = [...new Set([...forms, ...lists.map(pem)])];
    const accepts = async (text: string): Promise<boolean> => {
      const before = server.subscription(secretType)?.sentNonce ?? "";
      server.set([cluster, secretWith(text)]);
      const answered = () => {
        const secrets = server.subscription(secretType);
        return secrets !== undefined && secrets.sentNonce !== before && secrets.inFlight === undefined && secrets;
      };
      const { error } = await eventually("an answer of Envoy", answered, { seconds: 20 });
      return error === undefined;
    };
    const wrong: object[] = [];
    const counts = { accepted: 0, refused: 0 };
    for (const text of texts) {
      const [ours, theirs] = [revocationsProblem(Buffer.from(text)) === undefined, await accepts(text)];
      counts[theirs ? "accepted" : "refused"]++;
      if (ours !== theirs) wrong.push({ ours, theirs, text });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(texts.length / 10);
    expect((await envoy.serverInfo()).state).toBe("LIVE");
  });
});
