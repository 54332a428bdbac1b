import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { hostnamesMatch } from "../../grammar/hostname.ts";
import { askedWildcards, HostIndex } from "./host-index.ts";

const host = fc.constantFrom("*", "*.com", "*.a.com", "*a.com", "a.com", "b.a.com", "ba.com", "com", "b", "*b");

test("the index finds the same hosts as a comparison with every host", () => {
  fc.assert(
    fc.property(fc.array(host), host, (hosts, wanted) => {
      const index = new HostIndex<number>(askedWildcards([wanted]));
      for (const [at, each] of hosts.entries()) index.add(each, at);
      const found = new Set(index.groups(wanted).flat());
      expect([...found].toSorted((a, b) => a - b)).toEqual(
        [...hosts.keys()].filter((at) => hostnamesMatch(hosts[at] ?? "", wanted)),
      );
    }),
    { seed, numRuns: runs(200) },
  );
});
