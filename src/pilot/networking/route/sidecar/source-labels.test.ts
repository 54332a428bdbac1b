import { expect, test } from "vitest";
import { fakeMatch, fakeVirtualService, forwardTo } from "../../../../testing/model/traffic.ts";
import { sourceLabelsOf } from "./source-labels.ts";

test("source labels are only those that some route matches on", () => {
  const match = fakeMatch({ sourceLabels: { app: "web" } });
  const asking = [fakeVirtualService({ http: [{ ...forwardTo("cart.shop"), matches: [match] }] })];
  const labels = { app: "cart", version: "v1", "pod-template-hash": "5f7d" };
  expect(sourceLabelsOf(labels, asking)).toEqual({ app: "cart" });
  expect(sourceLabelsOf(labels, [])).toEqual({});
});
