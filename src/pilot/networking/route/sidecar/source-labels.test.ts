import { expect, test } from "vitest";
import { fakeVirtualService, forwardTo } from "../../../../testing/mesh-views.ts";
import type { HttpMatch } from "../../../model/virtual-service.ts";
import { sourceLabelsOf } from "./source-labels.ts";

test("only labels that some route asks for are kept", () => {
  const match: HttpMatch = {
    port: 0,
    gateways: [],
    sourceLabels: { app: "web" },
    sourceNamespace: "",
    name: "",
    statPrefix: "",
    uri: { type: "present" },
    ignoreUriCase: false,
    method: undefined,
    authority: undefined,
    scheme: undefined,
    headers: [],
    withoutHeaders: [],
    queryParams: [],
  };
  const asking = [fakeVirtualService({ http: [{ ...forwardTo("cart.shop"), matches: [match] }] })];
  const labels = { app: "cart", version: "v1", "pod-template-hash": "5f7d" };
  expect(sourceLabelsOf(labels, asking)).toEqual({ app: "cart" });
  expect(sourceLabelsOf(labels, [])).toEqual({});
});
