import { expect, test } from "vitest";
import { digestOfRun } from "../../lib/run-sum.ts";
import { heldDigestOf } from "../resources/digest.ts";
import { HeldVersions } from "./held-versions.ts";

const field = (number: number, value: readonly number[] | string) => {
  const bytes = [...Buffer.from(value as string)];
  return [number * 8 + 2, bytes.length, ...bytes];
};
const held = (...entries: readonly (readonly number[])[]) =>
  new HeldVersions(Uint8Array.from(entries.flatMap((entry) => field(5, entry))), entries.length);
const entry = (name: string, version: string) => [...field(1, name), ...field(2, version)];
const resource = (name: string, version: string) => ({ name, version, entry: Buffer.of(), owners: [] });

test("a client's versions are decoded by name at the first use", () => {
  const versions = held(entry("a", "1"), entry("b", "2"));
  expect(versions.decoded).toBe(false);
  expect(versions.versions).toEqual(
    new Map([
      ["a", "1"],
      ["b", "2"],
    ]),
  );
  expect([versions.decoded, versions.size]).toEqual([true, 2]);
  expect(versions.versions).toBe(versions.versions);
});

test("an entry may have its fields in any order, none of them, or others", () => {
  const versions = held([...field(2, "1"), ...field(3, "x"), ...field(1, "a")], [], field(1, "b"));
  expect([...versions.versions]).toEqual([
    ["a", "1"],
    ["", ""],
    ["b", ""],
  ]);
});

test("the digest of a client's versions is the sum of the digests of its resources", () => {
  const [a, b] = [resource("a", "1"), resource("b", "2")];
  expect(held(entry("b", "2"), entry("a", "1")).digest).toBe(heldDigestOf(a) + heldDigestOf(b));
  expect(held(entry("a", "2")).digest).not.toBe(heldDigestOf(a));
  expect([HeldVersions.none.digest, HeldVersions.none.size]).toEqual([0n, 0]);
});

test("the digest of the names does not depend on the versions", () => {
  const names = digestOfRun("a") + digestOfRun("b");
  expect(held(entry("a", "1"), entry("b", "2")).nameDigest).toBe(names);
  expect(held(entry("b", "3"), [...field(2, "4"), ...field(1, "a")]).nameDigest).toBe(names);
});

test("the versions are a view of the message: nothing is copied before they are kept", () => {
  const message = Uint8Array.from(field(5, entry("a", "1")));
  const versions = new HeldVersions(message, 1);
  message.set(field(5, entry("b", "2")));
  expect([...versions.versions]).toEqual([["b", "2"]]);
});

test("the versions outlive the message that carried them, once they are kept", () => {
  const message = Uint8Array.from(field(5, entry("a", "1")));
  const versions = new HeldVersions(message, 1);
  for (let more = 0; more < 2; more++) {
    versions.keep();
    message.fill(0xff);
  }
  expect([...versions.versions]).toEqual([["a", "1"]]);
});
