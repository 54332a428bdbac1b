import { expect, test } from "vitest";
import { etcdReason, isUnknownRevision } from "./etcd-reason.ts";

test.each([
  [
    "14 UNAVAILABLE: No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2379. Resolution note: ",
    "connect ECONNREFUSED 127.0.0.1:2379",
  ],
  [
    "4 DEADLINE_EXCEEDED: Deadline exceeded after 5.001s,LB pick: 0.001s,remote_addr=127.0.0.1:2379",
    "no answer in time",
  ],
  [
    "3 INVALID_ARGUMENT: etcdserver: authentication failed, invalid user ID or password",
    "etcdserver: authentication failed, invalid user ID or password",
  ],
  ["no response for 5000 ms", "no response for 5000 ms"],
])("%j is reported as %j", (message, told) => {
  expect(etcdReason(new Error(message))).toBe(told);
});

test.each([
  ["11 OUT_OF_RANGE: etcdserver: mvcc: required revision has been compacted", true],
  ["11 OUT_OF_RANGE: etcdserver: mvcc: required revision is a future revision", true],
  ["14 UNAVAILABLE: no leader", false],
])("tells whether a store knows a revision: %s", (text, expected) => {
  expect(isUnknownRevision(new Error(text))).toBe(expected);
});
