import { describe, expect, test } from "vitest";
import { type ConfigId, configId } from "../../../config/config.ts";
import type { ProbeVerdict } from "./probing.ts";
import { Search } from "./search.ts";
import type { SuspectList } from "./suspects.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => configId("VirtualService", "shop", name)) as [
  ConfigId,
  ConfigId,
  ConfigId,
];

/** A search on a proxy with these verdicts about the tested suspects, and all its probes. */
function searchOn(verdictOn: (tested: readonly ConfigId[]) => ProbeVerdict["type"], repeats = false) {
  const probes: (readonly ConfigId[])[] = [];
  const search = new Search({
    probing: {
      probe(substitutes) {
        // A suspect that is not tested has a substitute.
        const tested = [a, b, c].filter((id) => !substitutes.has(id));
        probes.push(tested);
        const type = verdictOn(tested);
        return Promise.resolve(type === "rejected" ? { type, reason: "no" } : { type });
      },
    },
    currentOf: () => undefined,
    insteadOf: (id) => ({ type: "nothing", objects: new Map([[id, undefined]]) }),
    named: () => new Set(),
    others: () => new Map(),
    repeats: () => repeats,
    testedAs: () => undefined,
  });
  return { search, probes };
}

function listOf(...ids: readonly ConfigId[]): SuspectList {
  return new Map(ids.map((id) => [id, undefined]));
}

describe("a search", () => {
  test("goes on with the next list if the suspects of one list do not explain the rejection", async () => {
    const { search } = searchOn((tested) => (tested.includes(c) ? "rejected" : "accepted"));
    const found = await search.run([listOf(a), listOf(b, c)], "no");
    expect(found?.offenders.map(({ suspect }) => suspect)).toEqual([c]);
    expect(search.suspects).toEqual([b, c]);
  });

  test("ends when the proxy gives no verdict, because it gives none about other suspects either", async () => {
    const { search, probes } = searchOn(() => "none");
    expect(await search.run([listOf(a, b), listOf(c)], "no")).toBeUndefined();
    expect([probes.length, search.probes]).toEqual([1, 0]);
  });

  test("counts a rejection that the proxy does not repeat as no verdict, where it has to repeat it", async () => {
    let probes = 0;
    const { search } = searchOn(() => (++probes === 1 ? "rejected" : "accepted"), true);
    expect(await search.run([listOf(a)], undefined)).toBeUndefined();
    expect(search.changedVerdict).toBe(true);
  });
});
