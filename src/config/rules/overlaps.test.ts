import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../testing/random/seed.ts";
import { hostnameCovers, hostnamesMatch } from "../grammar/hostname.ts";
import { coverage, firstOverlaps, hostWildcards } from "./overlaps.ts";

/** Few and similar hosts, so that they overlap often. */
const host = fc
  .record({
    star: fc.constantFrom("", "", "*", "*."),
    rest: fc.constantFrom("", "a", "b", "a.b", "b.b", "aa.b", "a.a.b"),
  })
  .map(({ star, rest }) => star + rest);

describe("overlaps in a list of hosts", () => {
  test("are the same as in a comparison of all pairs, and name the first overlapping host", () => {
    fc.assert(
      fc.property(fc.array(host, { maxLength: 8 }), (hosts) => {
        const expected = hosts.flatMap((later, index) => {
          const rival = hosts.slice(0, index).find((earlier) => hostnamesMatch(earlier, later));
          return rival === undefined ? [] : [[index, rival] as const];
        });
        expect([...firstOverlaps(hosts, hostWildcards)]).toEqual(expected);
      }),
      { seed, numRuns: runs(500) },
    );
  });

  test("a name is covered when one of the hosts covers it", () => {
    fc.assert(
      fc.property(fc.array(host, { maxLength: 5 }), host, (hosts, name) => {
        const expected = hosts.some((each) => hostnameCovers(each, name));
        expect(coverage(hosts, hostWildcards)(name)).toBe(expected);
      }),
      { seed, numRuns: runs(500) },
    );
  });

  test("fifty thousand hosts with wildcards are checked quickly", { timeout: 30_000 }, () => {
    const hosts = Array.from(
      { length: 50_000 },
      (_, index) => `${index % 2 === 0 ? "*." : ""}host-${index}.example.com`,
    );
    expect(firstOverlaps([...hosts, "*.com"], hostWildcards)).toEqual(new Map([[50_000, hosts[0]]]));
  });
});
