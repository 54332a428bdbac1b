import { randomBytes, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RotationReport } from "../../src/admin/pilot/ca-rotation.ts";
import { encodeRoots } from "../../src/ca/roots.ts";
import { firstRoots, rotationTimes } from "../../src/ca/rotation.ts";
import { selfSignedAuthority } from "../../src/ca/self-signed.ts";
import { hostileCsrs } from "../../src/testing/ca/hostile-csr.ts";
import { makeCsr } from "../../src/testing/ca/make-csr.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { shared } from "./support/shared.ts";
import {
  type CertificateAnswer,
  CertificateClient,
  keptRoot,
  requestCertificate,
} from "./support/tls/certificate-client.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";
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
    const foreign = resources.use(await TestAuthority.create());
    const trusted = await foreign.issue("shop", "reviews");
    const flags = ["--ca-state", directory, "--ca-max-ttl", "2h", "--tls-ca", trusted.rootCertificates];
    const args = ["--xds-tls", "127.0.0.1:0", "--ca", "self-signed", ...flags, ...issuer.flags];
    const binnacle = resources.use(await startBinnacle({ dir: mesh.path, args }));
    const port = await tlsPort(binnacle);
    const signed = () => metric(binnacle.metricsPort, "citadel_server_success_cert_issuance_count");
    return { issuer, trusted, directory, binnacle, port, signed, roots: keptRoot(directory) };
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

  test("renews a certificate for the caller that shows it", async () => {
    const { issuer, port, roots } = world();
    const pair = await certified(await issuer.token(reviews));
    const chain = chainOf(await requestCertificate({ port, roots, pair }, await makeCsr()));
    expect(new X509Certificate(chain[0] ?? "").subjectAltName).toBe(`URI:${identity}`);
  });

  /** A certificate from the server, with its key. */
  async function certified(token: string, seconds = 600) {
    const { port, roots } = world();
    const { csr, key } = await makeCsr();
    const [cert = ""] = chainOf(await requestCertificate({ port, roots, token }, { csr, seconds }));
    return { cert, key: key.export({ type: "pkcs8", format: "pem" }).toString() };
  }

  test.each([
    ["without credentials", async () => ({})],
    ["with the token of another issuer", async () => ({ token: await foreignToken("https://elsewhere.example") })],
    ["with a token of which a letter was changed", async () => ({ token: await changedToken() })],
    [
      "with the token of another issuer that calls itself ours",
      async () => ({ token: await foreignToken(world().issuer.url) }),
    ],
    ["with an expired token", async () => ({ token: await world().issuer.token({ ...reviews, expires: -60 }) })],
    [
      "with a token for another server",
      async () => ({ token: await world().issuer.token({ ...reviews, audience: "shop" }) }),
    ],
    ["with a certificate of another authority that TLS trusts", async () => ({ pair: filesOf(world().trusted) })],
  ])("a caller %s gets UNAUTHENTICATED and no certificate", async (_caller, credentials) => {
    const { port, roots, signed } = world();
    const before = await signed();
    const answer = await requestCertificate({ port, roots, ...(await credentials()) }, await makeCsr());
    expect(answer).toMatchObject({ status: "UNAUTHENTICATED" });
    expect(await signed()).toBe(before);
  });

  /** A token with the signature of another one. */
  async function changedToken(): Promise<string> {
    const { issuer } = world();
    const [own, other] = await Promise.all(
      ["reviews", "ratings"].map((account) => issuer.token({ ...reviews, account })),
    );
    return [...(own ?? "").split(".").slice(0, 2), other?.split(".")[2]].join(".");
  }

  test("a token that is used again gets the same identity and nothing more", async () => {
    const { issuer, port, roots } = world();
    const token = await issuer.token(reviews);
    const names = [1, 2].map(async () => {
      const [leaf = ""] = chainOf(await requestCertificate({ port, roots, token }, await makeCsr()));
      return new X509Certificate(leaf).subjectAltName;
    });
    expect(await Promise.all(names)).toEqual([`URI:${identity}`, `URI:${identity}`]);
  });

  test("a flood of one caller is limited, and another caller gets its certificate meanwhile", async () => {
    const { issuer, binnacle, port, roots, signed } = world();
    const limited = () => metric(binnacle.metricsPort, "citadel_server_csr_sign_err_count", "limited");
    const before = { signed: await signed(), limited: await limited() };
    using flood = new CertificateClient({ port, roots, token: await issuer.token({ ...reviews, account: "flood" }) });
    using other = new CertificateClient({ port, roots, token: await issuer.token(reviews) });
    const { csr } = await makeCsr();
    const counts = { signed: 0, RESOURCE_EXHAUSTED: 0 };
    const started = performance.now();
    const asked = Array.from({ length: 1_200 }, async () => {
      const answer = await flood.request({ csr });
      const result = "chain" in answer ? "signed" : answer.status;
      if (result === "signed" || result === "RESOURCE_EXHAUSTED") counts[result] += 1;
    });
    expect(chainOf(await other.request({ csr }))).toHaveLength(2);
    await Promise.all(asked);
    const seconds = (performance.now() - started) / 1_000;
    expect(counts.signed + counts.RESOURCE_EXHAUSTED).toBe(asked.length);
    // A slow server refills the limit while it answers.
    expect(counts.signed).toBeLessThanOrEqual(1_000 + 100 * seconds + 1);
    expect(await signed()).toBe(before.signed + counts.signed + 1);
    expect(await limited()).toBe(before.limited + counts.RESOURCE_EXHAUSTED);
  });

  test("hostile requests of many callers get INVALID_ARGUMENT, and nothing is signed", {
    timeout: runs(60_000),
  }, async () => {
    const { issuer, binnacle, port, roots, signed } = world();
    const failed = () => metric(binnacle.metricsPort, "citadel_server_csr_sign_err_count", "failed");
    const before = { signed: await signed(), failed: await failed() };
    const sent = fc.sample(await hostileCsrs(), { seed, numRuns: runs(200) });
    let intact = 0;
    // As many at a time as one identity may send at once.
    for (let from = 0; from < sent.length; from += 500) {
      const token = await issuer.token({ ...reviews, account: `hostile-${from}` });
      using client = new CertificateClient({ port, roots, token });
      const part = sent.slice(from, from + 500);
      const answers = await Promise.all(part.map(({ csr }) => client.request({ csr })));
      const wrong = answers.filter((answer, index) => {
        return part[index]?.isIntact === true
          ? !("chain" in answer)
          : !("status" in answer) || answer.status !== "INVALID_ARGUMENT";
      });
      expect(wrong).toEqual([]);
      intact += part.filter(({ isIntact }) => isIntact).length;
    }
    expect([await signed(), await failed()]).toEqual([before.signed + intact, before.failed]);
  });

  test("a certificate that expired on an open connection renews nothing", async () => {
    const { issuer, port, roots, signed } = world();
    const pair = await certified(await issuer.token(reviews), 3);
    using client = new CertificateClient({ port, roots, pair });
    chainOf(await client.request(await makeCsr()));
    const expiry = new X509Certificate(pair.cert).validToDate;
    await eventually("the expiry of the certificate", () => new Date() > expiry, { seconds: 10 });
    const before = await signed();
    expect(await client.request(await makeCsr())).toMatchObject({ status: "UNAUTHENTICATED" });
    expect(await requestCertificate({ port, roots, pair }, await makeCsr())).toMatchObject({
      status: "UNAUTHENTICATED",
    });
    expect(await signed()).toBe(before);
  });

  test.each([
    ["a request for more than the maximum", { seconds: 7_201 }, "INVALID_ARGUMENT"],
    ["an RSA key of 1024 bits", { algorithm: "RSA 1024" as const }, "INVALID_ARGUMENT"],
    ["no certificate request", { csr: "hello" }, "INVALID_ARGUMENT"],
    ["the name of another caller", { metadata: { ImpersonatedIdentity: identity } }, "UNAUTHENTICATED"],
  ])("an authenticated caller with %s gets no certificate", async (_wish, wish, status) => {
    const { issuer, port, roots, signed } = world();
    const before = await signed();
    const { csr } = await makeCsr("algorithm" in wish ? wish : {});
    const token = await issuer.token(reviews);
    expect(await requestCertificate({ port, roots, token }, { csr, ...wish })).toMatchObject({ status });
    expect(await signed()).toBe(before);
  });

  test("the plaintext port does not have the service", async () => {
    const { issuer, binnacle } = world();
    const caller = { port: binnacle.xdsPort, token: await issuer.token(reviews) };
    expect(await requestCertificate(caller, await makeCsr())).toMatchObject({ status: "UNIMPLEMENTED" });
  });

  test("the page and the metrics show no key", async () => {
    const { binnacle, directory } = world();
    const [file = ""] = readdirSync(directory);
    const { signing } = JSON.parse(readFileSync(join(directory, file), "utf8")) as { signing: { key: string } };
    const secret = signing.key.split("\n")[1] ?? "";
    const ca = await get(binnacle.httpPort, "/debug/ca");
    expect(JSON.parse(ca.body)).toMatchObject({
      phase: "steady",
      certificates: [{ use: "root" }, { use: "signing" }, { use: "server" }],
    });
    const shown = [ca.body, (await get(binnacle.metricsPort, "/metrics")).body];
    expect(secret).toMatch(/^MIG/u);
    expect(shown.filter((text) => text.includes(secret) || text.includes("PRIVATE KEY"))).toEqual([]);
  });
});

test("a server whose root is old starts a rotation by itself, and says so", async () => {
  const state = await TempTree.create();
  onTestFinished(() => state.close());
  const dayMs = 86_400_000;
  const old = { organization: "cluster.local", now: Date.now() - 85 * dayMs, ttlMs: 100 * dayMs };
  const root = await selfSignedAuthority({ ...old, random: randomBytes(16) });
  const roots = firstRoots(root, rotationTimes(dayMs), old.now);
  writeFileSync(state.path("ca-roots.1.json"), encodeRoots(roots).reveal(), { mode: 0o600 });
  using mesh = new MeshDir({});
  const args = ["--xds-tls", "127.0.0.1:0", "--ca", "self-signed", "--ca-state", state.directory, "--xds-auth", "off"];
  await using binnacle = await startBinnacle({ dir: mesh.path, args });
  expect(await binnacle.logged("root rotation started")).toContain('"cause":"expiry"');
  const report = JSON.parse((await get(binnacle.httpPort, "/debug/ca/rotation")).body) as RotationReport;
  expect([report.phase, report.trusted.length, report.next === undefined]).toEqual(["distribute", 2, false]);
  expect(await metric(binnacle.metricsPort, "binnacle_ca_rotations_total", "expiry")).toBe(1);
  // --xds-auth off opens xDS, and not the authority.
  const stranger = { port: await tlsPort(binnacle), roots: roots.trusted.join("") };
  expect(await requestCertificate(stranger, await makeCsr())).toMatchObject({ status: "UNAUTHENTICATED" });
});

async function foreignToken(url: string): Promise<string> {
  using other = await TokenIssuer.create();
  return await other.token({ ...reviews, issuer: url });
}

function filesOf({ certificateChain, privateKey }: IssuedFiles) {
  return { cert: readFileSync(certificateChain, "utf8"), key: readFileSync(privateKey, "utf8") };
}
