import { equals, fromBinary, type JsonValue, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { assert } from "../lib/assert.ts";
import { rawArbitrary } from "../testing/random/raw-arbitrary.ts";
import { runs, seed } from "../testing/random/seed.ts";
import type { Kind } from "./kind.ts";
import { kinds } from "./kinds.ts";
import { decode } from "./proto-json/proto-json.ts";
import { toRaw } from "./proto-json/to-raw.ts";

const rows = kinds.map((row) => [row.kind, row] as const);

const read = (row: Kind, raw: unknown) =>
  decode(row.schema, raw, { path: "spec", unknownFields: row.builtIn ? "ignored" : "error" });

/** YAML without folded lines and without aliases. */
const write = (raw: JsonValue): string => stringify(raw, { lineWidth: 0, aliasDuplicateObjects: false });

describe("from YAML through protobuf to YAML", () => {
  test.each(rows)("%s stays exactly the same", (_, row) => {
    const property = fc.property(rawArbitrary(row.schema), (raw) => {
      const text = write(raw);
      const { message, findings } = read(row, parse(text));
      expect(findings).toEqual([]);
      assert(message !== undefined, "what has no findings can be read");
      const carried = fromBinary(row.schema, toBinary(row.schema, message));
      expect(equals(row.schema, carried, message)).toBe(true);
      expect(parse(write(toRaw(row.schema, carried)))).toEqual(parse(text));
    });
    fc.assert(property, { seed, numRuns: runs(10) });
  });

  test.each(rows.filter(([, { builtIn, schema }]) => !builtIn && schema.fields.length > 0))(
    "an unknown field of %s is reported at every place, and nothing is read",
    (_, row) => {
      const property = fc.property(rawArbitrary(row.schema), fc.nat(), (raw, at) => {
        const places = mappings(row.schema, raw);
        const place = places[at % places.length];
        if (place === undefined) return;
        place["noSuchField"] = 1;
        const { message, findings } = read(row, raw);
        expect(findings.map(({ code }) => code)).toEqual(["unknown-field"]);
        expect(message).toBeUndefined();
      });
      fc.assert(property, { seed, numRuns: runs(5) });
    },
  );
});

/** The mappings of a raw value that are messages of our schemas, including itself. */
function mappings(schema: Kind["schema"], raw: unknown): readonly Record<string, unknown>[] {
  const isOurs = !schema.typeName.startsWith("google.protobuf.");
  if (!isOurs || typeof raw !== "object" || raw === null) return [];
  const mapping = raw as Record<string, unknown>;
  const inner = schema.fields.flatMap(({ message, jsonName, fieldKind }) => {
    const value = mapping[jsonName];
    if (message === undefined || value === undefined) return [];
    const items = fieldKind === "list" || fieldKind === "map" ? Object.values(value as object) : [value];
    return items.flatMap((item) => mappings(message, item));
  });
  return [mapping, ...inner];
}
