import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { FakeKube } from "../../../testing/server/fake-kube.ts";
import { definitions, entry, KubeRig, kubeServiceEntries, services } from "../../../testing/server/kube-rig.ts";
import { turns } from "../../../testing/until.ts";

const namespaces = "/api/v1/namespaces";
const group = "/apis/networking.istio.io/v1";
const inNamespace = (namespace: string) => kubeServiceEntries.replace("/v1/", `/v1/namespaces/${namespace}/`);
const onlyEntries = { kinds: kinds.filter(({ kind }) => kind === "ServiceEntry") };

/** An API server puts what is in a namespace at two places. */
function putBoth(fake: FakeKube, object: ReturnType<typeof entry>): void {
  fake.put(kubeServiceEntries, object);
  fake.put(inNamespace(object.metadata.namespace ?? ""), object);
}

test("only the named namespaces are read, one by one", async () => {
  const places = [kubeServiceEntries, inNamespace("shop"), inNamespace("bank"), inNamespace("other")];
  await using rig = await KubeRig.create(places, { ...onlyEntries, namespaces: ["shop", "bank"] });
  for (const namespace of ["shop", "bank", "other"]) putBoth(rig.fake, entry("reviews", "one.shop", namespace));
  await rig.synced();
  await rig.tells("bank/reviews=one.shop", "shop/reviews=one.shop");
  expect(rig.fake.asked(kubeServiceEntries)).toEqual([]);
  // One of them is read anew, and speaks for itself alone.
  rig.fake.forget();
  rig.fake.endWatches("broken");
  rig.fake.remove(inNamespace("shop"), "shop/reviews");
  rig.fake.forget();
  await rig.tells("bank/reviews=one.shop");
});

test("a kind reports one sync, when all its namespaces are read", async () => {
  const places = [kubeServiceEntries, inNamespace("shop"), inNamespace("bank")];
  await using rig = await KubeRig.create(places, { ...onlyEntries, namespaces: ["shop", "bank"] });
  let refused = true;
  rig.fake.fault = ({ path }) => (refused && path === inNamespace("bank") ? { type: "status", code: 403 } : undefined);
  await rig.start();
  await rig.until("it is stale", () => rig.stale !== undefined);
  expect(rig.stale).toBe("not allowed to list and watch (serviceentries.networking.istio.io in bank)");
  expect(rig.heard.allIssues[0]?.hint).toContain("bind a Role in bank");
  expect(rig.syncs).toEqual([]);
  refused = false;
  await rig.until("it is synced", () => rig.syncs.length === 1);
});

test("sync does not wait for cluster-scoped kinds if only some namespaces are readable", async () => {
  const nodes = { kinds: kinds.filter(({ kind }) => kind === "Node"), namespaces: ["shop"] };
  await using rig = await KubeRig.create(["/api/v1/nodes"], nodes);
  rig.fake.fault = ({ path }) => (path === "/api/v1/nodes" ? { type: "status", code: 403 } : undefined);
  await rig.synced();
  expect(rig.stale).toBeUndefined();
  expect(rig.heard.allIssues).toMatchObject([{ severity: "warning", code: "forbidden" }]);
});

test("sync does not wait for forbidden kinds that only analysis reads", async () => {
  const webhooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  const options = { kinds: kinds.filter(({ kind }) => kind === "MutatingWebhookConfiguration") };
  await using rig = await KubeRig.create([webhooks], options);
  let code = 500;
  rig.fake.fault = ({ path }) => (path === webhooks ? { type: "status", code } : undefined);
  await rig.start();
  await rig.until("it is stale", () => rig.stale !== undefined);
  code = 403;
  await rig.until("it is fresh", () => rig.stale === undefined);
  expect(rig.syncs).toHaveLength(1);
});

test("namespaces that start or stop matching the selector add or remove their objects", async () => {
  await using rig = await KubeRig.create([kubeServiceEntries, namespaces], {
    ...onlyEntries,
    namespaceSelector: "mesh=on",
  });
  const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  rig.fake.put(namespaces, shop);
  rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
  rig.fake.put(kubeServiceEntries, entry("accounts", "one.shop", "bank"));
  await rig.synced();
  await rig.tells("shop/reviews=one.shop");
  expect(rig.fake.asked(namespaces)[0]?.query.get("labelSelector")).toBe("mesh=on");
  rig.fake.put(namespaces, { ...shop, metadata: { name: "bank" } });
  await rig.tells("bank/accounts=one.shop", "shop/reviews=one.shop");
  rig.fake.remove(namespaces, "shop");
  await rig.tells("bank/accounts=one.shop");
  rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
  rig.fake.put(kubeServiceEntries, entry("accounts", "two.shop", "bank"));
  await rig.tells("bank/accounts=two.shop");
});

test("nothing is reported before the selected namespaces are known", async () => {
  await using rig = await KubeRig.create([kubeServiceEntries, namespaces], {
    ...onlyEntries,
    namespaceSelector: "mesh=on",
  });
  rig.fake.put(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
  rig.fake.fault = ({ path }) => (path === namespaces ? { type: "status", code: 500 } : undefined);
  await rig.start();
  await rig.until("it is stale", () => rig.stale?.includes("(namespaces)") === true);
  expect([rig.syncs, rig.fake.asked(kubeServiceEntries)]).toEqual([[], []]);
  rig.fake.fault = () => undefined;
  await rig.tells("shop/reviews=one.shop");
});

test("a server with Retry-After gets a pause of that length", async () => {
  const clock = new FakeClock();
  // Chance only adds to the time.
  await using rig = await KubeRig.create([services, kubeServiceEntries], { clock, random: () => 0 });
  let overloaded = true;
  rig.fake.fault = ({ path }) =>
    overloaded && path === kubeServiceEntries ? { type: "status", code: 429, retryAfter: 20 } : undefined;
  await rig.start();
  await rig.until("it is refused", () => rig.fake.asked(kubeServiceEntries).length === 1);
  await rig.source.idle();
  overloaded = false;
  clock.advance(19_999);
  // Something else that happens meanwhile shows that there was time.
  rig.fake.put(services, { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "shop" }, spec: {} });
  await rig.until("the others go on", () => rig.heard.names.includes("a"));
  expect(rig.fake.asked(kubeServiceEntries)).toHaveLength(1);
  clock.advance(1);
  await rig.until("it is asked again", () => rig.syncs.length === 2);
  expect(rig.fake.asked(kubeServiceEntries)).toHaveLength(2);
});

test("a new token is read when the old one is rejected", async () => {
  await using rig = await KubeRig.create();
  const kubeconfig = rig.fake.kubeconfig("old");
  rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
  rig.fake.fault = ({ authorization }) => (authorization === "Bearer new" ? undefined : { type: "status", code: 401 });
  await rig.start();
  await rig.until("it is stale", () => rig.stale !== undefined);
  writeFileSync(kubeconfig, readFileSync(kubeconfig, "utf8").replace('"old"', '"new"'));
  await expect(rig.tells("shop/reviews=one.shop")).resolves.toBeUndefined();
});

test("a stop does not wait, and leaves no watch behind", async () => {
  await using rig = await KubeRig.create();
  rig.fake.fault = ({ path }) => (path === services ? { type: "hang" } : undefined);
  await rig.start();
  await rig.until("all are watched", () => rig.fake.watches === 3);
  await rig.source.stop();
  await rig.until("nobody watches", () => rig.fake.watches === 0);
  await expect(rig.source.idle()).resolves.toBeUndefined();
});

test("an unusable kubeconfig is an error at the start", async () => {
  await using rig = await KubeRig.create([], { access: { kubeconfig: "/nowhere/config", context: undefined } });
  await expect(rig.start()).rejects.toMatchObject({ code: "source-unavailable" });
});

test("a kind is looked up as soon as its CRD exists, however long it was absent", async () => {
  const clock = new FakeClock();
  await using rig = await KubeRig.create([services], { ...onlyEntries, clock, random: () => 0 });
  await rig.synced();
  const asks = () => rig.fake.asked(group).length;
  // Each look finds nothing, and the next is later.
  for (const ms of [1_000, 1_000, 2_000]) {
    const before = asks();
    clock.advance(ms);
    await rig.until("it was looked for again", () => asks() > before);
    await turns(20);
  }
  clock.advance(1_100);
  rig.fake.define(kubeServiceEntries, true);
  rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
  rig.fake.put(definitions, { metadata: { name: "serviceentries.networking.istio.io" } } as never);
  await expect(rig.tells("shop/reviews=one.shop")).resolves.toBeUndefined();
});
