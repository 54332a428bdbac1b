import { expect, test } from "vitest";
import { hex64 } from "../../src/lib/hash.ts";
import { mcpCollections } from "../../src/mcp/collections.ts";
import { envelopeWriter } from "../../src/mcp/envelope/encode-resource.ts";
import type { PushFacts } from "../../src/mcp/mcp-observer.ts";
import { Sink } from "../../src/mcp/sink/sink.ts";
import { ResourceSourceServer } from "../../src/mcp/source/resource-source-server.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { McpMesh } from "../../src/testing/mcp/mcp-mesh.ts";
import { travelling } from "../../src/testing/mcp/mcp-object.ts";
import { RecordingSink, RecordingSource } from "../../src/testing/mcp/mcp-observers.ts";
import { McpStore } from "../../src/testing/mcp/mcp-store.ts";
import { McpWire } from "../../src/testing/mcp/mcp-wire.ts";
import { Random } from "../../src/testing/random/random.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { digestOf } from "../../src/xds/resources/digest.ts";

const collections = mcpCollections.slice(0, 50).map(({ name }) => name);
const clients = 20;
const snapshots = runs(12);

interface Load {
  readonly name: string;
  /** Of the source. */
  readonly differences: boolean;
  /** How many clients of a hundred ask for them. */
  readonly asking: number;
  /** How many of a hundred read seldom. */
  readonly slow: number;
}

const loads: readonly Load[] = [
  { name: "full state", differences: false, asking: 0, slow: 0 },
  { name: "deltas without a request", differences: true, asking: 0, slow: 0 },
  { name: "deltas for half of the clients", differences: true, asking: 50, slow: 0 },
  { name: "deltas for all clients", differences: true, asking: 100, slow: 0 },
  { name: "full state for slow clients", differences: false, asking: 0, slow: 50 },
  { name: "deltas for slow clients", differences: true, asking: 100, slow: 50 },
];

/** The version a collection has if it holds exactly this: what every push claims. */
function versionOf(held: ReadonlyMap<string, string>): string {
  const digests = Array.from(held, ([name, version]) =>
    digestOf({ name, version, entry: new Uint8Array(), owners: [] }),
  );
  return hex64(
    BigInt.asUintN(
      64,
      digests.reduce((sum, digest) => sum + digest, 0n),
    ),
  );
}

class Client {
  readonly store = new McpStore();
  readonly wire = new McpWire();
  readonly sink: Sink;
  readonly slow: boolean;
  readonly mismatches: string[] = [];
  checks = 0;

  constructor(source: ResourceSourceServer, incremental: boolean, slow: boolean, random: Random) {
    this.slow = slow;
    this.store.judge = () => {
      if (random.once(100)) throw new Error("one in a hundred");
    };
    const observer = new RecordingSink();
    observer.acked = (push) => this.#check(push);
    this.sink = new Sink({
      sourceName: "mcp://stress",
      node: { id: "client", annotations: {} },
      collections: collections.map((name) => ({ collection: travelling(name), incremental })),
      updater: this.store,
      clock: new FakeClock(),
      observer,
    });
    source.serve(this.wire.source);
    this.sink.attach(this.wire.sink);
  }

  /** After every message that was taken. */
  #check({ collection, version }: PushFacts): void {
    this.checks++;
    if (versionOf(this.sink.versions(collection)) !== version) this.mismatches.push(`${collection} ${version}`);
  }
}

test.each(loads)("20 clients of 50 collections hold the announced state after every push: $name", (load) => {
  const random = new Random(seed);
  const mesh = new McpMesh(collections);
  const settings = { incremental: () => load.differences, requestBurst: clients * collections.length };
  const observer = new RecordingSource();
  const source = new ResourceSourceServer({ cache: mesh.cache, clock: new FakeClock(), observer, settings });
  const all = Array.from({ length: clients }, (_, index) => {
    const part = (index * 100) / clients;
    return new Client(source, part < load.asking, part < load.slow, random);
  });
  const encodings = envelopeWriter.encodings;
  let made = 0;
  const change = (collection: string) => {
    const key = `shop/o${random.below(10)}`;
    if (random.once(4)) return mesh.delete(collection, key);
    mesh.set(collection, key, String(random.below(1000)));
    made++;
  };
  for (let snapshot = 0; snapshot < snapshots; snapshot++) {
    for (let count = 0; count < 10; count++) change(random.pick(collections));
    mesh.publish();
    for (const { slow, wire } of all) if (!slow || random.once(10)) wire.settle();
  }
  expect(envelopeWriter.encodings - encodings).toBeLessThanOrEqual(made);

  // One more change of everything brings those along that rejected something.
  for (const client of all) client.store.judge = () => undefined;
  for (const collection of collections) mesh.set(collection, "shop/last", "last");
  mesh.publish();
  for (const { wire } of all) wire.settle();
  const truth = collections.map((name) => [name, mesh.objects.get(name)?.size]);
  for (const { store, mismatches, checks } of all) {
    expect(mismatches).toEqual([]);
    expect(checks).toBeGreaterThanOrEqual(collections.length);
    expect(collections.map((name) => [name, store.collections.get(name)?.size])).toEqual(truth);
  }
  expect(observer.failures).toEqual([]);
  expect(observer.nacks.length).toBeGreaterThan(0);
});
