import { expect, test } from "vitest";
import { isUnknownRevision } from "./etcd-error.ts";

test.each([
  ["etcdserver: mvcc: required revision has been compacted", true],
  ["etcdserver: mvcc: required revision is a future revision", true],
  ["no leader", false],
])("tells whether a store knows a revision: %s", (text, expected) => {
  expect(isUnknownRevision(new Error(text))).toBe(expected);
});
