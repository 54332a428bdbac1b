import fc from "fast-check";
import { expect, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { runs, seed } from "../../../testing/random/seed.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import type { RegistryService } from "./registry-service.ts";
import { RegistryState } from "./registry-state.ts";

/** The content of a part: services by name, with the last numbers of their instances' addresses. */
type Listing = Readonly<Record<string, readonly number[]>>;

const anyListing: fc.Arbitrary<Listing> = fc.dictionary(
  fc.constantFrom("cart", "pay"),
  fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
);
const anyStep = fc.oneof(
  fc.record({ type: fc.constant("update"), part: fc.constantFrom("a", "b", "c"), listing: anyListing }),
  fc.record({ type: fc.constant("replaceAll"), parts: fc.dictionary(fc.constantFrom("a", "b", "c"), anyListing) }),
  fc.record({ type: fc.constant("wait"), ms: fc.constantFrom(1, 600, 1000) }),
);
const ttlMs = 1000;

/** The expected state of a service. `goneAt` is set while no part lists it. */
interface Expected {
  addresses: readonly number[];
  goneAt: number | undefined;
}

test("after any history the reported state follows from the listings, without repeated events", () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 25 }), (steps) => {
      const clock = new FakeClock();
      const heard = new SourceRecorder();
      const retention = { deleteMode: "empty", emptyProtection: false, zombieTtlMs: ttlMs } as const;
      const state = new RegistryState({ ...retention, source: "test", clock, emit: heard.handler });
      const listed = new Map<string, Listing>();
      const expected = new Map<string, Expected>();
      for (const step of steps) {
        if (step.type === "wait") clock.advance(step.ms);
        if (step.type === "replaceAll") {
          listed.clear();
          for (const [part, listing] of Object.entries(step.parts)) listed.set(part, listing);
          state.replaceAll(new Map(Object.entries(step.parts).map(([part, listing]) => [part, partOf(listing)])));
        }
        if (step.type === "update") {
          listed.set(step.part, step.listing);
          state.update(new Map([[step.part, partOf(step.listing)]]));
        }
        follow(expected, listed, clock.now());
        expect(saidBy(heard)).toEqual(
          Object.fromEntries(Array.from(expected, ([key, { addresses }]) => [key, addresses])),
        );
      }
      for (const events of heard.calls) expect(events).not.toEqual([]);
      expect(repeated(heard)).toEqual([]);
    }),
    { seed, numRuns: runs(200) },
  );
});

/** The simplest model: the first part that lists a service owns it. An unlisted service is empty first, then deleted. */
function follow(expected: Map<string, Expected>, listed: ReadonlyMap<string, Listing>, now: number): void {
  for (const name of ["cart", "pay"]) {
    const part = [...listed.keys()].toSorted().find((candidate) => Object.hasOwn(listed.get(candidate) ?? {}, name));
    const before = expected.get(name);
    if (part === undefined) {
      if (before === undefined) continue;
      before.goneAt ??= now;
      before.addresses = [];
      if (now - before.goneAt >= ttlMs) expected.delete(name);
      continue;
    }
    const addresses = (listed.get(part)?.[name] ?? []).toSorted((a, b) => a - b);
    // Of a service that never had an instance nobody knows the ports.
    if (addresses.length > 0 || before !== undefined) expected.set(name, { addresses, goneAt: undefined });
  }
}

function partOf(listing: Listing) {
  return { services: Object.entries(listing).map(([name, addresses]) => serviceOf(name, addresses)) };
}

function serviceOf(name: string, addresses: readonly number[]): RegistryService {
  const ports = [{ number: 80, protocol: "HTTP" }];
  const instances = addresses.map((last) => ({ id: `${last}`, address: `10.0.0.${last}`, ports, labels: {} }));
  return { name, namespace: "shop", hostname: `${name}.shop`, reference: name, instances };
}

function saidBy({ state }: SourceRecorder) {
  // The state says ServiceEntries only.
  return Object.fromEntries(
    Array.from(state.values(), ({ name, spec }) => [
      name,
      (spec as ServiceEntry).endpoints.map(({ address }) => Number(address.slice("10.0.0.".length))),
    ]),
  );
}

/** Objects that were said once more as they were. */
function repeated({ events }: SourceRecorder): readonly string[] {
  const versions = new Map<string, string>();
  return events.flatMap((event) => {
    if (event.type === "deleted") versions.delete(event.key.slice("shop/".length));
    if (event.type !== "upserted") return [];
    const { name, version } = event.config;
    const isSame = versions.get(name) === version;
    versions.set(name, version);
    return isSame ? [name] : [];
  });
}
