import { FleetNotes } from "../../app/history/fleet-notes.ts";
import type { FleetSample } from "../../app/history/fleet-sampler.ts";
import type { PendingRecord } from "../../app/history/pending-records.ts";
import { SegmentedLog } from "../../app/history/segmented-log.ts";
import type { View } from "../../collection/collection.ts";
import { type Config, configKey } from "../../config/config.ts";
import { virtualService } from "../../config/kinds/virtual-service.ts";
import { configIn } from "../config/configs-in.ts";
import { FakeClock } from "../fake-clock.ts";
import { Random } from "../random/random.ts";
import { ChurnedFleet } from "./churned-fleet.ts";
import { MemorySegments } from "./memory-segments.ts";
import { defaultSettings } from "./written-segment.ts";

export interface DayOptions {
  readonly seconds: number;
  readonly objects: number;
  readonly changes: number;
  readonly proxies: number;
}

/** The log of a day, or of a part of it. */
export interface ChurnedDay {
  readonly store: MemorySegments;
  /** Of them, bytes about proxies. */
  readonly proxyBytes: number;
  /** Milliseconds since 1970. */
  readonly begin: number;
  readonly end: number;
}

const begin = 1_700_000_000_000;
/** One of so many proxies answers a change late. */
const lateOneOf = 10;
/** Of all proxies, those that are replaced within a day. */
const replacedPerDay = 3;

/** Writes the log of a server whose objects and proxies change, with the parts that a server writes it with. */
export async function churnedDay({ seconds, objects, changes, proxies }: DayOptions): Promise<ChurnedDay> {
  const random = new Random(1);
  const clock = new FakeClock();
  const now = () => begin + clock.now();
  const store = new MemorySegments();
  const routes = new Map(Array.from({ length: objects }, (_, index) => entryOf(routeOf(index, 0))));
  const log = new SegmentedLog({
    store,
    settings: defaultSettings,
    limits: { maxBytes: Number.MAX_SAFE_INTEGER, maxAgeMs: Number.MAX_SAFE_INTEGER },
    turn: () => Promise.resolve(),
    timeOfDay: now,
    random: () => random.below(0xffffffff).toString(16).padStart(8, "0"),
  });
  // A log reads only the values of a view.
  const view = { values: () => routes.values() } as unknown as View<Config>;
  const mesh = (sequence: number) => ({ views: [[virtualService.collection, view] as const], sequence });
  await log.open();
  await store.append(...textOf(await log.begin(mesh(0), "start")));
  const samples: FleetSample[] = [];
  const recorder = {
    sampled: (sample: FleetSample) => samples.push(sample),
    get proxyBytes() {
      return log.proxyBytes;
    },
  };
  const notes = new FleetNotes({ clock, timeOfDay: now, recorder });
  const fleet = new ChurnedFleet(proxies, random);
  notes.attach(fleet.connected);
  let replaced = 0;
  const write = async (records: readonly PendingRecord[], sequence: number) => {
    const taken = samples.splice(0).map((sample) => ({ type: "proxies", sample }) as const);
    const text = await log.moments([...records, ...taken]);
    if (text !== undefined) await store.append(...textOf(text));
    if (log.needsSegment) await store.append(...textOf(await log.begin(mesh(sequence), undefined)));
  };
  const sample = () => {
    clock.advance(1_000);
    notes.sample();
  };
  const pauseMs = (seconds * 1_000) / changes;
  for (let sequence = 1; sequence <= changes; sequence += 1) {
    const [key, after] = entryOf(routeOf(random.below(objects), sequence));
    const before = routes.get(key);
    routes.set(key, after);
    const change = { collection: virtualService.collection, key, before, after };
    notes.positions.committed(sequence);
    notes.positions.requested([sequence]);
    notes.positions.pushStarted({ number: sequence, commits: [sequence] });
    fleet.fallBehind(sequence, lateOneOf);
    replaced += (proxies * replacedPerDay * seconds) / 86_400 / changes;
    fleet.replace(Math.floor(replaced));
    replaced %= 1;
    const records: PendingRecord[] = [{ type: "objects", at: now(), sequence, changes: [change] }];
    sample();
    await write(records, sequence);
    fleet.catchUp();
    sample();
    await write([], sequence);
    // Nothing changes until the next edit.
    clock.advance(Math.max(0, pauseMs - 2_000));
  }
  return { store, proxyBytes: log.proxyBytes, begin, end: now() };
}

function textOf({ name, text }: { readonly name: string; readonly text: string }): readonly [string, string] {
  return [name, text];
}

function entryOf(config: Config): readonly [string, Config] {
  return [configKey(config), config];
}

/** A route with weights, headers and retries, as operators write them. */
function routeOf(index: number, edit: number): Config {
  const host = `service-${index}.shop.svc.cluster.local`;
  return configIn(`apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: service-${index}
  namespace: shop
  labels: { team: payments, app: service-${index} }
spec:
  hosts: [${host}]
  http:
    - match: [{ uri: { prefix: /api }, headers: { x-user: { exact: tester } } }]
      route: [{ destination: { host: ${host}, subset: v2 } }]
    - timeout: ${1 + (edit % 60)}s
      retries: { attempts: 3, perTryTimeout: 2s, retryOn: "5xx,connect-failure" }
      route:
        - { destination: { host: ${host}, subset: v1 }, weight: ${edit % 101} }
        - { destination: { host: ${host}, subset: v2 }, weight: ${100 - (edit % 101)} } # edit ${edit}
`);
}
