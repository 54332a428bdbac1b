import { equals, type Message } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../config/config.ts";
import { kinds } from "../config/kinds.ts";
import { decode } from "../config/proto-json/proto-json.ts";
import { assert } from "../lib/assert.ts";
import { configIn } from "../testing/config/configs-in.ts";
import { rawArbitrary } from "../testing/random/raw-arbitrary.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { configOf, isSealed, loggedObject, objectIdOf, parseLoggedObject } from "./logged-object.ts";

const origin = { source: "file:mesh", reference: "mesh/a.yaml:3", locate: () => undefined };

describe("an object in the log", () => {
  test.each(kinds.map((row) => [row.kind, row] as const))("%s has the same content again", (_, row) => {
    const property = fc.property(rawArbitrary(row.schema), (raw) => {
      const { message } = decode(row.schema, raw, {
        path: "spec",
        unknownFields: "ignored",
        defaults: row.defaults?.(),
      });
      if (message === undefined) return;
      const metadata = { name: "a", namespace: "shop", labels: { app: "a" }, annotations: { note: "n" }, createdAt: 5 };
      const { kind } = row;
      const config: Config<Message> = { ...metadata, kind, apiVersion: "v", version: "1f", spec: message, origin };
      const json = JSON.stringify(loggedObject(config, row.collection));
      const object = parseLoggedObject(JSON.parse(json));
      const again = object && configOf(object, origin);
      assert(object !== undefined && again !== undefined, "the log can read what it wrote");
      expect({ ...again, spec: 0, origin: 0 }).toEqual({ ...config, spec: 0, origin: 0 });
      expect(isSealed(object) || equals(row.schema, again.spec as Message, message)).toBe(true);
      expect(
        objectIdOf(
          JSON.stringify(loggedObject({ ...config, origin: { ...origin, reference: "elsewhere:9" } }, row.collection)),
        ),
      ).toBe(objectIdOf(json));
    });
    fc.assert(property, { seed, numRuns: runs(5) });
  });

  const written = `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: a}
spec: {hosts: [a.example.com], resolution: NONE, ports: [{number: 80, name: http, protocol: HTTP}]} # ours
`;
  const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";

  test("keeps the text of its author", () => {
    expect(loggedObject(configIn(written), collection).text).toBe(written);
  });

  test.each([
    ["a list", `apiVersion: v1\nkind: List\nitems: []\n${written}`],
    ["a Secret beside it", `# kind: Secret\n${written}`],
    ["an escaped character", `${written}# \\u0053ecret`],
    ["a bearer token", `${written}# Bearer abcdefghijklmnop`],
  ])("does not keep a text with %s", (_, text) => {
    const config = configIn(written);
    expect(loggedObject({ ...config, origin: { ...config.origin, text } }, collection).text).toBeUndefined();
  });
});
