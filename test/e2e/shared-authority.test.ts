import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import type { RotationReport } from "../../src/admin/pilot/ca-rotation.ts";
import { decodeRoots } from "../../src/ca/roots.ts";
import { makeCsr } from "../../src/testing/ca/make-csr.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { shared } from "./support/shared.ts";
import { requestCertificate } from "./support/tls/certificate-client.ts";
import { tlsPort } from "./support/tls/secure-xds.ts";
import { TokenIssuer } from "./support/tls/token-issuer.ts";

const describeWithEtcd = await describeWith("kube");
const patience = { seconds: 60 };
const ttlSeconds = 4;

async function statusOf({ httpPort }: BinnacleProcess): Promise<RotationReport> {
  return JSON.parse((await get(httpPort, "/debug/ca/rotation")).body) as RotationReport;
}

/** A certificate of a workload, and the roots that its agent got with it. */
interface Identity {
  readonly at: number;
  readonly leaf: X509Certificate;
  readonly roots: readonly X509Certificate[];
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? []).map(
    (each) => new X509Certificate(each),
  );
}

/** Pairs of live workloads of which one refuses the other. */
function refusals(all: readonly Identity[]): number {
  const pairs = all.flatMap((one) =>
    all.filter(({ at }) => Math.abs(at - one.at) < ttlSeconds * 1_000).map((other) => [one, other] as const),
  );
  return pairs.filter(([one, other]) => !other.roots.some(({ publicKey }) => one.leaf.verify(publicKey))).length;
}

describeWithEtcd("two servers with an authority in etcd", () => {
  const world = shared(async (resources) => {
    const etcd = resources.use(await Etcd.start());
    const issuer = resources.use(await TokenIssuer.create());
    const mesh = resources.use(new MeshDir({}));
    const ttl = ["--ca-ttl", `${ttlSeconds}s`, "--ca-max-ttl", `${ttlSeconds}s`];
    const args = ["--source", etcd.url("mesh"), "--xds-tls", "127.0.0.1:0", "--ca", "etcd", ...ttl, ...issuer.flags];
    const servers = await Promise.all([1, 2].map(() => startBinnacle({ dir: mesh.path, args })));
    for (const server of servers) resources.use(server);
    const [first, second] = servers;
    if (first === undefined || second === undefined) throw new Error("two servers");
    return { etcd, issuer, first, second };
  });

  test("sign with one root, keep it through a kill -9 in a rotation, and no workload refuses another", async () => {
    const { etcd, issuer, first, second } = world();
    const stored = decodeRoots((await etcd.client.get("/mesh-ca/roots").string()) ?? "");
    const [one, two] = await Promise.all([statusOf(first), statusOf(second)]);
    expect(one.trusted).toEqual(two.trusted);
    const token = await issuer.token({ namespace: "shop", account: "reviews" });
    const port = await tlsPort(second);
    const identities: Identity[] = [];
    const renew = async () => {
      const known = identities.at(-1)?.roots.map(String).join("");
      const roots = known ?? stored?.trusted.join("") ?? "";
      const { csr } = await makeCsr({});
      const answer = await requestCertificate({ port, roots, token }, { csr });
      if (!("chain" in answer)) throw new Error(`${answer.status}: ${answer.message}`);
      const [leaf = ""] = answer.chain;
      identities.push({
        at: Date.now(),
        leaf: new X509Certificate(leaf),
        roots: certificatesIn(answer.chain.at(-1) ?? ""),
      });
    };
    await renew();
    const started = await runCommand(["ca", "rotate", "--server", `127.0.0.1:${first.httpPort}`]);
    expect(started).toMatchObject({ code: 0 });
    first.kill("SIGKILL");
    await eventually(
      "the end of the rotation",
      async () => {
        await renew();
        const { phase, trusted } = await statusOf(second);
        return phase === "steady" && trusted[0]?.fingerprint !== one.trusted[0]?.fingerprint;
      },
      patience,
    );
    expect(identities.length).toBeGreaterThan(10);
    expect(refusals(identities)).toBe(0);
  });
});
