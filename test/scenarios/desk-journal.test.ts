import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedChange } from "../../src/desk/journal/recorded-change.ts";
import type { RecordedPush } from "../../src/desk/journal/recorded-push.ts";
import { JournalMesh } from "../../src/testing/desk/journal-mesh.ts";
import type { TappedStream } from "../../src/testing/desk/stream-tap.ts";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { routeType } from "../../src/xds/type-urls.ts";

/** Every edit writes its number into one object, so that the bytes of a response show which edits are in it. */
type ObjectName = "a" | "b" | "e";

const hosts = { a: "a.shop.svc.cluster.local", b: "b.shop.svc.cluster.local" };

function service(name: string, address: string): string {
  return `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${name}.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: ${address}}]
`;
}

function edited(name: ObjectName, edit: number): string {
  if (name === "e") return service("e", `10.77.${Math.floor(edit / 100)}.${(edit % 100) + 100}`);
  return `
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: shop}
spec:
  hosts: [${hosts[name]}]
  http: [{headers: {request: {set: {x-edit: "${markerOf(name, edit)}"}}}, route: [{destination: {host: ${hosts[name]}}}]}]
`;
}

function markerOf(name: ObjectName, edit: number): string {
  return name === "e" ? `10.77.${Math.floor(edit / 100)}.${(edit % 100) + 100}` : `edit-${name}-${1000 + edit}`;
}

const node = (index: number) => ({
  nodeId: `sidecar~10.0.0.${index + 1}~p${index}.shop~shop.svc.cluster.local`,
  metadata: { NAMESPACE: "shop" },
});

interface Edit {
  readonly name: ObjectName;
  readonly number: number;
  readonly at: number;
  readonly changeId: string;
  /** Streams that were open and settled on all types when the edit was made. */
  readonly streams: readonly TappedStream[];
}

/** One edit on one stream, by the bytes on the wire: the first response with this edit, or a later one, of its object. */
function carrierOf({ name, number }: Edit, { responses }: TappedStream, newest: number) {
  const markers = Array.from({ length: newest - number + 1 }, (_, more) => markerOf(name, number + more));
  return responses.find(({ bytes }) => markers.some((marker) => bytes.includes(marker)));
}

/** The counts of an edit, from the wire alone. */
function truthOf(edit: Edit, newest: number) {
  const truth = { sent: 0, acknowledged: 0, rejected: 0, disconnected: 0, ackTimes: [] as number[] };
  for (const stream of edit.streams) {
    const carrier = carrierOf(edit, stream, newest);
    truth.sent++;
    if (carrier?.answer?.type === "ack") {
      truth.acknowledged++;
      truth.ackTimes.push(carrier.answer.at);
    } else if (carrier?.answer?.type === "nack") truth.rejected++;
    else if (stream.closed) truth.disconnected++;
  }
  return truth;
}

function pushOf({ stage }: RecordedChange): RecordedPush | undefined {
  return stage.type === "pushed" ? stage.push : undefined;
}

const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("edit" as const), name: fc.constantFrom("a", "b", "e") }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("step" as const), proxy: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reconnect" as const), proxy: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("long wait" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reject" as const), proxy: fc.nat(3) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const world = [service("a", "10.0.9.1"), service("b", "10.0.9.2"), edited("e", 0), edited("a", 0), edited("b", 0)];

class Story {
  readonly mesh: JournalMesh;
  readonly proxies: EnvoyModel[] = [];
  readonly edits: Edit[] = [];
  readonly #newest = { a: 0, b: 0, e: 0 };

  constructor(mesh: JournalMesh) {
    this.mesh = mesh;
  }

  static async begin(): Promise<Story> {
    const story = new Story(await JournalMesh.serving(world.join("---\n")));
    for (let index = 0; index < 4; index++) {
      story.proxies.push(story.mesh.connect(index % 2 === 0 ? "sotw" : "delta", node(index)));
    }
    await story.mesh.settle(story.proxies);
    return story;
  }

  async run(next: Action): Promise<void> {
    const { mesh } = this;
    switch (next.type) {
      case "edit":
        return await this.#edit(next.name);
      case "step":
        this.proxies[next.proxy]?.step();
        return await flushed();
      case "wait":
        mesh.clock.advance(next.ms);
        return await mesh.discovery.idle();
      case "long wait":
        mesh.clock.advance(16_000);
        return await mesh.discovery.idle();
      case "reject": {
        const proxy = this.proxies[next.proxy];
        if (proxy !== undefined) proxy.reject = (typeUrl) => typeUrl === routeType && next.proxy % 2 === 0;
        return;
      }
      case "reconnect":
        return await this.#reconnect(next.proxy);
    }
  }

  /** The debounce has passed afterwards, so that every edit is a push of its own, or shares it with none. */
  async #edit(name: ObjectName): Promise<void> {
    const { mesh } = this;
    const number = ++this.#newest[name];
    const streams = mesh.tap.streams.filter(({ closed }) => !closed);
    mesh.source.apply(edited(name, number));
    const [change] = mesh.journal.changes;
    this.edits.push({ name, number, at: mesh.clock.now(), changeId: change?.id ?? "", streams });
    mesh.clock.advance(50);
    await mesh.discovery.idle();
  }

  /** The proxy settles on its new stream before the story goes on: what it asks for itself is no push. */
  async #reconnect(index: number): Promise<void> {
    const proxy = this.proxies[index];
    if (proxy === undefined) return;
    proxy.disconnect();
    proxy.reject = () => false;
    proxy.connect(this.mesh.tap);
    for (let round = 0; round < 50; round++) {
      await this.mesh.discovery.idle();
      if (!proxy.step()) return;
    }
  }

  /** The counts of the journal, and those of the wire, for every edit. */
  *counts(): Iterable<{ readonly counted: object; readonly truth: object; readonly latencies: Latencies }> {
    for (const edit of this.edits) {
      const change = this.mesh.journal.find(edit.changeId);
      const push = change && pushOf(change);
      const { ackTimes, ...truth } = truthOf(edit, this.#newest[edit.name]);
      const { owed: sent = 0, ended } = push ?? {};
      const name = `${edit.name}${edit.number}`;
      yield { counted: { name, sent, ...ended }, truth: { name, ...truth }, latencies: latenciesOf(push, ackTimes) };
    }
  }
}

interface Latencies {
  readonly counted: number;
  readonly exact: number;
  readonly lastIsExact: boolean;
  /** Quantiles of the journal that are too low, or more than 5 % too high. */
  readonly wrong: readonly string[];
}

function latenciesOf(push: RecordedPush | undefined, ackTimes: readonly number[]): Latencies {
  const exact = ackTimes.map((at) => at - (push?.facts.at ?? 0)).toSorted((x, y) => x - y);
  const wrong = [0.5, 0.99].flatMap((share) => {
    const rank = exact[Math.ceil(share * exact.length) - 1] ?? 0;
    const told = push?.latencies.quantile(share) ?? 0;
    return told >= rank && told <= rank * 1.05 + 1 ? [] : [`${share}: ${told} instead of ${rank}`];
  });
  const lastIsExact = push?.lastAckAt === ackTimes.toSorted((x, y) => x - y).at(-1);
  return { counted: push?.latencies.count ?? 0, exact: exact.length, lastIsExact, wrong };
}

async function flushed(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
}

test("the journal counts what the wire shows: edits, slow and rejecting proxies, lost and new streams", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const story = await Story.begin();
      const settle = () => story.mesh.settle(story.proxies);
      for (const act of [...actions.map((next) => () => story.run(next)), settle]) {
        await act();
        for (const { counted, truth, latencies } of story.counts()) {
          expect(counted).toEqual(truth);
          expect(latencies).toEqual({ ...latencies, counted: latencies.exact, lastIsExact: true, wrong: [] });
        }
      }
    }),
    { seed, numRuns: 15 },
  );
}, 60_000);

test("a push of one edit costs the journal two counts per proxy and one per response, and no encoding", async () => {
  const story = await Story.begin();
  const { journal } = story.mesh;
  const calls: string[] = [];
  for (const name of ["pushStarted", "responseSent", "pushesOwed", "pushesEnded"] as const) {
    const call = journal[name].bind(journal) as (...given: readonly unknown[]) => void;
    const counted = (...given: readonly unknown[]) => {
      calls.push(name);
      call(...given);
    };
    Object.defineProperty(journal, name, { value: counted });
  }
  await story.run({ type: "edit", name: "a" });
  const { encodings } = story.mesh;
  await story.mesh.settle(story.proxies);
  const count = (name: string) => calls.filter((each) => each === name).length;
  expect(["pushStarted", "responseSent", "pushesOwed", "pushesEnded"].map(count)).toEqual([1, 4, 4, 4]);
  expect(story.mesh.encodings).toBe(encodings);
});
