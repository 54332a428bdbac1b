import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import { hostnamesMatch } from "../../grammar/hostname.ts";
import { HostIndex } from "./host-index.ts";

const host = fc.constantFrom("*", "*.com", "*.a.com", "*a.com", "a.com", "b.a.com", "ba.com", "com", "b", "*b");

test("it finds whom a look at every host would find", () => {
  fc.assert(
    fc.property(fc.array(host), host, (hosts, wanted) => {
      const index = new HostIndex<number>();
      for (const [at, each] of hosts.entries()) index.add(each, at);
      const found = [...index.overlapping(wanted)].toSorted((a, b) => a - b);
      expect(found).toEqual([...hosts.keys()].filter((at) => hostnamesMatch(hosts[at] ?? "", wanted)));
    }),
    { seed, numRuns: runs(200) },
  );
});
