import fc from "fast-check";
import { expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { serviceEntry } from "../conformance/source/source-trial.ts";
import { TcpProxy } from "./support/abuse/tcp-proxy.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { FollowedEtcd } from "./support/registry/followed-etcd.ts";

const describeWithEtcd = await describeWith("kube");

/** An invalid host. Which earlier version of the object stays depends on the versions that the source saw. */
const broken = "broken host";
const change = fc.record({
  name: fc.constantFrom("a", "b", "c", "d", "e"),
  host: fc.option(fc.constantFrom("one.shop", "two.shop", broken)),
});
const transaction = fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: ({ name }) => name });
const mishap = fc.constantFrom("cut", "compact", "both");
const step = fc.oneof({ weight: 6, arbitrary: transaction }, { weight: 1, arbitrary: mishap });

type Transaction = readonly { readonly name: string; readonly host: string | null }[];

async function write(mesh: FollowedEtcd, changes: Transaction): Promise<void> {
  const operations = changes.map(({ name, host }) => {
    const key = Buffer.from(mesh.key(name));
    if (host === null) return { request_delete_range: { key } };
    return { request_put: { key, value: Buffer.from(serviceEntry(name, host)) } };
  });
  await mesh.etcd.client.kv.txn({ success: operations });
}

/** The content of the store after these steps, by name. */
function heldAfter(steps: readonly (Transaction | string)[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  for (const { name, host } of steps.filter((one) => typeof one !== "string").flat()) {
    if (host === null) held.delete(name);
    else held.set(name, host);
  }
  return held;
}

describeWithEtcd("random transactions", () => {
  test("reach the content of the store, despite cut connections and compactions", async () => {
    await using etcd = await Etcd.start();
    await using proxy = await TcpProxy.start(etcd.port);
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await using mesh = await new FollowedEtcd(etcd, { ports: [proxy.port] }).start();
      const held = heldAfter(steps);
      for (const one of steps) {
        if (typeof one !== "string") await write(mesh, one);
        if (one === "cut" || one === "both") proxy.cut();
        if (one === "compact" || one === "both") await etcd.compact();
      }
      const settled = async () => {
        await mesh.source.idle();
        const told = Object.entries(mesh.hosts).filter(([name]) => held.get(name) !== broken);
        expect(new Map(told)).toEqual(new Map([...held].filter(([, host]) => host !== broken)));
        return true;
      };
      await eventually("the state of the store", settled, { seconds: 20 });
    });
    await fc.assert(property, { seed, numRuns: runs(15), endOnFailure: true });
  });
});
