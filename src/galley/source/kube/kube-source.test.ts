import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { type FakeRequest, type KubeFault, kubeStatus, line } from "../../../testing/server/fake-kube.ts";
import { definitions, entry, KubeRig, kubeServiceEntries, services } from "../../../testing/server/kube-rig.ts";

let rig: KubeRig;

beforeEach(async () => {
  rig = await KubeRig.create();
});

afterEach(() => rig[Symbol.asyncDispose]());

/** The first requests for ServiceEntries meet this, one after the other. */
function fail(...faults: readonly (KubeFault | undefined)[]): void {
  const left = [...faults];
  rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? left.shift() : undefined);
}

const isList = ({ query }: FakeRequest) => !query.has("watch");
const isResumed = ({ query }: FakeRequest) => query.has("watch") && !query.has("sendInitialEvents");
const changes = () => rig.heard.events.filter(({ type }) => type === "upserted" || type === "deleted");

describe("the initial state", () => {
  test("arrives with the watch, without a list", async () => {
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.synced();
    await rig.tells("shop/reviews=one.shop");
    expect(rig.fake.asked(kubeServiceEntries).filter(isList)).toEqual([]);
  });

  test.each([
    ["refuses the parameter", undefined],
    [
      "does not support initial events",
      { type: "event", line: line("ERROR", kubeStatus(500, "RequestWatchProgress is disabled")) },
    ],
    ["does not answer the watch", { type: "hang" }],
  ] satisfies [string, KubeFault | undefined][])("is listed in pages from a server that %s", async (_what, fault) => {
    rig.fake.watchList = false;
    rig.fake.fault = ({ query }) => (query.has("sendInitialEvents") ? fault : undefined);
    for (let index = 0; index < 450; index += 1) rig.fake.put(kubeServiceEntries, entry(`e${index}`, "one.shop"));
    await rig.synced();
    expect(rig.told).toHaveLength(450);
    expect(rig.fake.asked(kubeServiceEntries).filter(isList)).toHaveLength(3);
    rig.fake.put(kubeServiceEntries, entry("e0", "two.shop"));
    await rig.until("a change is told", () => rig.told[0] === "shop/e0=two.shop");
  });

  test("is listed in one request if the pages expire meanwhile", async () => {
    rig.fake.watchList = false;
    for (let index = 0; index < 450; index += 1) rig.fake.put(kubeServiceEntries, entry(`e${index}`, "one.shop"));
    rig.fake.fault = ({ query }) => {
      if (query.has("continue")) rig.fake.forget();
      return undefined;
    };
    await rig.synced();
    expect(rig.told).toHaveLength(450);
    const limits = rig.fake
      .asked(kubeServiceEntries)
      .filter(isList)
      .map(({ query }) => query.get("limit"));
    expect(limits).toEqual(["200", "200", null]);
  });

  test("of an absent kind is empty and complete", async () => {
    rig.fake.define(kubeServiceEntries, false);
    await rig.synced();
    expect(rig.told).toEqual([]);
  });

  test("is not empty just because a server is starting", async () => {
    rig.fake.ready = false;
    rig.fake.define(kubeServiceEntries, false);
    await rig.start();
    await rig.until("it is stale", () => rig.stale !== undefined);
    expect(rig.syncs).toEqual([]);
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    rig.fake.define(kubeServiceEntries, true);
    rig.fake.ready = true;
    await rig.tells("shop/reviews=one.shop");
  });

  test("is read in the best version where several are served", async () => {
    const older = ["v1beta1", "v1alpha3"].map((version) => kubeServiceEntries.replace("/v1/", `/${version}/`));
    for (const path of older) {
      rig.fake.define(path, true);
      rig.fake.put(path, entry("reviews", "old.shop"));
    }
    rig.fake.put(kubeServiceEntries, entry("reviews", "new.shop"));
    await rig.synced();
    await rig.tells("shop/reviews=new.shop");
    expect(older.flatMap((path) => rig.fake.asked(path))).toEqual([]);
  });

  test("is read in the best of the versions that are served", async () => {
    rig.fake.define(kubeServiceEntries, false);
    const older = kubeServiceEntries.replace("/v1/", "/v1beta1/");
    rig.fake.define(older, true);
    rig.fake.put(older, { ...entry("reviews", "one.shop"), apiVersion: "networking.istio.io/v1beta1" });
    await rig.synced();
    await expect(rig.tells("shop/reviews=one.shop")).resolves.toBeUndefined();
  });
});

describe("a watch", () => {
  beforeEach(async () => {
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.synced();
  });

  test("reports added, changed and removed objects", async () => {
    rig.fake.put(kubeServiceEntries, entry("ratings", "one.shop"));
    await rig.tells("shop/ratings=one.shop", "shop/reviews=one.shop");
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    rig.fake.remove(kubeServiceEntries, "shop/ratings");
    await expect(rig.tells("shop/reviews=two.shop")).resolves.toBeUndefined();
  });

  test.each(["properly", "broken"] as const)("that ends %s is resumed at its position", async (how) => {
    rig.fake.put(kubeServiceEntries, entry("ratings", "one.shop"));
    await rig.tells("shop/ratings=one.shop", "shop/reviews=one.shop");
    const before = changes().length;
    rig.fake.endWatches(how);
    rig.fake.remove(kubeServiceEntries, "shop/reviews");
    await rig.tells("shop/ratings=one.shop");
    expect(changes().slice(before)).toMatchObject([{ type: "deleted", key: "shop/reviews" }]);
    expect(rig.fake.asked(kubeServiceEntries).at(-1)?.query.get("resourceVersion")).toBe("102");
    expect(rig.stale).toBeUndefined();
  });

  test("resumes from the last bookmark", async () => {
    rig.fake.put(services, { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "shop" }, spec: {} });
    await rig.until("the service is told", () => rig.heard.state.size === 2);
    rig.fake.bookmark();
    rig.fake.endWatches("properly");
    await rig.until("it is resumed", () => rig.fake.asked(kubeServiceEntries).some(isResumed));
    expect(rig.fake.asked(kubeServiceEntries).find(isResumed)?.query.get("resourceVersion")).toBe("102");
  });

  test("that is silent for too long counts as dead, and is resumed", async () => {
    await rig.until("it is watched again", () => rig.fake.asked(kubeServiceEntries).some(isResumed));
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await expect(rig.tells("shop/reviews=two.shop")).resolves.toBeUndefined();
  });

  test("that breaks within a line is resumed before that line", async () => {
    rig.fake.write('{"type":"ADDED","object":{"metadata":{"na');
    rig.fake.endWatches("broken");
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await expect(rig.tells("shop/reviews=two.shop")).resolves.toBeUndefined();
  });

  test("with an invalid event is resumed", async () => {
    rig.fake.write("{}\n");
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await expect(rig.tells("shop/reviews=two.shop")).resolves.toBeUndefined();
  });
});

describe("a server that no longer knows our resource version", () => {
  const expired: KubeFault = { type: "status", code: 410, status: kubeStatus(410, "too old", "Expired") };

  beforeEach(async () => {
    for (const name of ["details", "ratings", "reviews"]) rig.fake.put(kubeServiceEntries, entry(name, "one.shop"));
    await rig.synced();
  });

  test.each([
    ["as an event, when the watch is resumed", undefined],
    ["as an answer, when the watch is resumed", expired],
  ])("reports it %s; only the differences are reported", async (_how, fault) => {
    const before = changes().length;
    fail(fault);
    rig.fake.endWatches("broken");
    rig.fake.remove(kubeServiceEntries, "shop/details");
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    rig.fake.forget();
    await rig.tells("shop/ratings=one.shop", "shop/reviews=two.shop");
    expect(changes().slice(before)).toMatchObject([
      { type: "deleted", key: "shop/details" },
      { type: "upserted", config: { name: "reviews" } },
    ]);
    expect(rig.heard.events.filter(({ type }) => type === "reset")).toEqual([]);
  });

  test("reports it in the middle of a watch", async () => {
    const before = changes().length;
    rig.fake.write(line("ERROR", kubeStatus(410, "too old", "Expired")));
    await rig.until("it is read anew", () => rig.fake.asked(kubeServiceEntries).length === 2);
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await rig.tells("shop/details=one.shop", "shop/ratings=one.shop", "shop/reviews=two.shop");
    expect(changes().slice(before)).toMatchObject([{ type: "upserted", config: { name: "reviews" } }]);
  });

  test("is read again, also if it never knew our version", async () => {
    rig.fake.endWatches("broken");
    rig.fake.restore(1);
    await rig.until(
      "it is read anew",
      () => rig.fake.asked(kubeServiceEntries).filter((r) => !isResumed(r)).length === 2,
    );
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await expect(
      rig.tells("shop/details=one.shop", "shop/ratings=one.shop", "shop/reviews=two.shop"),
    ).resolves.toBeUndefined();
  });
});

/** Removes entries, and the history of their removal. */
function loseAll(...names: readonly string[]): void {
  for (const name of names) rig.fake.remove(kubeServiceEntries, `shop/${name}`);
  rig.fake.forget();
}

describe("a server that comes back from an outage", () => {
  beforeEach(async () => {
    for (const name of ["ratings", "reviews"]) rig.fake.put(kubeServiceEntries, entry(name, "one.shop"));
    await rig.synced();
    rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? { type: "status", code: 500 } : undefined);
    rig.fake.endWatches("broken");
    await rig.until("it is stale", () => rig.stale !== undefined);
  });

  test("is read again, because it may be restored from a backup and past our version", async () => {
    rig.fake.remove(kubeServiceEntries, "shop/ratings");
    rig.fake.restore(1_000);
    rig.fake.fault = () => undefined;
    await rig.tells("shop/reviews=one.shop");
    await expect(rig.until("it is fresh", () => rig.stale === undefined)).resolves.toBeUndefined();
  });

  test("and lists nothing keeps the objects, and says so, until it lists them again", async () => {
    const before = changes().length;
    loseAll("ratings", "reviews");
    rig.fake.fault = () => undefined;
    const doubt = "the API server lists none of the 2 objects that it had; they stay in use for 30 s";
    await rig.until("the list is doubted", () => rig.stale === `${doubt} (serviceentries.networking.istio.io)`);
    for (const name of ["ratings", "reviews"]) rig.fake.put(kubeServiceEntries, entry(name, "one.shop"));
    await rig.until("it is fresh", () => rig.stale === undefined);
    expect(changes().slice(before)).toEqual([]);
  });

  test("and lists nothing for long is believed", async () => {
    loseAll("ratings", "reviews");
    rig.fake.fault = () => undefined;
    await rig.tells();
    await expect(rig.until("it is fresh", () => rig.stale === undefined)).resolves.toBeUndefined();
  });
});

describe("an unusable object", () => {
  const broken = { ...entry("reviews", "two.shop"), spec: { hosts: 7 } };

  test.each(["is told by the watch", "is found when everything is read anew"])(
    "keeps its last good version when it %s",
    async (how) => {
      rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
      await rig.synced();
      const before = changes().length;
      if (how.includes("anew")) {
        rig.fake.endWatches("broken");
        rig.fake.put(kubeServiceEntries, broken);
        rig.fake.forget();
      } else rig.fake.put(kubeServiceEntries, broken);
      await rig.until("it is an issue", () => rig.heard.allIssues.length > 0);
      expect(rig.heard.allIssues).toMatchObject([{ severity: "error", object: "ServiceEntry shop/reviews" }]);
      expect([changes().slice(before), rig.told]).toEqual([[], ["shop/reviews=one.shop"]]);
      rig.fake.remove(kubeServiceEntries, "shop/reviews");
      await rig.tells();
      expect(rig.heard.allIssues).toEqual([]);
    },
  );
});

describe("a server with wrong answers", () => {
  test.each([
    ["is overloaded", { type: "status", code: 429, retryAfter: 1 }],
    ["has failed", { type: "status", code: 500 }],
    ["is behind a proxy that has failed", { type: "status", code: 503, status: ["<html>"] }],
    ["cuts its answers off", { type: "cut" }],
    ["rejects our credentials", { type: "status", code: 401 }],
  ] satisfies [string, KubeFault][])("because it %s is retried, and makes the source stale", async (_why, fault) => {
    rig.fake.watchList = false;
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? fault : undefined);
    await rig.start();
    await rig.until("it is stale", () => rig.stale?.includes("serviceentries.networking.istio.io") === true);
    expect(rig.stale).not.toContain("services,");
    rig.fake.fault = () => undefined;
    await rig.tells("shop/reviews=one.shop");
    await rig.until("it is fresh", () => rig.stale === undefined);
  });

  test("because of a forbidden kind makes the source stale with the kind's name and the missing rule", async () => {
    rig.fake.put(services, { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "shop" }, spec: {} });
    const forbidden = kubeStatus(403, 'serviceentries is forbidden: User "mesh" cannot list resource', "Forbidden");
    rig.fake.fault = ({ path }) =>
      path === kubeServiceEntries ? { type: "status", code: 403, status: forbidden } : undefined;
    await rig.start();
    await rig.until("it is stale", () => rig.stale !== undefined);
    expect(rig.stale).toBe("not allowed to list and watch (serviceentries.networking.istio.io)");
    expect(rig.heard.allIssues).toMatchObject([
      {
        severity: "error",
        code: "forbidden",
        message: 'serviceentries is forbidden: User "mesh" cannot list resource',
        hint: expect.stringContaining(
          '{apiGroups: ["networking.istio.io"], resources: ["serviceentries"], verbs: ["list", "watch"]}',
        ),
      },
    ]);
    expect(rig.syncs).toMatchObject([{ collection: "k8s/core/v1/services" }]);
    rig.fake.fault = () => undefined;
    await rig.until("it is fresh", () => rig.stale === undefined);
    expect([rig.syncs.length, rig.heard.allIssues]).toEqual([2, []]);
  });

  test("because of a revoked permission keeps the reported objects", async () => {
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.synced();
    const before = changes().length;
    rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? { type: "status", code: 403 } : undefined);
    rig.fake.endWatches("properly");
    await rig.until("it is stale", () => rig.stale !== undefined);
    rig.fake.fault = () => undefined;
    await rig.until("it is fresh", () => rig.stale === undefined);
    expect(changes().slice(before)).toEqual([]);
  });
});

describe("kinds that come and go", () => {
  const definition = { apiVersion: "v1", kind: "X", metadata: { name: "serviceentries.networking.istio.io" } };

  test("are read as soon as their CRD exists, and disappear with it", async () => {
    rig.fake.define(kubeServiceEntries, false);
    await rig.synced();
    rig.fake.define(kubeServiceEntries, true);
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    rig.fake.put(definitions, definition);
    await rig.tells("shop/reviews=one.shop");
    rig.fake.define(kubeServiceEntries, false);
    await rig.tells();
    expect(rig.syncs).toHaveLength(2);
  });

  test("move to another version without events", async () => {
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.synced();
    const before = changes().length;
    const older = kubeServiceEntries.replace("/v1/", "/v1beta1/");
    rig.fake.define(older, true);
    rig.fake.put(older, { ...entry("reviews", "one.shop"), apiVersion: "networking.istio.io/v1beta1" });
    rig.fake.define(kubeServiceEntries, false);
    await rig.until("the other version is watched", () => rig.fake.asked(older).length === 1);
    rig.fake.put(older, { ...entry("ratings", "one.shop"), apiVersion: "networking.istio.io/v1beta1" });
    await rig.tells("shop/ratings=one.shop", "shop/reviews=one.shop");
    expect(changes().slice(before)).toMatchObject([{ type: "upserted", config: { name: "ratings" } }]);
  });

  test("that are unknown to us are ignored", async () => {
    await rig.synced();
    const before = rig.fake.requests.length;
    rig.fake.put(definitions, { ...definition, metadata: { name: "certificates.cert-manager.io" } });
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.tells("shop/reviews=one.shop");
    expect(rig.fake.requests).toHaveLength(before);
  });
});

test("an old Ingress is not read if the new one is served", async () => {
  const ingresses = "/apis/networking.k8s.io/v1/ingresses";
  const old = "/apis/networking.k8s.io/v1beta1/ingresses";
  const options = { kinds: kinds.filter(({ kind }) => kind === "Ingress") };
  await using other = await KubeRig.create([ingresses, old], options);
  await other.synced();
  expect(other.fake.asked(ingresses)).toHaveLength(1);
  expect(other.fake.asked(old)).toEqual([]);
});
