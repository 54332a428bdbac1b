import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { type Conflict, mergeConflicts } from "./conflict.ts";

const conflict: Conflict = {
  type: "virtual-host",
  about: "reviews.default.svc.cluster.local:80",
  winner: configId("VirtualService", "default", "first"),
  losers: [configId("VirtualService", "default", "second")],
  reason: "the older one wins",
};

test("losers with the same subject, winner and reason share one conflict", () => {
  const third = { ...conflict, losers: [configId("VirtualService", "default", "third")] };
  expect(mergeConflicts([third, conflict, conflict])).toEqual([
    { ...conflict, losers: [...conflict.losers, ...third.losers] },
  ]);
});

test("the order in which conflicts are found makes no difference", () => {
  const other = { ...conflict, about: "details.default.svc.cluster.local:80" };
  expect(mergeConflicts([conflict, other])).toEqual([other, conflict]);
  expect(mergeConflicts([other, conflict])).toEqual([other, conflict]);
});
