import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import type { KubeFault } from "../../../testing/server/fake-kube.ts";
import { kubeStatus, line } from "../../../testing/server/fake-kube.ts";
import { entry, KubeRig, kubeServiceEntries } from "../../../testing/server/kube-rig.ts";

const faults = {
  overloaded: { type: "status", code: 429, retryAfter: 1 },
  failed: { type: "status", code: 500 },
  expired: { type: "status", code: 410 },
  expiredEvent: { type: "event", line: line("ERROR", kubeStatus(410, "too old", "Expired")) },
  garbled: { type: "event", line: "{,}\n" },
  cut: { type: "cut" },
} satisfies Readonly<Record<string, KubeFault>>;

type Step =
  | { readonly type: "put"; readonly name: string; readonly hostname: string }
  | { readonly type: "break"; readonly name: string }
  | { readonly type: "remove"; readonly name: string }
  | { readonly type: "end"; readonly how: "properly" | "broken" }
  | { readonly type: "forget" | "bookmark" | "lose" | "breathe" }
  | { readonly type: "fault"; readonly fault: keyof typeof faults; readonly times: number };

const name = fc.constantFrom("a", "b", "c", "d");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("put"), name, hostname: fc.constantFrom("one.shop", "two.shop") }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("break"), name }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("remove"), name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("end"), how: fc.constantFrom("properly", "broken") }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom("forget", "bookmark", "lose", "breathe") }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("fault"),
      fault: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

/** The server, and what has to be told of it in the end: of what cannot be used, what was last good. */
class History {
  readonly #rig: KubeRig;
  readonly #left: KubeFault[] = [];

  constructor(rig: KubeRig) {
    this.#rig = rig;
    rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? this.#left.shift() : undefined);
  }

  async take(step: Step): Promise<void> {
    const { fake } = this.#rig;
    switch (step.type) {
      case "put":
        return fake.put(kubeServiceEntries, entry(step.name, step.hostname));
      case "break":
        return fake.put(kubeServiceEntries, { ...entry(step.name, "bad.shop"), spec: { hosts: 7 } });
      case "remove":
        return fake.remove(kubeServiceEntries, `shop/${step.name}`);
      case "end":
        return fake.endWatches(step.how);
      case "forget":
        return fake.forget();
      case "lose":
        // The source misses the following writes and cannot learn what they were.
        fake.endWatches("broken");
        fake.put(kubeServiceEntries, entry("a", "lost.shop"));
        fake.remove(kubeServiceEntries, "shop/b");
        return fake.forget();
      case "bookmark":
        return fake.bookmark();
      case "fault":
        this.#left.push(...Array<KubeFault>(step.times).fill(faults[step.fault]));
        return undefined;
      case "breathe":
        return this.#rig.source.idle();
    }
  }
}

/** Ends every object in a state that can be used, or not at all: then there is only one truth. */
function settled(names: readonly string[]): readonly Step[] {
  return names.map((each, index) =>
    index % 2 === 0 ? { type: "put", name: each, hostname: "end.shop" } : { type: "remove", name: each },
  );
}

test("the final reported state equals the server's state, whatever happens to server and connection", async () => {
  const history = fc.record({ watchList: fc.boolean(), steps: fc.array(step, { maxLength: 30 }) });
  const property = fc.asyncProperty(history, async ({ watchList, steps }) => {
    await using rig = await KubeRig.create();
    rig.fake.watchList = watchList;
    const teller = new History(rig);
    await rig.start();
    for (const each of [...steps, ...settled(["a", "b", "c"])]) await teller.take(each);
    const there = rig.fake.objects(kubeServiceEntries);
    const usable = there.filter(({ spec }) => (spec as { readonly hosts: unknown }).hosts !== 7);
    const expected = usable.map(
      ({ metadata, spec }) => `shop/${metadata.name}=${String((spec as { hosts: unknown }).hosts)}`,
    );
    const broken = there.filter((object) => !usable.includes(object)).map(({ metadata }) => metadata.name);
    await rig.until(`told is ${expected.join(" ")}`, () => {
      const told = rig.told.filter((each) => !broken.some((bad) => each.startsWith(`shop/${bad}=`)));
      return told.join(" ") === expected.toSorted().join(" ");
    });
    await rig.until("it is fresh", () => rig.stale === undefined);
    expect(rig.heard.allIssues.map(({ object }) => object)).toEqual(broken.map((bad) => `ServiceEntry shop/${bad}`));
    expect(rig.heard.events.some(({ type }) => type === "reset")).toBe(false);
  });
  await fc.assert(property, { seed, numRuns: runs(15) });
});
