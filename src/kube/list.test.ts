import { expect, test } from "vitest";
import type { KubeClient } from "./kube-client.ts";
import { listPages } from "./list.ts";

/** A client whose server answers every request for a list with this value. */
function clientOf(answer: unknown): KubeClient {
  const limits = { listObjects: 10, listPages: 10, listMs: 1000 };
  const client = { limits, now: () => 0, json: async () => answer };
  return client as unknown as KubeClient;
}

test("a list whose version is no text has no version, whatever its fields are called", async () => {
  const client = clientOf({ metadata: { resourceVersion: { toString: 1 } }, items: [] });
  const { signal } = new AbortController();
  const pages = await Array.fromAsync(listPages(client, { path: "/a", signal }, 10));
  expect(pages).toEqual([{ items: [], resourceVersion: "" }]);
});
