import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sourceAt } from "../../src/app/history/source-at.ts";
import { contentVersion } from "../../src/config/content-version.ts";
import { kindByCollection } from "../../src/config/kinds.ts";
import type { History, MeshAt } from "../../src/history/history.ts";
import { configOf, isSealed } from "../../src/history/logged-object.ts";
import { assert } from "../../src/lib/assert.ts";
import { HeldLeases, type LeasedContents } from "../../src/testing/mesh/held-leases.ts";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { ScenarioMesh } from "../../src/testing/mesh/scenario-mesh.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { EditedMesh } from "./fresh-server/edited-mesh.ts";
import { clientOf, type NodeFacts } from "./fresh-server/nodes.ts";
import { objectsOf, objectText, RecordedHistory } from "./history/recorded-history.ts";

/** The state of a mesh that the test itself kept. */
interface Instant {
  readonly at: number;
  readonly objects: readonly string[];
  readonly contents: LeasedContents;
}

/** Pauses before the edits, in milliseconds. */
const pauses = fc.array(fc.constantFrom(0, 1, 40, 1_000, 3_600_000), { minLength: 13, maxLength: 13 });

describe("the history of a mesh", () => {
  test("has at any past instant the objects that were in force, and gives the resources that clients held", async () => {
    let compared = 0;
    const property = fc.asyncProperty(
      interactingEdits,
      pauses,
      fc.infiniteStream(fc.nat()),
      async (batches, gaps, choice) => {
        const mesh = await EditedMesh.start();
        const recorded = new RecordedHistory(mesh.mesh);
        await recorded.recorder.start();
        const instants: Instant[] = [];
        for (const [index, batch] of batches.entries()) {
          mesh.mesh.clock.advance(gaps[index] ?? 0);
          const at = recorded.now;
          const contents = await mesh.edit(batch);
          instants.push({ at, objects: objectsOf(mesh.mesh), contents });
        }
        await recorded.recorder.idle();
        expect(recorded.failures).toEqual([]);
        const history = await recorded.history();
        for (const { at, objects } of instants) expect(textsAt(await meshAt(history, at))).toEqual(objects);
        const { at, contents } = instants[choice.next().value % instants.length] ?? raise();
        expect(withoutSecrets(await contentsAt(await meshAt(history, at), mesh.nodes))).toEqual(
          withoutSecrets(contents),
        );
        compared += 1;
      },
    );
    await fc.assert(property, { seed, numRuns: runs(6) });
    expect(compared).toBe(runs(6));
  });
});

const serviceEntry = (name: string, host: string) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec: {hosts: [${host}], resolution: NONE, ports: [{number: 80, name: http, protocol: HTTP}]}
`;
const crowd = Array.from({ length: 50 }, (_, index) => serviceEntry(`s${index}`, `s${index}.example.com`)).join(
  "---\n",
);
const latest = { type: "moment", number: Number.MAX_SAFE_INTEGER } as const;

/** A server with 50 objects, and the history of its edits. */
async function started(options: ConstructorParameters<typeof RecordedHistory>[1] = {}) {
  const mesh = await ScenarioMesh.serving(crowd);
  const recorded = new RecordedHistory(mesh, options);
  await recorded.recorder.start();
  await recorded.recorder.idle();
  return { mesh, recorded };
}

/** One edit per second. */
async function edit({ mesh, recorded }: Awaited<ReturnType<typeof started>>, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    mesh.clock.advance(1_000);
    mesh.apply(serviceEntry(`s${index % 50}`, `e${index}.example.com`));
    // The writes of a busy server are further apart than its edits.
    if (index % 7 === 0) await recorded.recorder.idle();
  }
  await recorded.recorder.idle();
}

describe("the log of a server", () => {
  test("is read in few steps at any moment of many, and its segments cost little more than the changes", async () => {
    const server = await started({ minSegmentBytes: 40_000 });
    await edit(server, 600);
    const { store } = server.recorded;
    const history = await server.recorded.history();
    const segments = store.texts.size;
    expect(segments).toBeGreaterThan(5);
    const visits: number[] = [];
    for (let number = 1; number <= 601; number += 7) {
      const mesh = await history.at({ type: "moment", number });
      visits.push(mesh?.visited ?? Number.POSITIVE_INFINITY);
      expect(mesh?.entries.size).toBe(50);
    }
    // The objects, and the changes of one segment.
    expect(Math.max(...visits)).toBeLessThan(50 + (2 * 600) / (segments - 1));
    expect(store.bytes / 600).toBeLessThan(3_000);
  });

  test("of a restarted server goes on, with one moment for everything that changed meanwhile", async () => {
    const first = await started();
    await edit(first, 3);
    await first.recorded.recorder.stop();
    const second = await ScenarioMesh.serving(`${crowd}---\n${serviceEntry("new", "new.example.com")}`);
    second.clock.advance(60_000);
    const recorded = new RecordedHistory(second, { store: first.recorded.store });
    await recorded.recorder.start();
    await recorded.recorder.idle();
    const history = await recorded.history();
    const [moment] = await Array.fromAsync(history.moments());
    expect(moment).toMatchObject({ number: 5, cause: "start" });
    expect(moment?.changes.map(({ key, before, object }) => [key, before !== undefined, object !== undefined])).toEqual(
      [
        ["shop/new", false, true],
        ["shop/s0", true, true],
        ["shop/s1", true, true],
        ["shop/s2", true, true],
      ],
    );
    const mesh = await history.at(latest);
    const since = (key: string) => [...(mesh?.entries.values() ?? [])].find((entry) => entry.key === key)?.since.number;
    expect([since("shop/s9"), since("shop/s1"), since("shop/new")]).toEqual([1, 5, 5]);
  });

  test("has every change of a time in which the store took nothing, and says once why", async () => {
    const server = await started();
    const { store, recorder, logger } = server.recorded;
    store.onAppend = () => {
      throw new Error("no space left");
    };
    for (let index = 0; index < 5; index++) {
      server.mesh.apply(serviceEntry("s0", `e${index}.example.com`));
      server.mesh.clock.advance(1_000);
      await server.mesh.pushed();
    }
    expect(logger.lines.filter(({ message }) => message === "history is not written")).toHaveLength(1);
    store.onAppend = () => undefined;
    server.mesh.clock.advance(60_000);
    await recorder.idle();
    const moments = await Array.fromAsync((await server.recorded.history()).moments());
    expect(moments.map(({ number, cause }) => [number, cause])).toEqual([
      ...[6, 5, 4, 3, 2].map((number) => [number, "change"]),
      [1, "start"],
    ]);
    expect(server.recorded.failures).toEqual([]);
  });

  test("goes on with its numbers if the store could not be read at the start", async () => {
    const first = await started();
    await edit(first, 3);
    await first.recorded.recorder.stop();
    const { store } = first.recorded;
    store.onList = () => {
      throw new Error("no etcd");
    };
    const mesh = await ScenarioMesh.serving(crowd);
    mesh.clock.advance(60_000);
    const recorded = new RecordedHistory(mesh, { store });
    await recorded.recorder.start();
    mesh.apply(serviceEntry("s0", "meanwhile.example.com"));
    mesh.clock.advance(5_000);
    await mesh.pushed();
    expect(recorded.logger.lines.filter(({ message }) => message === "history is not written")).toHaveLength(1);
    store.onList = () => undefined;
    mesh.clock.advance(60_000);
    await recorded.recorder.idle();
    const history = await recorded.history();
    const moments = await Array.fromAsync(history.moments());
    expect(moments.map(({ number, cause }) => [number, cause]).slice(0, 2)).toEqual([
      [5, "start"],
      [4, "change"],
    ]);
    const last = await history.at(latest);
    expect(last && textsAt(last)).toEqual(objectsOf(mesh));
    expect(recorded.failures).toEqual([]);
  });

  test("begins again with a gap when more changes wait than it keeps", async () => {
    const server = await started({ maxPending: 60 });
    const { store, recorder } = server.recorded;
    store.onAppend = () => {
      throw new Error("no space left");
    };
    server.mesh.apply(serviceEntry("s0", "lost.example.com"));
    server.mesh.clock.advance(1_000);
    await server.mesh.pushed();
    for (let index = 0; index < 100; index++) server.mesh.apply(serviceEntry("s1", `lost${index}.example.com`));
    store.onAppend = () => undefined;
    server.mesh.clock.advance(60_000);
    await recorder.idle();
    const [gap] = await Array.fromAsync((await server.recorded.history()).moments());
    expect(gap).toMatchObject({ cause: "gap", changes: [{ key: "shop/s1" }] });
    const mesh = await (await server.recorded.history()).at(latest);
    expect(mesh && textsAt(mesh)).toEqual(objectsOf(server.mesh));
  });

  test("keeps to its limit of bytes, and what is left can be read", async () => {
    const limits = { maxBytes: 200_000, maxAgeMs: Number.MAX_SAFE_INTEGER };
    const server = await started({ limits, minSegmentBytes: 40_000 });
    await edit(server, 600);
    // A segment fills before the next one begins.
    expect(server.recorded.store.bytes).toBeLessThan(limits.maxBytes + 120_000);
    const history = await server.recorded.history();
    expect(await history.at({ type: "moment", number: 1 })).toBeUndefined();
    const mesh = await history.at(latest);
    expect(mesh && textsAt(mesh)).toEqual(objectsOf(server.mesh));
  });

  test("does not note an object that only moved within its file", async () => {
    const server = await started();
    const text = serviceEntry("s0", "s0.example.com");
    server.mesh.apply(`${serviceEntry("s1", "s1.example.com")}\n\n---\n${text}`);
    await server.recorded.recorder.idle();
    const [moment] = await Array.fromAsync((await server.recorded.history()).moments());
    expect(moment?.number).toBe(1);
  });
});

async function meshAt(history: History, at: number): Promise<MeshAt> {
  const mesh = await history.at({ type: "time", at });
  assert(mesh !== undefined, "the history began before");
  return mesh;
}

/** The objects as the log has them. The version of each follows from its content again. */
function textsAt(mesh: MeshAt): readonly string[] {
  return Array.from(mesh.entries.values(), (entry) => {
    const object = mesh.objectOf(entry);
    const config = object && configOf(object, entry);
    const row = kindByCollection(entry.collection);
    assert(object !== undefined && config !== undefined, "every object can be read");
    // The version covers content that the log does not have.
    if (row === undefined || isSealed(object) || config.version.startsWith("substitute-"))
      return objectText(entry.collection, entry.key, config);
    const version = contentVersion(config as Parameters<typeof contentVersion>[0], row.schema);
    return objectText(entry.collection, entry.key, { ...config, version });
  }).toSorted();
}

/** A server that has nothing but the objects of the log. */
async function contentsAt(at: MeshAt, nodes: readonly NodeFacts[]): Promise<LeasedContents> {
  const mesh = new ScenarioMesh({ sources: [sourceAt(at).source] });
  await mesh.start();
  return new HeldLeases(mesh.discovery.catalogue, nodes.map(clientOf)).contents();
}

/** Keys and registry credentials are not in the log, so resources with them are not the same. */
function withoutSecrets(contents: LeasedContents): LeasedContents {
  return contents.map((lines) => lines.filter((line) => !/^(?:SDS|ECDS) /u.test(line)).toSorted());
}

function raise(): never {
  throw new Error("there is an instant");
}
