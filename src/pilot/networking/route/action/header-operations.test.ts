import { expect, test } from "vitest";
import type { HeaderChanges } from "../../../model/traffic/virtual-service.ts";
import { authorityIn, buildHeaderOperations } from "./header-operations.ts";

const nothing: HeaderChanges = { set: [], add: [], remove: [] };

function request(changes: Partial<HeaderChanges>) {
  return { request: { ...nothing, ...changes }, response: nothing };
}

test("headers that are set come before those that are added", () => {
  const { requestHeadersToAdd } = buildHeaderOperations(request({ add: [["a", "1"]], set: [["b", "2"]] }));
  expect(requestHeadersToAdd.map(({ header }) => header.key)).toEqual(["b", "a"]);
});

test("header operations never change pseudo-headers and the host", () => {
  const pairs = [
    [":path", "/"],
    ["Host", "x"],
  ] as const;
  const operations = buildHeaderOperations(request({ set: pairs, add: pairs, remove: [":path", "HOST", "x"] }));
  expect(operations).toMatchObject({ requestHeadersToAdd: [], requestHeadersToRemove: ["x"] });
});

test.each([
  [{ set: [["Host", "set"]], add: [["host", "add"]] }, "set"],
  [{ add: [[":authority", "add"]] }, "add"],
  [{ set: [["x", "y"]] }, ""],
] as const)("%j rewrites the host to %j", (changes, expected) => {
  expect(authorityIn(request(changes))).toBe(expected);
});
