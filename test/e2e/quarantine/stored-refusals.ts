import { expect, test } from "vitest";
import { encodeRefusals, decodeRefusals } from "../../../src/app/quarantine/refusal-document.ts";
import { etcdRefusalStore, kubeRefusalStore } from "../../../src/app/quarantine/quarantine-store.ts";
import { keepRefusals } from "../../../src/app/quarantine/shared-refusals.ts";
import { systemClock } from "../../../src/app/process/system-clock.ts";
import { etcdPlace } from "../../../src/app/sources/etcd.ts";
import { parseSourceUrl } from "../../../src/app/sources/source-url.ts";
import { type ConfigId, configId } from "../../../src/config/config.ts";
import { KubeClient } from "../../../src/kube/kube-client.ts";
import type { DocumentStore } from "../../../src/lib/document-store.ts";
import type { SupervisedClock } from "../../../src/lib/supervisor.ts";
import type { AdoptedRefusal } from "../../../src/pilot/xds/quarantine/refusals.ts";
import type { Refusal } from "../../../src/pilot/xds/quarantine/refusals.ts";
import { eventually } from "../../../src/testing/eventually.ts";
import { quickClock } from "../../../src/testing/quick-clock.ts";
import { RecordingLogger } from "../../../src/testing/recording/recording-logger.ts";
import { route, service, theGateway } from "../../scenarios/quarantine/poisoned-mesh.ts";
import { grantOurRights } from "../support/kube/cluster-role.ts";
import type { Kube } from "../support/kube/kube.ts";
import { statusDefinition } from "../support/kube/status-definition.ts";
import type { Etcd } from "../support/registry/etcd.ts";
import { shared } from "../support/shared.ts";
import { Replica } from "./replica.ts";

/** The stores, and a clock for parts of a server. */
interface StoreServers {
  readonly kube: Kube;
  readonly etcd: Etcd;
  readonly clock: SupervisedClock;
}

const patience = { seconds: 30 };
const namespace = "istio-system";
const mergePatch = "application/merge-patch+json";
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
/** The name that the manifests allow. */
const configMap = "binnacle-quarantine";
const etcdKey = "/shop-quarantine/refusals";
const base = [theGateway, service("backend"), route(0, "good")];
const one = configId("VirtualService", "shop", "vs-1");
const two = configId("VirtualService", "shop", "vs-2");
const refusedOne = `${one}: earlier version`;
const altered = "stored refusals ignored: the document was altered";

/** Creates an object in the cluster, or changes it. */
async function apply(kube: Kube, text: string): Promise<void> {
  const { kind, metadata, ...rest } = JSON.parse(text) as { kind: string; metadata: { name: string }; spec: object };
  const plural = { Gateway: "gateways", ServiceEntry: "serviceentries" }[kind] ?? "virtualservices";
  const path = `/apis/networking.istio.io/v1/namespaces/shop/${plural}`;
  const { status } = await kube.call("POST", path, { kind, metadata, ...rest });
  if (status === 409) await kube.call("PATCH", `${path}/${metadata.name}`, rest, mergePatch);
}

/** A cluster with our kinds, and the rights of the manifests for the user `mesh`. */
async function prepare(kube: Kube): Promise<void> {
  const kinds = { Gateway: "gateways", ServiceEntry: "serviceentries", VirtualService: "virtualservices" };
  await kube.define(Object.entries(kinds).map(([kind, plural]) => statusDefinition({ kind, plural }, "typed")));
  await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  await grantOurRights(kube, namespace);
  for (const object of [...base, route(1, "first")]) await apply(kube, object);
}

/** The text in the ConfigMap. */
async function storedText(kube: Kube): Promise<string> {
  const { body } = await kube.call("GET", `${configMaps}/${configMap}`);
  return (body["data"] as Readonly<Record<string, string>> | undefined)?.["refusals.json"] ?? "";
}

async function conditionsOf(kube: Kube): Promise<readonly Readonly<Record<string, string>>[]> {
  const { body } = await kube.call("GET", "/apis/networking.istio.io/v1/namespaces/shop/virtualservices/vs-1");
  const { conditions = [] } = (body["status"] ?? {}) as { conditions?: readonly Readonly<Record<string, string>>[] };
  return conditions;
}

/** The tests of refused objects in stores on real servers. */
export function testStoredRefusals(world: () => StoreServers): void {
  const cluster = shared(async () => {
    const { kube } = world();
    await prepare(kube);
    const settings = {
      sources: ["kube:"],
      kubeconfig: kube.kubeconfig("mesh"),
      leaseNamespace: namespace,
      analysisStatus: true,
      quarantineStore: `configmap:${configMap}`,
    };
    return { kube, settings };
  });

  test("an object that one replica finds is kept away by the leader without a probe, which writes its status", async () => {
    const { kube, settings } = cluster();
    await using leader = await Replica.start({ settings });
    await leader.untilLogged("leader elected");
    await using finder = await Replica.start({ settings });
    await finder.untilServed(finder.connect(0), "first");
    await apply(kube, route(1, "poison"));
    await finder.untilRefused(refusedOne);
    await leader.untilRefused(refusedOne);
    await leader.untilServed(leader.connect(1), "first");
    expect([leader.searches, finder.searches.length]).toEqual([[], 1]);

    const [condition] = await eventually(
      "the condition",
      async () => {
        const conditions = await conditionsOf(kube);
        return conditions.length > 0 && conditions;
      },
      patience,
    );
    expect(condition).toMatchObject({ type: "Quarantined", status: "True", reason: "RefusedByProxies" });
    expect(condition?.["message"]).toMatch(/^router Istio 1\.30\.0 .* refuses it since .*: no to /u);
    const writes = await Promise.all([leader, finder].map((each) => each.metric("binnacle_status_writes_total")));
    expect([(writes[0] ?? 0) > 0, writes[1]]).toEqual([true, 0]);
    for (const { logger } of [leader, finder]) {
      expect(logger.lines.filter((line) => /forbidden/u.test(JSON.stringify(line)))).toEqual([]);
    }
  });

  test("a server starts while the API server hangs, and takes refused objects when it answers", async () => {
    const { kube, settings } = cluster();
    kube.pauseServer();
    const own = { ...settings, sources: [], analysisStatus: false };
    const starting = Replica.start({ settings: own, objects: [...base, route(1, "poison")], clock: quickClock });
    await using replica = await starting.finally(() => kube.resumeServer());
    expect(replica.logger.lines).toContainEqual(
      expect.objectContaining({
        message: "store of refused objects not usable",
        fields: expect.objectContaining({ reason: "no answer within 5 s" }),
      }),
    );
    await replica.untilRefused(refusedOne);
    expect(replica.has("store of refused objects usable again")).toBe(true);
  });

  test("replicas that restart keep an object away, also from fresh proxies, until it is mended", async () => {
    const { kube, settings } = cluster();
    await using first = await Replica.start({ settings });
    await using second = await Replica.start({ settings });
    const replicas = [first, second];
    for (const [index, replica] of replicas.entries()) {
      expect(replica.refused).toEqual([refusedOne]);
      await replica.untilServed(replica.connect(2 + index), "first");
      expect(replica.searches).toEqual([]);
    }
    const text = (await storedText(kube)).replace('"first"', '"wrong"');
    await kube.call("PATCH", `${configMaps}/${configMap}`, { data: { "refusals.json": text } }, mergePatch);
    for (const replica of replicas) {
      await replica.untilLogged(altered);
      expect(replica.refused).toEqual([refusedOne]);
    }
    await using late = await Replica.start({ settings });
    expect([late.has(altered), late.refused]).toEqual([true, []]);
    await kube.call("DELETE", `${configMaps}/${configMap}`);
    await eventually("a ConfigMap created again", async () => (await storedText(kube)).includes("vs-1"), patience);

    await apply(kube, route(1, "mended"));
    await Promise.all(replicas.map((replica) => replica.untilRefused()));
    await eventually(
      "an empty document, and no condition",
      async () =>
        decodeRefusals(await storedText(kube))?.refusals.length === 0 && (await conditionsOf(kube)).length === 0,
      patience,
    );
  });

  test("an object that is found while etcd is away reaches the other replica when etcd is back, and stays", async () => {
    const { etcd } = world();
    const options = {
      settings: { sources: [etcd.url("shop")], quarantineStore: "etcd" },
      objects: [...base, route(1, "first"), route(2, "first")],
    };
    {
      await using finder = await Replica.start(options);
      await using other = await Replica.start(options);
      await finder.untilServed(finder.connect(0), "first");
      await etcd.kill();
      finder.put(route(1, "poison"));
      other.put(route(1, "poison"));
      await finder.untilRefused(refusedOne);
      await finder.untilLogged("store of refused objects not usable");
      expect(other.refused).toEqual([]);
      await etcd.restart();
      await other.untilRefused(refusedOne);
      await other.untilServed(other.connect(1), "first");
      expect(other.searches).toEqual([]);
      await etcd.client.delete().key(etcdKey);
      await eventually("a key written again", async () => (await etcd.client.get(etcdKey)) !== null, patience);
    }
    const poisoned = { ...options, objects: [...base, route(1, "poison")] };
    await using restarted = await Replica.start(poisoned);
    expect(restarted.refused).toEqual([refusedOne]);
    await etcd.client.put(etcdKey).value("nothing of ours");
    await restarted.untilLogged(altered);
    await using late = await Replica.start(poisoned);
    expect([restarted.refused, late.refused, late.has(altered)]).toEqual([[refusedOne], [], true]);
  });

  test.each(["etcd", "ConfigMap"] as const)(
    "replicas that write to %s at once keep the refusals of both",
    async (place) => {
      const { kube, etcd, clock } = world();
      const open = (): DocumentStore<string> => {
        if (place === "etcd") return etcdRefusalStore(etcdPlace(parseSourceUrl(etcd.url("both"))), clock);
        const client = new KubeClient({ kubeconfig: kube.kubeconfig("admin"), context: undefined }, systemClock);
        return kubeRefusalStore({ client, namespace }, "both", clock);
      };
      const writers = [one, two].map((id) => keeperOf(open(), clock, id));
      for (const { keeper } of writers) await keeper.start();
      await Promise.all(writers.map(({ keeper }) => keeper.save()));
      for (const { known } of writers) {
        await eventually("the refusals of both", () => known().join() === [one, two].join(), patience);
      }
      const reader = open();
      const stored = decodeRefusals((await reader.read())?.content ?? "")?.refusals.map(({ object }) => object);
      expect(stored?.toSorted()).toEqual([one, two]);
      // A stale write changes nothing.
      const { content } = await reader.replace("1", encodeRefusals([]));
      expect(decodeRefusals(content)?.refusals).toHaveLength(2);
      for (const { keeper } of writers) await keeper.stop();
      await reader.close?.();
    },
  );
}

const scope = { id: "routers", name: "routers", classId: "routers", node: undefined };

function refusalOf(id: ConfigId): Refusal {
  const facts = { reason: "", node: "", confirmedBy: undefined, rejected: [], probes: 1, since: 0 };
  return { id, version: "v1", instead: { type: "nothing", objects: new Map() }, ...facts };
}

/** A keeper of a quarantine that has this refusal, and takes all others. */
function keeperOf(store: DocumentStore<string>, clock: SupervisedClock, id: ConfigId) {
  const refusals = new Map([[id, refusalOf(id)]]);
  const quarantine = {
    scopes: [{ scope, refusals }],
    async adopt(adopted: readonly AdoptedRefusal[]) {
      for (const { id: other } of adopted) refusals.set(other, refusalOf(other));
    },
    forget: async (_classId: string, gone: ConfigId) => void refusals.delete(gone),
    onRefusalsChanged: () => undefined,
  };
  const logger = new RecordingLogger();
  const keeper = keepRefusals({ quarantine, store, clock, timeOfDay: Date.now, logger, onFailure: unexpected });
  return { keeper, known: () => [...refusals.keys()].toSorted() };
}

function unexpected(error: unknown): never {
  throw error;
}
