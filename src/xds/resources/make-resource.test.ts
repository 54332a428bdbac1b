import { expect, test } from "vitest";
import { hashText } from "../../lib/hash.ts";
import { entryOf } from "../wire/entry.ts";
import { makeResource } from "./make-resource.ts";

const plain = { typeUrl: "some.Type", name: "a", value: Buffer.from("content") };
const entry = entryOf("some.Type", plain.value);

test("a resource has a hash of its content as version, unless its source sets one", () => {
  expect(makeResource(plain)).toEqual({ name: "a", version: hashText(entry), entry, owners: [] });
  expect(makeResource({ ...plain, version: "7" }).version).toBe("7");
  expect(makeResource({ ...plain, version: "" }).version).toBe("");
});

test("a cluster names the endpoints that it needs for warming", () => {
  expect(makeResource({ ...plain, warmedBy: "endpoints" }).warmedBy).toBe("endpoints");
  expect("warmedBy" in makeResource(plain)).toBe(false);
});
