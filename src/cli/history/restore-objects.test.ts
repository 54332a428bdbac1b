import { describe, expect, test } from "vitest";
import { virtualService } from "../../config/kinds/virtual-service.ts";
import type { MeshAt } from "../../history/history.ts";
import type { LoggedObject } from "../../history/logged-object.ts";
import type { ObjectChange, ObjectStore } from "../../app/store/object-store.ts";
import { kindOf } from "../../config/kinds.ts";
import { restorable, restoreInto } from "./restore-objects.ts";

const head = "apiVersion: networking.istio.io/v1\nkind: VirtualService\n";
const body = "spec:\n  hosts: [reviews]\n  http: [{ route: [{ destination: { host: reviews } }] }] # all\n";

/** A log in which one object of the namespace `shop` was written like this. */
function logOf(text: string): MeshAt {
  const object: LoggedObject = {
    collection: virtualService.collection,
    kind: "VirtualService",
    apiVersion: "networking.istio.io/v1",
    namespace: "shop",
    name: "reviews",
    labels: {},
    annotations: {},
    createdAt: 0,
    version: "1",
    spec: { hosts: ["reviews"], http: [{ route: [{ destination: { host: "reviews" } }] }] },
    text,
  };
  const entry = { collection: object.collection, key: "shop/reviews", object: "hash" };
  const mesh = { entries: new Map([["place", entry]]), objectOf: () => object };
  return mesh as unknown as MeshAt;
}

const restored = (text: string) => restorable(logOf(text), new Map()).texts.map((each) => each.text);

describe("an object that is restored", () => {
  test.each([
    ["in flow form", "metadata: { name: reviews }\n", "metadata: { namespace: shop, name: reviews }\n"],
    ["in block form", "metadata:\n  name: reviews\n", "metadata:\n  namespace: shop\n  name: reviews\n"],
  ])("gets the namespace that its author left to the source, %s", (_, metadata, whole) => {
    expect(restored(`${head}${metadata}${body}`)).toEqual([`${head}${whole}${body}`]);
  });

  test("keeps the text of its author if that names the namespace", () => {
    const text = `${head}metadata: { name: reviews, namespace: shop }\n${body}`;
    expect(restored(text)).toEqual([text]);
  });

  test("is printed anew if its text has no place for the namespace", () => {
    const json = JSON.stringify({
      apiVersion: "networking.istio.io/v1",
      kind: "VirtualService",
      metadata: { name: "reviews" },
      spec: { hosts: ["reviews"] },
    });
    expect(restored(json)[0]).toContain("namespace: shop");
  });
});

/** A store with these VirtualServices of `shop`. */
function storeOf(names: readonly string[]) {
  const kind = kindOf("networking.istio.io/v1", "VirtualService");
  const deleted: string[] = [];
  const store: Pick<ObjectStore, "apply" | "list" | "delete"> = {
    apply: () => Promise.resolve({ outcomes: [], note: "" }),
    list: (wanted) =>
      Promise.resolve(
        wanted === kind
          ? names.map((name) => ({ id: { kind, namespace: "shop", name }, fields: {}, version: "1" }))
          : [],
      ),
    delete(changes: readonly ObjectChange[]) {
      for (const { id } of changes) deleted.push(id.name);
      return Promise.resolve({ outcomes: [], note: "" });
    },
  };
  return { store: store as ObjectStore, deleted };
}

describe("--prune", () => {
  test("deletes objects that were not there, and none that was there and cannot be restored", async () => {
    const { store, deleted } = storeOf(["reviews", "sealed", "new"]);
    const kind = kindOf("networking.istio.io/v1", "VirtualService");
    if (kind === undefined) throw new Error("unknown kind");
    const writes = [{ id: { kind, namespace: "shop", name: "reviews" }, fields: {}, version: undefined }];
    const since = { number: 1, at: 0 };
    const place = { collection: virtualService.collection, key: "shop/sealed", object: "hash" };
    const left = [{ ...place, source: "file", reference: "a.yaml:1", since }];
    await restoreInto(store, { writes, left }, { dryRun: false, prune: true });
    expect(deleted).toEqual(["new"]);
  });
});
