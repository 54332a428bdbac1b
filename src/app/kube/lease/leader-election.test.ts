import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { runs, seed } from "../../../testing/random/seed.ts";
import { LeaseWorld, type Passage, SkewedClock } from "../../../testing/server/lease-world.ts";
import { LeaderElection } from "./leader-election.ts";

/** The work of the leader, which records its starts and stops. */
class Work {
  readonly story: string[] = [];
  running = false;

  start(): void {
    this.story.push("start");
    this.running = true;
  }

  async stop(): Promise<void> {
    this.story.push("stop");
    this.running = false;
  }
}

interface Line {
  readonly passages?: readonly Passage[];
  readonly rate?: number;
}

function world() {
  const clock = new FakeClock();
  const leases = new LeaseWorld(clock);
  const candidate = (identity: string, { passages = [], rate = 1 }: Line = {}) => {
    const own = new SkewedClock(clock, rate);
    const led = new Work();
    const errors: unknown[] = [];
    const failures: unknown[] = [];
    const leaders: string[] = [];
    const election = new LeaderElection({
      store: leases.line(passages),
      identity,
      clock: own,
      now: () => new Date(clock.now()),
      led,
      onError: (error) => errors.push(error),
      onLedFailure: (error) => failures.push(error),
      onLeader: (leader) => leaders.push(leader),
    });
    election.start();
    return { election, led, errors, failures, leaders, clock: own };
  };
  /** Advances in steps, so that calls can resolve in between. */
  const pass = async (ms: number, check: () => void = () => undefined) => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await settled();
      check();
    }
  };
  return { clock, leases, candidate, pass };
}

describe("of several candidates", () => {
  test("the first leads, and renews its lease", async () => {
    const { leases, candidate, pass } = world();
    const first = candidate("a");
    await pass(100);
    const second = candidate("b");
    await pass(60_000);
    expect([first.led.story, second.led.story]).toEqual([["start"], []]);
    expect(leases.record).toMatchObject({ holder: "a", durationMs: 15_000, transitions: 0 });
    expect(leases.record?.acquiredAt).toBe("1970-01-01T00:00:00.100Z");
    expect(Date.parse(leases.record?.renewedAt ?? "")).toBeGreaterThan(57_000);
    expect(second.leaders).toEqual(["a"]);
  });

  test("another leads at once when the leader stops", async () => {
    const { leases, candidate, pass } = world();
    const first = candidate("a");
    await pass(100);
    const second = candidate("b");
    await first.election.stop();
    expect(first.led.story).toEqual(["start", "stop"]);
    expect(leases.record?.holder).toBe("");
    await pass(2_000);
    expect(second.led.running).toBe(true);
    expect(leases.record).toMatchObject({ holder: "b", transitions: 1 });
  });

  test("another leads after the lease of a killed leader expires", async () => {
    const { candidate, pass } = world();
    const first = candidate("a");
    await pass(100);
    const second = candidate("b");
    first.clock.kill();
    await pass(14_000);
    expect(second.led.running).toBe(false);
    await pass(4_000);
    expect(second.led.running).toBe(true);
  });

  test("a leader that cannot renew gives up before another may lead", async () => {
    const { clock, candidate, pass } = world();
    const lost = { thereMs: 0, backMs: 0, lost: "there" } as const;
    const fine = { thereMs: 0, backMs: 0 };
    const first = candidate("a", { passages: [fine, fine, ...Array.from({ length: 30 }, () => lost)] });
    await pass(100);
    const second = candidate("b");
    await pass(9_800);
    expect(first.led.running).toBe(true);
    await pass(200);
    expect([first.led.story, first.election.leading]).toEqual([["start", "stop"], false]);
    expect(second.led.running).toBe(false);
    expect(first.errors).toContainEqual(new Error("the call got lost"));
    await pass(10_000);
    expect(second.led.running).toBe(true);
    expect(clock.now()).toBeLessThan(20_200);
  });

  test("a leader with a slow clock and a candidate with a fast one never lead together when the leader is cut off", async () => {
    const { candidate, pass } = world();
    const fine = { thereMs: 0, backMs: 0 };
    const cutOff = Array.from({ length: 98 }, () => ({ ...fine, lost: "there" as const }));
    const slow = candidate("slow", { rate: 0.82, passages: [fine, fine, ...cutOff] });
    await pass(100);
    const fast = candidate("fast", { rate: 1.18 });
    await pass(30_000, () => expect(slow.election.leading && fast.election.leading).toBe(false));
    expect([slow.led.story, fast.led.story]).toEqual([["start", "stop"], ["start"]]);
  });

  test("two that start at the same moment do not both lead", async () => {
    const { candidate, pass } = world();
    const slow = { passages: [{ thereMs: 50, backMs: 50 }] };
    const both = [candidate("a", slow), candidate("b", slow)];
    await pass(1_000);
    expect(both.map(({ led }) => led.running)).toEqual([true, false]);
  });

  test("one whose write succeeded without a response leads after its next read", async () => {
    const { candidate, pass } = world();
    const fine = { thereMs: 0, backMs: 0 };
    const passages = [fine, { ...fine, lost: "back" as const }, ...Array.from({ length: 98 }, () => fine)];
    const { led } = candidate("a", { passages });
    await pass(1_900);
    expect(led.running).toBe(false);
    await pass(200);
    expect(led.running).toBe(true);
  });

  test("one that is stopped during an attempt releases its lease", async () => {
    const { leases, candidate, pass } = world();
    const { election, led } = candidate("a", { passages: [{ thereMs: 0, backMs: 300 }] });
    await pass(400);
    const stopped = election.stop();
    await pass(1_000);
    await stopped;
    expect([leases.record?.holder, led.story]).toEqual(["", []]);
  });

  test("one that cannot stop its work reports it, and releases the lease", async () => {
    const { leases, candidate, pass } = world();
    const { election, led, errors, failures } = candidate("a");
    led.stop = () => Promise.reject(new Error("stuck"));
    await pass(100);
    await election.stop();
    expect([errors, failures]).toEqual([[], [new Error("stuck")]]);
    expect(leases.record?.holder).toBe("");
  });

  const passage = fc.record(
    {
      thereMs: fc.nat(6_000),
      backMs: fc.nat(6_000),
      lost: fc.constantFrom("there", "back"),
    },
    { requiredKeys: ["thereMs", "backMs"] },
  ) as fc.Arbitrary<Passage>;
  const smooth = fc.record({ thereMs: fc.nat(200), backMs: fc.nat(200) });
  const outage = fc
    .record({ calls: fc.integer({ min: 3, max: 30 }), lost: fc.constantFrom("there" as const, "back" as const) })
    .map(({ calls, lost }) => Array.from({ length: calls }, () => ({ thereMs: 0, backMs: 0, lost })));
  const single = fc.oneof(passage, smooth).map((each) => [each]);
  const line = fc.record({
    rate: fc.constantFrom(0.82, 1, 1.18),
    passages: fc.array(fc.oneof(outage, single), { minLength: 2, maxLength: 12 }).map((all) => all.flat()),
    fate: fc.constantFrom("lives", "stops", "is killed"),
    until: fc.nat(120_000),
  });

  test("no two lead at once, whatever calls fail, unless a clock is off by a fifth", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 2, maxLength: 4 }), async (lines) => {
        const { clock, candidate, pass } = world();
        const all = lines.map((each, index) => ({ ...each, ...candidate(`candidate-${index}`, each) }));
        const fated = new Set(all.filter(({ fate }) => fate !== "lives"));
        const dead = new Set<object>();
        await pass(120_000, () => {
          for (const each of fated) {
            if (clock.now() < each.until) continue;
            fated.delete(each);
            if (each.fate === "stops") {
              void each.election.stop();
              continue;
            }
            each.clock.kill();
            dead.add(each);
          }
          const leaders = all.filter((each) => each.election.leading && !dead.has(each));
          expect(leaders.length).toBeLessThanOrEqual(1);
        });
      }),
      { seed, numRuns: runs(20) },
    );
  });

  test("one leads in the end, whatever happened to the others", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 3 }), async (lines) => {
        const { candidate, pass } = world();
        const all = lines.map((each, index) => candidate(`candidate-${index}`, each));
        await pass(30_000);
        for (const { clock } of all) clock.kill();
        const last = candidate("last");
        await pass(30_000);
        expect(last.led.running).toBe(true);
      }),
      { seed, numRuns: runs(10) },
    );
  });
});
