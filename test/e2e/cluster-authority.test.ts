import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RotationReport } from "../../src/admin/pilot/ca-rotation.ts";
import { makeCsr } from "../../src/testing/ca/make-csr.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { TempTree } from "../../src/testing/temp-tree.ts";
import { makeCacerts } from "./support/agent/cacerts.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { certificateFacts } from "./support/ca/certificate-facts.ts";
import { get } from "./support/http.ts";
import { grantAuthorityRights, grantOurRights, grantSignerRights } from "./support/kube/cluster-role.ts";
import { Kube } from "./support/kube/kube.ts";
import { PlayedSigner, signingRequests } from "./support/kube/played-signer.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { requestCertificate } from "./support/tls/certificate-client.ts";
import { tlsPort } from "./support/tls/secure-xds.ts";
import { Istiod } from "./support/xds/istiod.ts";

const describeWithIstiod = await describeWith("kube", "istiod");
const patience = { seconds: 60 };
const reviews = "/api/v1/namespaces/shop/serviceaccounts/reviews";
const secretPath = "/api/v1/namespaces/istio-system/secrets/istio-ca-secret";

async function trustedBy({ httpPort }: BinnacleProcess): Promise<readonly string[]> {
  const { trusted } = JSON.parse((await get(httpPort, "/debug/ca/rotation")).body) as RotationReport;
  return trusted.map(({ fingerprint }) => fingerprint);
}

/** How often a server wrote root certificates. */
function written(server: BinnacleProcess, namespace = ""): number {
  return server.linesLike(new RegExp(`"namespace":"${namespace}.*root certificates written`, "u")).length;
}

describeWithIstiod("an authority in a cluster", () => {
  const world = shared(async (resources) => {
    const kube = resources.use(await Kube.start());
    for (const name of ["istio-system", "shop"]) await kube.call("POST", "/api/v1/namespaces", { metadata: { name } });
    await kube.call("POST", "/api/v1/namespaces/shop/serviceaccounts", { metadata: { name: "reviews" } });
    await grantOurRights(kube, "istio-system");
    await grantAuthorityRights(kube, "istio-system");
    const request = { spec: { audiences: ["istio-ca"], expirationSeconds: 3600 } };
    const { body } = await kube.call("POST", `${reviews}/token`, request);
    const { token } = body["status"] as { readonly token: string };
    const mesh = resources.use(new MeshDir({}));
    const start = async (...more: readonly string[]) => {
      const flags = ["--kubeconfig", kube.kubeconfig("mesh"), "--lease-namespace", "istio-system", "--token-review"];
      const args = [...flags, "--xds-tls", "127.0.0.1:0", ...more];
      return resources.use(await startBinnacle({ dir: mesh.path, args }));
    };
    const folder = await TempTree.create();
    resources.defer(() => folder.close());
    return { kube, token, start, folder };
  });

  describe("with two servers that start at once", () => {
    const servers = shared(async () => {
      const flags = ["--source", "kube:", "--ca", "secret:istio-ca-secret"];
      return await Promise.all([1, 2].map(() => world().start(...flags)));
    });

    test("each server has the one root of the Secret", async () => {
      const [one = [], two = []] = await Promise.all(servers().map(trustedBy));
      expect(two).toEqual(one);
      const { fingerprint256 } = new X509Certificate(await storedRoot());
      expect(one).toEqual([fingerprint256.replaceAll(":", "").toLowerCase()]);
      const { body } = await world().kube.call("GET", secretPath);
      expect(Object.keys(body["data"] ?? {}).toSorted()).toEqual([
        "ca-cert.pem",
        "ca-key.pem",
        "cert-chain.pem",
        "root-cert.pem",
        "rotation.json",
      ]);
    });

    test("only the leader writes the root certificates of namespaces, and the other one after it", async () => {
      const { kube } = world();
      for (const name of ["default", "shop"]) await eventually(`roots in ${name}`, () => hasRoots(name), patience);
      const [leader, follower] = servers().toSorted((one, two) => written(two) - written(one));
      if (leader === undefined || follower === undefined) throw new Error("two servers");
      expect(written(leader)).toBeGreaterThanOrEqual(3);
      expect(written(follower)).toBe(0);
      await leader.stop();
      await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "later" } });
      await eventually("roots in a new namespace", () => hasRoots("later"), patience);
      expect(written(follower, "later")).toBe(1);
      expect(servers().flatMap((server) => server.linesLike(/forbidden|cannot/u))).toEqual([]);
    });
  });

  async function hasRoots(namespace: string): Promise<boolean> {
    const { body } = await world().kube.call("GET", `/api/v1/namespaces/${namespace}/configmaps/istio-ca-root-cert`);
    return (body["data"] as Record<string, string> | undefined)?.["root-cert.pem"] === (await storedRoot());
  }

  async function storedRoot(): Promise<string> {
    const { body } = await world().kube.call("GET", secretPath);
    const data = body["data"] as Readonly<Record<string, string>>;
    return Buffer.from(data["root-cert.pem"] ?? "", "base64").toString();
  }

  /**
   * The same requests to both authorities with the same root and key. Two differences are intended:
   *
   * - If the request has a common name, istiod writes the identity into the common name, which clients must not read.
   * - If `cert-chain.pem` ends with the root, istiod sends the root twice.
   */
  describe.each([
    { name: "of one Secret", key: undefined, length: 2 },
    { name: "of a plugged RSA intermediate", key: "rsa:2048", length: 3 },
  ])("beside an istiod with the authority $name", ({ key, length }) => {
    const pair = shared(async (resources) => {
      const { kube, start, folder } = world();
      const cacerts = folder.path(`cacerts-${key}`);
      mkdirSync(cacerts);
      if (key !== undefined) makeCacerts(cacerts, key);
      const options = { kubeconfig: kube.kubeconfig("admin"), configSources: ["k8s://"], cacerts };
      const ours = await start("--ca", key === undefined ? "secret:istio-ca-secret" : cacerts);
      const istiod = resources.use(await Istiod.start(options));
      await istiod.ready();
      const roots = key === undefined ? await storedRoot() : readFileSync(join(cacerts, "root-cert.pem"), "utf8");
      return { cacerts, roots, ports: [await tlsPort(ours), istiod.securePort] };
    });

    async function issued(algorithm: "P-256" | "RSA 2048" | "Ed25519", subject: string, seconds: number) {
      const { ports, roots } = pair();
      const { csr } = await makeCsr({ algorithm, subject, names: [{ type: "dns", value: "other.example" }] });
      return await Promise.all(
        ports.map(async (port) => {
          const before = Math.floor(Date.now() / 1_000);
          const answer = await requestCertificate({ port, roots, token: world().token }, { csr, seconds });
          if (!("chain" in answer)) throw new Error(`${answer.status}: ${answer.message}`);
          const [leaf = "", ...above] = answer.chain;
          const { serialBytes, notBefore, ...facts } = certificateFacts(leaf);
          const isBackdated = notBefore >= before - 120 && notBefore <= Date.now() / 1_000 - 120;
          return { leaf, above, isBackdated, serialBytes, facts };
        }),
      );
    }

    test.each([
      ["P-256", "", 3_600],
      ["RSA 2048", "O=shop", 600],
      ["Ed25519", "", 0],
    ] as const)("a certificate for a %s key has the fields of istiod's", async (algorithm, subject, seconds) => {
      const [ours, theirs] = await issued(algorithm, subject, seconds);
      expect(ours?.facts).toEqual(theirs?.facts);
      expect(ours?.above.map(trimmed)).toEqual([...new Set(theirs?.above.map(trimmed))]);
      expect(ours?.above).toHaveLength(length - 1);
      expect([ours?.isBackdated, theirs?.isBackdated]).toEqual([true, true]);
      // Of 128 random bits istiod's first byte is zero once in 256 times. Ours never is.
      expect(ours?.serialBytes).toBe(16);
      expect(theirs?.serialBytes).toBeLessThanOrEqual(16);
    });

    test("istiod repeats the identity as common name if the request has one, and we do not", async () => {
      const [ours, theirs] = await issued("P-256", "CN=other,O=admin", 600);
      expect(theirs?.facts.subject).toBe("CN=spiffe://cluster.local/ns/shop/sa/reviews");
      expect(ours?.facts).toEqual({ ...theirs?.facts, subject: "" });
    });

    test("openssl verifies the chain", async () => {
      const { cacerts } = pair();
      const [ours] = await issued("P-256", "", 600);
      const files = { "leaf.pem": ours?.leaf ?? "", "between.pem": ours?.above.slice(0, -1).join("") ?? "" };
      for (const [name, text] of Object.entries({ ...files, "roots.pem": ours?.above.at(-1) ?? "" })) {
        writeFileSync(join(cacerts, name), text);
      }
      const between = length === 2 ? "" : "-untrusted between.pem";
      const command = `openssl verify -x509_strict -purpose sslserver -CAfile roots.pem ${between} leaf.pem`;
      expect(execFileSync("sh", ["-ec", command], { cwd: cacerts }).toString()).toBe("leaf.pem: OK\n");
    });
  });

  describe("with a signer of Kubernetes", () => {
    const signer = shared(async (resources) => {
      const { kube, start, folder } = world();
      const played = resources.use(await PlayedSigner.start(kube, "example.com/mesh"));
      await grantSignerRights(kube);
      const file = folder.path("signer.pem");
      writeFileSync(file, played.roots);
      const server = await start("--ca", "signer:example.com/mesh", "--ca-roots", file);
      return { caller: { port: await tlsPort(server), roots: played.roots, token: world().token } };
    });
    const reviewsName = { type: "url", value: "spiffe://cluster.local/ns/shop/sa/reviews" } as const;

    test("the server and workloads get certificates of the signer, and no request stays", async () => {
      const { caller } = signer();
      const { csr, key } = await makeCsr({ names: [reviewsName] });
      const answer = await requestCertificate(caller, { csr, seconds: 3_600 });
      if (!("chain" in answer)) throw new Error(`${answer.status}: ${answer.message}`);
      const leaf = new X509Certificate(answer.chain[0] ?? "");
      expect(leaf.subjectAltName).toBe(`URI:${reviewsName.value}`);
      expect(leaf.checkPrivateKey(key)).toBe(true);
      expect(leaf.verify(new X509Certificate(caller.roots).publicKey)).toBe(true);
      expect(answer.chain.at(-1)).toBe(caller.roots);
      const { body } = await world().kube.call("GET", signingRequests);
      expect(body["items"]).toEqual([]);
    });

    test.each([
      ["another name", { names: [{ type: "url", value: "spiffe://cluster.local/ns/shop/sa/admin" }] }],
      ["its own name and another one", { names: [reviewsName, { type: "dns", value: "shop.example" }] }],
      ["no name", {}],
      ["a common name", { names: [reviewsName], subject: "CN=admin" }],
    ] as const)("a request with %s is refused", async (_names, options) => {
      const answer = await requestCertificate(signer().caller, await makeCsr(options));
      expect(answer).toMatchObject({ status: "INVALID_ARGUMENT", message: expect.stringContaining("not exactly") });
    });
  });
});

function trimmed(pem: string): string {
  return pem.trim();
}
