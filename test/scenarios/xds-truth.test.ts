import { fromBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { emptyMesh, ToyControlPlane, toyEnvoy } from "../../src/testing/envoy/toy-control-plane.ts";
import { readToy, type ToyMesh } from "../../src/testing/envoy/toy-mesh.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import {
  clusterType,
  endpointType,
  extensionType,
  listenerType,
  routeType,
  secretType,
  virtualHostType,
} from "../../src/xds/type-urls.ts";

/** Random meshes in which every route names clusters that exist, and every cluster has endpoints. */
const anyMesh: fc.Arbitrary<ToyMesh> = fc
  .record({
    clusters: fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e"), fc.nat(2)), {
      selector: ([name]) => name,
    }),
    endpoints: fc.nat(2),
    routes: fc.uniqueArray(fc.tuple(fc.constantFrom("r", "s", "t"), fc.array(fc.nat(4), { maxLength: 3 })), {
      selector: ([name]) => name,
    }),
  })
  .map(({ clusters, endpoints, routes }) => {
    const names = clusters.map(([name]) => name);
    const pick = (index: number) => names[index % names.length];
    const named = (indexes: readonly number[]) => indexes.map(pick).filter((name) => name !== undefined);
    return {
      clusters: new Map(clusters),
      endpoints: new Map(names.map((name) => [name, endpoints])),
      routes: new Map(routes.map(([name, indexes]) => [name, named(indexes)] as const)),
    };
  });

type Event =
  | { readonly type: "edit"; readonly mesh: ToyMesh }
  | { readonly type: "read"; readonly count: number }
  | { readonly type: "push" }
  | { readonly type: "reconnect" }
  | { readonly type: "stall" }
  | { readonly type: "time-out" };

const clusterKeys = ["a", "b", "c"].flatMap((name) => [`CDS ${name}`, `EDS ${name}`]);
const routeKeys = ["LDS r", "LDS s", "RDS r", "RDS s", "RDS t"];

/** The same with a few resources that every client rejects. */
const poisoned = (keys: readonly string[]): fc.Arbitrary<ToyMesh> => {
  const how = fc.constantFrom("unreadable" as const, "inapplicable" as const);
  const entry = fc.tuple(fc.constantFrom(...keys), how);
  const entries = fc.uniqueArray(entry, { selector: ([key]) => key, maxLength: 3 });
  return fc.tuple(anyMesh, entries).map(([mesh, poison]) => ({ ...mesh, poison: new Map(poison) }));
};

/**
 * After a timeout of an acknowledgement, additions may overtake: a route may arrive while its cluster still warms.
 * Removals may not overtake, with or without timeouts.
 */
const events = (meshes: fc.Arbitrary<ToyMesh>, { timeouts }: { timeouts: boolean }): fc.Arbitrary<Event[]> =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: fc.constant("edit" as const), mesh: meshes }) },
      {
        weight: 6,
        arbitrary: fc.record({ type: fc.constant("read" as const), count: fc.integer({ min: 1, max: 4 }) }),
      },
      { weight: 3, arbitrary: fc.constant({ type: "push" as const }) },
      { weight: 1, arbitrary: fc.constant({ type: "reconnect" as const }) },
      { weight: 1, arbitrary: fc.constant({ type: "stall" as const }) },
      { weight: timeouts ? 1 : 0, arbitrary: fc.constant({ type: "time-out" as const }) },
    ),
    { maxLength: 40 },
  );

const inTime = events(anyMesh, { timeouts: false });
const withTimeouts = events(anyMesh, { timeouts: true });

interface History {
  readonly mesh: ToyMesh;
  readonly script: readonly Event[];
  /** True if clients reject nothing that routes refer to. */
  readonly clustersAreGood: boolean;
}

const history = (keys: readonly string[], clustersAreGood: boolean): fc.Arbitrary<History> =>
  fc.record({
    mesh: poisoned(keys),
    script: events(poisoned(keys), { timeouts: true }),
    clustersAreGood: fc.constant(clustersAreGood),
  });
const meshOf = (
  clusters: readonly string[],
  routes: readonly (readonly [string, readonly string[]])[],
  poison: readonly string[] = [],
): ToyMesh => ({
  clusters: new Map(clusters.map((name) => [name, 0])),
  endpoints: new Map(clusters.map((name) => [name, 0])),
  routes: new Map(routes.map(([name, named]) => [name, [...named]])),
  poison: new Map(poison.map((key) => [key, "unreadable"])),
});
/** An unreadable cluster waits for its removal, because a route is rejected. Its NACK comes after the next answer. */
const lateNack: History = {
  mesh: meshOf([], []),
  script: [
    { type: "edit", mesh: meshOf(["b"], [["r", []]], ["CDS b"]) },
    { type: "push" },
    { type: "edit", mesh: meshOf(["a"], [["t", []]], ["RDS t"]) },
    { type: "read", count: 1 },
    { type: "time-out" },
  ],
  clustersAreGood: false,
};
/** A client returns while a cluster warms, and reads nothing for a while. Its route still needs a removed cluster. */
const silentReturn: History = {
  mesh: meshOf(["a"], [["r", ["a"]]]),
  script: [
    { type: "read", count: 4 },
    { type: "edit", mesh: meshOf(["d"], []) },
    { type: "push" },
    { type: "read", count: 1 },
    { type: "reconnect" },
    { type: "time-out" },
  ],
  clustersAreGood: true,
};
/** A client returns while a removed cluster warms, and asks for nothing else until it is warm. Its route uses another. */
const removedWhileWarming: History = {
  mesh: meshOf(["a", "b"], [["r", ["a"]]]),
  script: [
    { type: "read", count: 4 },
    { type: "edit", mesh: { ...meshOf(["b"], []), clusters: new Map([["b", 1]]) } },
    { type: "push" },
    { type: "edit", mesh: meshOf([], []) },
    { type: "push" },
    { type: "read", count: 1 },
    { type: "reconnect" },
  ],
  clustersAreGood: true,
};

const anyPoisonedHistory = fc.oneof(history([...clusterKeys, ...routeKeys], false), history(routeKeys, true));

const text = (entries: Iterable<readonly [string, unknown]>) =>
  Array.from(entries, ([name, content]) => `${name}=${JSON.stringify(content)}`).toSorted();

/** The resources that a client of this mesh must hold, computed without any code under test. */
function truthOf(mesh: ToyMesh) {
  const clusters = [...mesh.clusters.keys()];
  return {
    [clusterType]: text(Array.from(mesh.clusters, ([name, revision]) => [name, { revision }] as const)),
    [endpointType]: text(clusters.map((name) => [name, { revision: mesh.endpoints.get(name) }] as const)),
    [listenerType]: text(Array.from(mesh.routes.keys(), (route) => [route, { routes: [route] }] as const)),
    [routeType]: text(Array.from(mesh.routes, ([name, named]) => [name, { clusters: named }] as const)),
    [virtualHostType]: text([]),
    [secretType]: text([]),
    [extensionType]: text([]),
  };
}

/**
 * The resources that a client of a poisoned mesh must hold at least. A rejected cluster has no endpoints, a rejected
 * listener no routes. An unreadable SotW response of clusters or listeners leaves all of them as they were.
 */
function acceptableOf(mesh: ToyMesh, mode: "sotw" | "delta") {
  const poison = mesh.poison ?? new Map();
  const isUnreadable = (type: string) =>
    mode === "sotw" && [...poison].some(([key, how]) => key.startsWith(type) && how === "unreadable");
  const truth = truthOf(mesh);
  const keep = (texts: readonly string[], needs: string, type: string) =>
    texts.filter((each) => {
      const name = each.slice(0, each.indexOf("="));
      return !isUnreadable(needs) && !poison.has(`${needs} ${name}`) && !poison.has(`${type} ${name}`);
    });
  return {
    [clusterType]: expect.arrayContaining(keep(truth[clusterType], "CDS", "CDS")),
    [endpointType]: expect.arrayContaining(keep(truth[endpointType], "CDS", "EDS")),
    [listenerType]: expect.arrayContaining(keep(truth[listenerType], "LDS", "LDS")),
    [routeType]: expect.arrayContaining(keep(truth[routeType], "LDS", "RDS")),
  };
}

/** Names that the server counts as rejected. */
function rejectedIn({ server }: ToyControlPlane): readonly string[] {
  return [...server.connections].flatMap(({ subscriptions }) =>
    subscriptions.flatMap(({ error, rejected }) => [...rejected.keys(), ...(error === undefined ? [] : [error])]),
  );
}

function heldBy(envoy: EnvoyModel) {
  return Object.fromEntries(
    Array.from(envoy.held, ([typeUrl, held]) => {
      const texts = Array.from(held, ([name, { content }]) => `${name}=${content.text}`);
      return [typeUrl, texts.toSorted()];
    }),
  );
}

async function play(plane: ToyControlPlane, envoy: EnvoyModel, script: readonly Event[]): Promise<void> {
  plane.connect(envoy);
  for (const event of script) {
    if (event.type === "edit") plane.edit(event.mesh);
    if (event.type === "read") for (let count = 0; count < event.count; count++) envoy.step();
    if (event.type === "push") await plane.pushed();
    if (event.type === "stall") envoy.stream?.stall();
    if (event.type === "time-out") plane.clock.advance(15_000);
    if (event.type === "reconnect") {
      envoy.disconnect();
      plane.connect(envoy);
    }
  }
  envoy.stream?.resume();
}

/** The responses to a client, and whether each one contained something new. */
class ResponseLog {
  readonly #mode: "sotw" | "delta";
  readonly #last = new Map<string, string>();
  #taken = 0;

  constructor(mode: "sotw" | "delta") {
    this.#mode = mode;
  }

  /** For each response since the last call: true if it contained something new. */
  take(received: readonly Uint8Array[]): readonly boolean[] {
    const fresh = received.slice(this.#taken);
    this.#taken = received.length;
    return fresh.map((bytes) => (this.#mode === "sotw" ? this.#sotw(bytes) : this.#delta(bytes)));
  }

  /** Forgets resources that the client dropped: after a new subscription they are new again. */
  forgetAllBut(held: ReadonlyMap<string, ReadonlyMap<string, unknown>>): void {
    const kept = new Set(
      [...held].flatMap(([typeUrl, names]) => [...names.keys()].map((name) => `${typeUrl} ${name}`)),
    );
    for (const key of this.#last.keys()) if (!kept.has(key)) this.#last.delete(key);
  }

  #sotw(bytes: Uint8Array): boolean {
    const { typeUrl, resources } = fromBinary(DiscoveryResponseSchema, bytes);
    const texts = resources.map(({ value }) => [readToy(typeUrl, value).name, String(value)] as const);
    const isWhole = typeUrl === clusterType || typeUrl === listenerType;
    const listed = new Set(texts.map(([name]) => `${typeUrl} ${name}`));
    const gone = [...this.#last.keys()].filter((key) => isWhole && key.startsWith(typeUrl) && !listed.has(key));
    return [...gone.map((key) => this.#last.delete(key)), ...this.#take(typeUrl, texts)].some(Boolean);
  }

  #delta(bytes: Uint8Array): boolean {
    const { typeUrl, resources, removedResources } = fromBinary(DeltaDiscoveryResponseSchema, bytes);
    const texts = resources.map(({ name, resource }) => [name, String(resource?.value)] as const);
    const gone = removedResources.map((name) => this.#last.delete(`${typeUrl} ${name}`));
    return [...gone, ...this.#take(typeUrl, texts)].some(Boolean);
  }

  #take(typeUrl: string, texts: readonly (readonly [name: string, text: string])[]): readonly boolean[] {
    return texts.map(([name, value]) => {
      const isNew = this.#last.get(`${typeUrl} ${name}`) !== value;
      this.#last.set(`${typeUrl} ${name}`, value);
      return isNew;
    });
  }
}

describe.each(["sotw", "delta"] as const)("a %s client that applies every message", (mode) => {
  test("holds exactly the server's state after any losses, and no promise was broken on the way", async () => {
    await fc.assert(
      fc.asyncProperty(anyMesh, fc.oneof(inTime, withTimeouts), async (mesh, script) => {
        const plane = new ToyControlPlane(mesh);
        const envoy = toyEnvoy(mode);
        await play(plane, envoy, script);
        // A client that returns while it warms learns only after a while that its cluster is gone.
        await plane.settleForGood(envoy);
        expect(heldBy(envoy)).toEqual(truthOf(plane.mesh));
        expect(envoy.broken).toEqual([]);
        const hasTimeout = script.some(({ type }) => type === "time-out");
        expect(hasTimeout ? [] : envoy.overtaken).toEqual([]);
        expect(envoy.warming).toBe(0);
        expect(plane.observer.failures).toEqual([]);
      }),
      { seed, numRuns: runs(300) },
    );
  });

  test("holds the current state of all accepted resources at once, and of all resources after a fix", async () => {
    await fc.assert(
      fc.asyncProperty(anyPoisonedHistory, async ({ mesh, script, clustersAreGood }) => {
        const plane = new ToyControlPlane(mesh);
        const envoy = toyEnvoy(mode);
        await play(plane, envoy, script);
        await plane.settleForGood(envoy);
        expect(heldBy(envoy)).toMatchObject(acceptableOf(plane.mesh, mode));
        // A rejected route still refers to its clusters: they and their endpoints stay.
        expect(clustersAreGood ? envoy.broken : []).toEqual([]);
        plane.edit({ poison: new Map() });
        await plane.settleForGood(envoy);
        expect(heldBy(envoy)).toEqual(truthOf(plane.mesh));
        expect(envoy.warming).toBe(0);
        expect(rejectedIn(plane)).toEqual([]);
        expect(plane.observer.failures).toEqual([]);
      }),
      { seed, numRuns: runs(300), examples: [[lateNack], [silentReturn], [removedWhileWarming]] },
    );
  });

  test("loses no change that is pushed between a response and the next request", async () => {
    await fc.assert(
      fc.asyncProperty(anyMesh, anyMesh, fc.nat(12), async (mesh, next, steps) => {
        const plane = new ToyControlPlane(mesh);
        const envoy = toyEnvoy(mode);
        plane.connect(envoy);
        // A response has arrived but is unread: the client has not sent the request that follows from it.
        for (let step = 0; step < steps; step++) envoy.step();
        plane.edit(next);
        await plane.pushed();
        await plane.settle(envoy);
        expect(heldBy(envoy)).toEqual(truthOf(next));
        expect(envoy.broken).toEqual([]);
      }),
      { seed, numRuns: runs(100) },
    );
  });

  test("gets no known resource again through 500 edits, except as warming requires", async () => {
    const plane = new ToyControlPlane(emptyMesh);
    const envoy = toyEnvoy(mode);
    plane.connect(envoy);
    await plane.settle(envoy);
    const log = new ResponseLog(mode);
    log.take(envoy.stream?.received ?? []);
    const before = plane.observer.sent.length;
    const news: boolean[] = [];
    for (const mesh of fc.sample(anyMesh, { seed, numRuns: 500 })) {
      plane.edit(mesh);
      await plane.settle(envoy);
      expect(heldBy(envoy)).toEqual(truthOf(mesh));
      news.push(...log.take(envoy.stream?.received ?? []));
      log.forgetAllBut(envoy.held);
    }
    const repeats = plane.observer.sent.slice(before).map((response) => response.repeats.join());
    expect(repeats).toHaveLength(news.length);
    expect(new Set(repeats.filter((_, index) => news[index] === false))).toEqual(new Set(["clusters_sent"]));
  });

  test("gets nothing without a change", async () => {
    await fc.assert(
      fc.asyncProperty(anyMesh, async (mesh) => {
        const plane = new ToyControlPlane(mesh);
        const envoy = toyEnvoy(mode);
        plane.connect(envoy);
        await plane.settle(envoy);
        const before = plane.observer.sent.length;
        plane.edit({ clusters: new Map(mesh.clusters), routes: new Map(mesh.routes) });
        await plane.settle(envoy);
        expect(plane.observer.sent.length).toBe(before);
      }),
      { seed, numRuns: runs(50) },
    );
  });
});

test("an empty mesh gets a response", async () => {
  const plane = new ToyControlPlane(emptyMesh);
  const envoy = toyEnvoy("sotw");
  plane.connect(envoy);
  await plane.settle(envoy);
  expect(plane.observer.sent.map((response) => response.type)).toEqual(["CDS", "LDS"]);
});
