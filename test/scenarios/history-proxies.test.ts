import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { proxyIn } from "../../src/app/history/logged-proxy.ts";
import { type GeneratedMoment, heldMesh, heldMoments } from "../../src/app/history/proxy-resources-at.ts";
import { sourceAt } from "../../src/app/history/source-at.ts";
import type { OfflineMesh } from "../../src/app/offline/read-mesh.ts";
import type { FleetAt, ProxyAt } from "../../src/history/fleet-at.ts";
import type { History, MeshAt } from "../../src/history/history.ts";
import { assert } from "../../src/lib/assert.ts";
import type { Resource } from "../../src/pilot/model/resource.ts";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../src/testing/envoy/envoy-resources.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../src/xds/type-urls.ts";
import { EditedMesh } from "./fresh-server/edited-mesh.ts";
import { type NodeFacts, usualNodes } from "./fresh-server/nodes.ts";
import { RecordedHistory } from "./history/recorded-history.ts";

const types = [clusterType, endpointType, listenerType, routeType];
/** Types that an Envoy asks for by name: it has only some of the resources. */
const byName = new Set([endpointType, routeType]);

/** The resources of a client, by type and name, with the hash of their content. */
type Held = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The resources that the clients of a test had at a time. */
interface Instant {
  readonly at: number;
  readonly held: ReadonlyMap<string, Held>;
}

function heldBy({ held }: EnvoyModel): Held {
  return new Map(
    types.map((type) => [
      type,
      new Map(Array.from(held.get(type) ?? [], ([name, { version }]) => [name, version ?? ""])),
    ]),
  );
}

function instantOf(at: number, models: ReadonlyMap<string, EnvoyModel>): Instant {
  return { at, held: new Map(Array.from(models, ([id, model]) => [id, heldBy(model)])) };
}

/** A server that has nothing but the objects of the log, and the same key sets. */
async function generate(mesh: MeshAt): Promise<GeneratedMoment> {
  const { source, missing, redacted } = sourceAt(mesh);
  const scenario = new ScenarioMesh({ sources: [source] });
  await scenario.start();
  const { catalogue } = scenario.discovery;
  const resourcesFor: OfflineMesh["resourcesFor"] = (proxy) =>
    catalogue.types.map((type) => {
      const target = catalogue.lease(type, proxy, "all").target ?? [];
      return { ...type, resources: target.flatMap((set) => [...set] as Resource[]) };
    });
  return { mesh, missing, redacted, offline: { resourcesFor } as OfflineMesh };
}

/** Generates each moment once. */
function generateOnce() {
  const known = new Map<number, Promise<GeneratedMoment>>();
  return async (mesh: MeshAt) => {
    const { number } = mesh.moment;
    const generated = known.get(number) ?? generate(mesh);
    known.set(number, generated);
    return await generated;
  };
}

/** The same from the log alone. */
async function heldIn(history: History, fleet: FleetAt, logged: ProxyAt, once: typeof generate): Promise<Held> {
  const momentAt = (number: number) => history.at({ type: "moment", number });
  const mesh = await momentAt(fleet.moment);
  const proxy = proxyIn(logged);
  assert(mesh !== undefined && proxy !== undefined, "the log has the moment and the proxy");
  const resources = heldMesh(await heldMoments(mesh, logged.lags, momentAt, once)).resourcesFor(proxy);
  return new Map(
    types.map((type) => {
      const found = resources.find(({ typeUrl }) => typeUrl === type)?.resources ?? [];
      return [type, new Map(found.map(({ name, version }) => [name, version]))];
    }),
  );
}

function expectSame(log: Held, held: Held): void {
  for (const type of types) {
    const [inLog, inClient] = [log.get(type) ?? new Map<string, string>(), held.get(type) ?? new Map<string, string>()];
    const compared = byName.has(type) ? new Map([...inLog].filter(([name]) => inClient.has(name))) : inLog;
    expect([type, Object.fromEntries(compared)]).toEqual([type, Object.fromEntries(inClient)]);
  }
}

const envoys = usualNodes.filter(({ metadata }) => metadata["GENERATOR"] !== "grpc");
const idOf = ({ id }: NodeFacts) => id;

function connected({ mesh }: EditedMesh): ReadonlyMap<string, EnvoyModel> {
  return new Map(
    envoys.map(({ id, metadata }) => {
      const model = new EnvoyModel("delta", readEnvoyResource, { nodeId: id, metadata: { ...metadata } });
      model.connect(mesh.discovery);
      return [id, model];
    }),
  );
}

describe("the proxies in the history", () => {
  test("have at any past instant exactly the resources that they had accepted, also if they were behind", async () => {
    let [compared, behind] = [0, 0];
    const frozen = fc.array(fc.subarray(envoys.map(idOf)), { minLength: 13, maxLength: 13 });
    const property = fc.asyncProperty(interactingEdits, frozen, async (batches, silent) => {
      const edited = await EditedMesh.start([]);
      const recorded = new RecordedHistory(edited.mesh);
      await recorded.recorder.start();
      const models = connected(edited);
      await edited.mesh.settle([...models.values()]);
      const instants: Instant[] = [];
      for (const [index, batch] of batches.entries()) {
        await edited.edit(batch);
        const answering = [...models].filter(([id]) => silent[index]?.includes(id) !== true);
        await edited.mesh.settle(answering.map(([, model]) => model));
        recorded.notes.sample();
        instants.push(instantOf(recorded.now, models));
        edited.mesh.clock.advance(1);
      }
      // Every gateway gets this service, and none of them answers.
      edited.mesh.apply(entry("always.example.com"));
      await edited.mesh.pushed();
      recorded.notes.sample();
      instants.push(instantOf(recorded.now, models));
      await recorded.recorder.idle();
      expect(recorded.failures).toEqual([]);
      const history = await recorded.history();
      const once = generateOnce();
      for (const { at, held } of instants) {
        const fleet = await history.fleetAt({ type: "time", at });
        assert(fleet !== undefined, "the log has the proxies");
        expect([...fleet.proxies.keys()].toSorted()).toEqual(envoys.map(idOf).toSorted());
        for (const [id, logged] of fleet.proxies) {
          if (Object.keys(logged.lags).length > 0) behind += 1;
          expectSame(await heldIn(history, fleet, logged, once), held.get(id) ?? new Map());
          compared += 1;
        }
      }
    });
    await fc.assert(property, { seed, numRuns: runs(3) });
    expect(compared).toBeGreaterThanOrEqual(2 * runs(3) * envoys.length);
    expect(behind).toBeGreaterThanOrEqual(runs(3));
  });
});

const entry = (host: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: a, namespace: shop}
spec: {hosts: [${host}], resolution: NONE, ports: [{number: 80, name: http, protocol: HTTP}]}
`;
const web = {
  nodeId: "sidecar~10.0.0.1~web-0.shop~shop.svc.cluster.local",
  metadata: { NAMESPACE: "shop", LABELS: { app: "web" }, accessToken: "not-for-the-log" },
};

async function oneProxy(options: ConstructorParameters<typeof RecordedHistory>[1] = {}) {
  const mesh = await ScenarioMesh.serving(entry("a.example.com"));
  const recorded = new RecordedHistory(mesh, options);
  await recorded.recorder.start();
  await recorded.recorder.idle();
  const model = mesh.connect("delta", web);
  await mesh.settle([model]);
  recorded.notes.sample();
  const fleetNow = async () => {
    await recorded.recorder.idle();
    return await (await recorded.history()).fleetAt({ type: "time", at: recorded.now });
  };
  return { mesh, recorded, model, fleetNow };
}

describe("the log says of a proxy", () => {
  test("when it came and went, without its tokens", async () => {
    const { mesh, recorded, model, fleetNow } = await oneProxy();
    const fleet = await fleetNow();
    expect([...(fleet?.proxies.keys() ?? [])]).toEqual([web.nodeId]);
    expect(fleet?.proxies.get(web.nodeId)?.facts["labels"]).toEqual({ app: "web" });
    model.disconnect();
    mesh.clock.advance(10);
    recorded.notes.sample();
    expect((await fleetNow())?.proxies.size).toBe(0);
    expect([...recorded.store.texts.values()].join("")).not.toContain("not-for-the-log");
  });

  test("that it is behind until it answers", async () => {
    const { mesh, recorded, model, fleetNow } = await oneProxy();
    mesh.clock.advance(1_000);
    mesh.apply(entry("b.example.com"));
    await mesh.pushed();
    recorded.notes.sample();
    const waiting = await fleetNow();
    expect(waiting?.moment).toBe(2);
    expect(waiting?.proxies.get(web.nodeId)?.lags["CDS"]).toEqual([1, "waiting"]);
    await mesh.settle([model]);
    mesh.clock.advance(1_000);
    recorded.notes.sample();
    expect((await fleetNow())?.proxies.get(web.nodeId)?.lags).toEqual({});
  });

  test("that it rejected a change, and holds the moment before", async () => {
    const { mesh, recorded, model, fleetNow } = await oneProxy();
    model.reject = (typeUrl) => typeUrl === clusterType;
    mesh.clock.advance(1_000);
    mesh.apply(entry("b.example.com"));
    await mesh.settle([model]);
    recorded.notes.sample();
    expect((await fleetNow())?.proxies.get(web.nodeId)?.lags["CDS"]).toEqual([1, "rejected"]);
  });

  test("that a change in the debounce window is not pushed, although endpoints overtook it", async () => {
    const { mesh, recorded, fleetNow } = await oneProxy();
    mesh.clock.advance(1_000);
    mesh.apply(entry("b.example.com"));
    recorded.notes.sample();
    expect((await fleetNow())?.moment).toBe(1);
    await mesh.pushed();
    mesh.clock.advance(1_000);
    recorded.notes.sample();
    expect((await fleetNow())?.moment).toBe(2);
  });

  test("the same in each segment, of which every change begins one", async () => {
    const { mesh, recorded, fleetNow } = await oneProxy({ minSegmentBytes: 1 });
    for (let edit = 0; edit < 6; edit++) {
      mesh.clock.advance(1_000);
      mesh.apply(entry(`b${edit}.example.com`));
      await mesh.pushed();
      if (edit === 0) recorded.notes.sample();
      await recorded.recorder.idle();
    }
    expect(recorded.store.texts.size).toBeGreaterThan(2);
    // The next record has only the differences to those of the segments before.
    recorded.notes.sample();
    expect((await fleetNow())?.proxies.get(web.nodeId)?.lags["CDS"]).toEqual([1, "waiting"]);
  });

  test("the newest state after a time in which the store took nothing", async () => {
    const { mesh, recorded, model, fleetNow } = await oneProxy();
    recorded.store.onAppend = () => {
      throw new Error("no space left");
    };
    mesh.apply(entry("b.example.com"));
    await mesh.pushed();
    mesh.clock.advance(2_000);
    recorded.notes.sample();
    await mesh.settle([model]);
    recorded.store.onAppend = () => undefined;
    mesh.clock.advance(60_000);
    recorded.notes.sample();
    const fleet = await fleetNow();
    expect([fleet?.moment, fleet?.proxies.get(web.nodeId)?.lags]).toEqual([2, {}]);
  });

  test("everything again after changes were lost", async () => {
    const { mesh, recorded, model, fleetNow } = await oneProxy({ maxPending: 10 });
    recorded.store.onAppend = () => {
      throw new Error("no space left");
    };
    for (let edit = 0; edit < 50; edit++) mesh.apply(entry(`lost${edit}.example.com`));
    mesh.clock.advance(2_000);
    await mesh.settle([model]);
    recorded.store.onAppend = () => undefined;
    mesh.clock.advance(60_000);
    await recorded.recorder.idle();
    recorded.notes.sample();
    const fleet = await fleetNow();
    expect(Array.from(fleet?.proxies.values() ?? [], ({ nodeId, lags }) => [nodeId, lags])).toEqual([[web.nodeId, {}]]);
    expect(recorded.failures).toEqual([]);
  });
});
