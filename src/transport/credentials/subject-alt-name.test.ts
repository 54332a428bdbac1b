import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../testing/random/seed.ts";
import { urisIn } from "./subject-alt-name.ts";

/** Formats names as Node does: quoted when a value is ambiguous. */
function printed(names: readonly (readonly [type: string, value: string])[]): string {
  return names
    .map(([type, value]) => `${type}:${/^[^",\\']*$/.test(value) ? value : JSON.stringify(value)}`)
    .join(", ");
}

describe("the URIs of a certificate", () => {
  test("are found among all its names, also with unusual characters", () => {
    const value = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: fc.constantFrom("a", ",", " ", '"', "\\", ":", "URI:", ", URI:", "'") }),
    );
    const names = fc.array(fc.tuple(fc.constantFrom("URI", "DNS", "email", "IP Address"), value));
    fc.assert(
      fc.property(names, (all) => {
        expect(urisIn(printed(all))).toEqual(all.filter(([type]) => type === "URI").map(([, uri]) => uri));
      }),
      { seed, numRuns: runs(300) },
    );
  });

  test("are not taken from the text of another name", () => {
    expect(urisIn('DNS:"a, URI:spiffe://cluster.local/ns/shop/sa/reviews"')).toEqual([]);
    expect(urisIn('DNS:"a\\", URI:spiffe://cluster.local/ns/shop/sa/reviews"')).toEqual([]);
  });

  test.each(["URI:", "URI:a, nonsense", 'URI:a, DNS:"open', 'URI:a, DNS:b"c'])(
    "are none when the list is malformed or empty: %s",
    (text) => {
      expect(urisIn(text).filter((uri) => uri !== "")).toEqual([]);
    },
  );

  test("are none without names", () => {
    expect(urisIn("")).toEqual([]);
  });
});
