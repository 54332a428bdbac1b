import { expect, test } from "vitest";
import { assert } from "../../src/lib/assert.ts";
import { ProtoWriter } from "../../src/lib/proto-writer/proto-writer.ts";
import { capturePush } from "../../src/pilot/model/push-context.ts";
import { pushRequestFor } from "../../src/pilot/registry/push-request-for.ts";
import { Catalogue } from "../../src/pilot/xds/catalogue.ts";
import { createGenerators } from "../../src/pilot/xds/generators.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import type { Lease } from "../../src/xds/resource-source.ts";
import { LoadedMesh } from "../golden/generate.ts";

function policy(name: string, path: string, selector: object = {}): string {
  const metadata = { name, namespace: "shop" };
  const spec = { ...selector, action: "DENY", rules: [{ to: [{ operation: { paths: [path], ports: ["8080"] } }] }] };
  return JSON.stringify({ apiVersion: "security.istio.io/v1", kind: "AuthorizationPolicy", metadata, spec });
}

function policyOf(app: number, path: string): string {
  return policy(`policy-${app}`, path, { selector: { matchLabels: { app: `app-${app}` } } });
}

function sidecar(app: number) {
  const address = `10.1.${Math.floor(app / 250)}.${1 + (app % 250)}`;
  return proxyWithName(`sidecar~${address}~app-${app}.shop~shop.svc.cluster.local`, {
    NAMESPACE: "shop",
    LABELS: { app: `app-${app}` },
  });
}

/** Sidecars of as many workloads, each with a policy of its own. */
class PolicyMesh {
  readonly #mesh = new LoadedMesh();
  readonly #writer = new ProtoWriter();
  readonly #catalogue: Catalogue;
  readonly #proxies: readonly ReturnType<typeof sidecar>[];
  #leases: readonly Lease[] = [];

  constructor(size: number) {
    this.#mesh.graph.batch(() => {
      for (let app = 0; app < size; app += 1) this.#load(policyOf(app, "/a"));
      this.#load(policy("all", "/all"));
    });
    this.#proxies = Array.from({ length: size }, (_, app) => sidecar(app));
    const push = capturePush(this.#mesh.environment.views(), 0);
    this.#catalogue = new Catalogue(createGenerators({ writer: this.#writer }), push, ({ cause }) => {
      throw cause;
    });
    this.#renewLeases();
  }

  /** How many messages are encoded for one edit, with what all proxies get then. */
  async encodingsOf(text: string): Promise<number> {
    const before = this.#writer.encodings;
    const commit = this.#mesh.graph.batch(() => this.#load(text));
    const request = commit && pushRequestFor(commit, this.#mesh.environment, 0);
    assert(request !== undefined, "every edit is a change");
    const push = capturePush(this.#mesh.environment.views(), 1);
    await this.#catalogue.advance(push, request, () => Promise.resolve());
    this.#renewLeases();
    return this.#writer.encodings - before;
  }

  #load(text: string): void {
    this.#mesh.load({ file: "mesh.yaml", text });
  }

  #renewLeases(): void {
    const renewed = this.#proxies.flatMap((proxy) =>
      this.#catalogue.types.map((type) => this.#catalogue.lease(type, proxy, "all")),
    );
    for (const lease of this.#leases) lease.end();
    this.#leases = renewed;
  }
}

test("one changed policy costs as many encodings among 1000 policies and sidecars as among 10", async () => {
  const few = await new PolicyMesh(10).encodingsOf(policyOf(7, "/b"));
  expect(few).toBeLessThan(40);
  expect(await new PolicyMesh(1000).encodingsOf(policyOf(7, "/b"))).toBe(few);
});

test("a policy for all workloads is encoded once, whatever their number; only their filters are encoded again", async () => {
  const [ten, twenty, thirty] = await Promise.all(
    [10, 20, 30].map((size) => new PolicyMesh(size).encodingsOf(policy("all", "/other"))),
  );
  const perWorkload = ((twenty ?? 0) - (ten ?? 0)) / 10;
  expect((thirty ?? 0) - (twenty ?? 0)).toBe(10 * perWorkload);
  // The rules of the policy for HTTP and for TCP, which all workloads share.
  expect((ten ?? 0) - 10 * perWorkload).toBeGreaterThanOrEqual(2);
});

test("a policy that selects no workload costs nothing", async () => {
  expect(
    await new PolicyMesh(10).encodingsOf(policy("other", "/a", { selector: { matchLabels: { app: "none" } } })),
  ).toBe(0);
});
