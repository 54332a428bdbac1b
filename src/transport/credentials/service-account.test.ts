import { expect, test } from "vitest";
import { serviceAccountId } from "./service-account.ts";

test.each([
  ["system:serviceaccount:shop:web-1.a", "spiffe://cluster.local/ns/shop/sa/web-1.a"],
  ["system:serviceaccount:shop/sa/admin:web", undefined],
  ["system:serviceaccount:shop:web/x", undefined],
  ["system:serviceaccount:shop:", undefined],
  ["system:node:a", undefined],
])("the SPIFFE id of %j is %j", (user, id) => {
  expect(serviceAccountId(user, "cluster.local")).toBe(id);
});
