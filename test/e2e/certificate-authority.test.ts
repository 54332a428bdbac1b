import { X509Certificate } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeCsr } from "../../src/testing/ca/make-csr.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { shared } from "./support/shared.ts";
import { type CertificateAnswer, keptRoot, requestCertificate } from "./support/tls/certificate-client.ts";
import { tlsPort } from "./support/tls/secure-xds.ts";
import { TokenIssuer } from "./support/tls/token-issuer.ts";

const reviews = { namespace: "shop", account: "reviews" };
const identity = "spiffe://cluster.local/ns/shop/sa/reviews";

function chainOf(answer: CertificateAnswer): readonly string[] {
  if ("chain" in answer) return answer.chain;
  throw new Error(`${answer.status}: ${answer.message}`);
}

describe("a server with a self-signed certificate authority", () => {
  const world = shared(async (resources) => {
    const issuer = resources.use(await TokenIssuer.create());
    const mesh = resources.use(new MeshDir({}));
    const state = await TempTree.create();
    resources.defer(() => state.close());
    const directory = state.path("state");
    const args = ["--xds-tls", "127.0.0.1:0", "--ca", "self-signed", "--ca-state", directory, ...issuer.flags];
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    const port = await tlsPort(binnacle);
    return { issuer, directory, binnacle, port, roots: keptRoot(directory) };
  });

  test("signs the key of a caller with a token for the identity of the caller alone", async () => {
    const { issuer, port, roots } = world();
    const token = await issuer.token(reviews);
    const { csr, key } = await makeCsr({
      subject: "CN=other,O=admin",
      names: [{ type: "url", value: "spiffe://cluster.local/ns/istio-system/sa/istiod" }],
      authority: true,
    });
    const chain = chainOf(await requestCertificate({ port, roots, token }, { csr, seconds: 3_600 }));
    expect(chain).toHaveLength(2);
    const leaf = new X509Certificate(chain[0] ?? "");
    expect(leaf.subjectAltName).toBe(`URI:${identity}`);
    expect(leaf.subject ?? "").toBe("");
    expect(leaf.ca).toBe(false);
    expect(leaf.checkPrivateKey(key)).toBe(true);
    expect(leaf.verify(new X509Certificate(roots).publicKey)).toBe(true);
    expect(chain[1]).toBe(roots);
    const lifeMs = leaf.validToDate.getTime() - leaf.validFromDate.getTime();
    expect(lifeMs).toBe(3_720_000);
  });

  test("keeps its root in a file that only its owner can read", () => {
    const { directory } = world();
    expect(readdirSync(directory)).toEqual(["ca-roots.1.json"]);
    expect(statSync(join(directory, "ca-roots.1.json")).mode & 0o777).toBe(0o600);
  });
});
