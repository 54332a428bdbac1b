import { generateKeyPairSync, type KeyObject, randomBytes, X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openAuthority } from "../../ca/authority.ts";
import type { SubjectName } from "../../ca/extensions.ts";
import { signLeaf } from "../../ca/leaf.ts";
import { makeCsr } from "../../ca/make-csr.ts";
import { selfSignedAuthority } from "../../ca/self-signed.ts";
import type { KubeRequest } from "../../kube/kube-client.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { KubeSigner } from "./kube-signer.ts";

const now = Date.UTC(2026, 0, 1);
const names: readonly SubjectName[] = [{ type: "uri", value: "spiffe://cluster.local/ns/shop/sa/reviews" }];

function keys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

async function authority() {
  const made = await selfSignedAuthority({ organization: "shop", now, random: randomBytes(16), ttlMs: 3_600_000 });
  return openAuthority(made);
}

type Status = Readonly<Record<string, unknown>>;

/** A cluster whose signer answers with `status`, as soon as the request is approved. */
async function rig(statusOf: (signed: Readonly<Record<string, unknown>>) => Promise<Status> | Status) {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const root = await authority();
  const rootsFile = tree.path("roots.pem");
  writeFileSync(rootsFile, String(root.root));
  const requests: KubeRequest[] = [];
  let created: Readonly<Record<string, unknown>> = {};
  let approved = false;
  const json = async (request: KubeRequest): Promise<unknown> => {
    requests.push(request);
    if (request.method === "POST") {
      created = { ...(request.body as object), metadata: { name: "binnacle-1", resourceVersion: "1" } };
      return created;
    }
    if (request.path.endsWith("/approval")) approved = true;
    return approved && request.method === undefined ? { ...created, status: await statusOf(created) } : created;
  };
  const clock = new FakeClock();
  const signer = new KubeSigner({
    calls: { json },
    signerName: "example.com/mesh",
    rootsFile,
    clock,
    openWatch: () => ({ follow: async () => undefined, sweep: () => undefined, close: () => undefined }),
    timeOfDay: () => now,
    logger: new RecordingLogger(),
  });
  await signer.start();
  onTestFinished(() => signer.stop());
  return { signer, root, requests, clock };
}

type Rig = Awaited<ReturnType<typeof rig>>;

interface Answered {
  readonly by?: Rig["root"];
  readonly key?: KeyObject;
  readonly named?: readonly SubjectName[];
  readonly ttlMs?: number;
}

/** A signer that signs these, and where nothing is said, what it was asked for. */
async function signing(answered: Answered, wanted = { csrNames: names }) {
  const pair = keys();
  const { by, key = pair.publicKey, named = names, ttlMs = 600_000 } = answered;
  const made: Rig = await rig(async () => {
    const request = { names: named, publicKey: key, ttlMs, now, random: randomBytes(16) };
    const leaf = await signLeaf(by ?? made.root, request);
    return { certificate: Buffer.from(leaf?.certificate ?? "").toString("base64") };
  });
  const csr = () => makeCsr(wanted.csrNames, pair.privateKey);
  const result = made.signer.sign({ names, publicKey: pair.publicKey, ttlMs: 60_000, csr });
  return { ...made, result };
}

test("a request is created, approved, read and deleted", async () => {
  const { result, requests } = await signing({});
  const { certificates, notAfter } = await result;
  expect(certificates.map((pem) => new X509Certificate(pem).subjectAltName)).toEqual([`URI:${names[0]?.value}`]);
  expect(notAfter).toBe(now + 600_000);
  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  expect(requests.map(({ method = "GET", path: called }) => `${method} ${called.replace(path, "")}`)).toEqual([
    "POST ",
    "PUT /binnacle-1/approval",
    "GET /binnacle-1",
    "DELETE /binnacle-1",
  ]);
  // The API server refuses less than ten minutes.
  expect(requests[0]?.body).toMatchObject({ spec: { signerName: "example.com/mesh", expirationSeconds: 600 } });
});

test.each([
  ["of another key", async () => ({ key: keys().publicKey }), "it signed another key"],
  [
    "with another name",
    async () => ({ named: [{ type: "uri", value: "spiffe://cluster.local/ns/shop/sa/admin" }] as const }),
    "it signed other names",
  ],
  [
    "with a name more",
    async () => ({ named: [...names, { type: "dns", value: "shop.example" }] as const }),
    "it signed other names",
  ],
  ["of another authority", async () => ({ by: await authority() }), "is not below the roots of --ca-roots"],
  ["that has expired", async () => ({ ttlMs: -1_000 }), "its certificate has expired"],
] as const)("a certificate %s is refused, and its request is deleted", async (_what, answered, reason) => {
  const { result, requests } = await signing(await answered());
  await expect(result).rejects.toThrow(reason);
  expect(requests.at(-1)?.method).toBe("DELETE");
});

test("a request with other names never reaches the cluster", async () => {
  const csrNames = [{ type: "uri", value: "spiffe://cluster.local/ns/shop/sa/admin" }] as const;
  const { result, requests } = await signing({}, { csrNames });
  await expect(result).rejects.toThrow("its names are not exactly spiffe://cluster.local/ns/shop/sa/reviews");
  expect(requests).toEqual([]);
});

test.each([
  [{ conditions: [{ type: "Denied", message: "not today" }] }, "signer example.com/mesh: not today"],
  [{ conditions: [{ type: "Failed", message: "no key" }] }, "signer example.com/mesh: no key"],
])("a signer that says no: %j", async (status, reason) => {
  const { signer, requests } = await rig(() => status);
  const { publicKey, privateKey } = keys();
  const result = signer.sign({ names, publicKey, ttlMs: 60_000, csr: () => makeCsr(names, privateKey) });
  await expect(result).rejects.toThrow(reason);
  expect(requests.at(-1)?.method).toBe("DELETE");
});
