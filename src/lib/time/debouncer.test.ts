import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Debouncer } from "./debouncer.ts";

interface Rig {
  readonly clock: FakeClock;
  readonly debouncer: Debouncer;
  /** When each run started. */
  readonly runs: number[];
  readonly errors: unknown[];
}

function rig({
  quietMs = 100,
  maxWaitMs = 250,
  run = () => {},
}: {
  quietMs?: number;
  maxWaitMs?: number;
  run?: () => void | Promise<void>;
} = {}): Rig {
  const clock = new FakeClock();
  const runs: number[] = [];
  const errors: unknown[] = [];
  const debouncer = new Debouncer({
    clock,
    quietMs,
    maxWaitMs,
    run: () => {
      runs.push(clock.now());
      return run();
    },
    onError: (error) => errors.push(error),
  });
  return { clock, debouncer, runs, errors };
}

/** Runs that end when the test says so. */
function heldRuns() {
  const held: PromiseWithResolvers<void>[] = [];
  const run = () => {
    const ending = Promise.withResolvers<void>();
    held.push(ending);
    return ending.promise;
  };
  return { run, held };
}

describe("quiet time", () => {
  test("a run comes once, quietMs after the last trigger", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger();
    clock.advance(60);
    debouncer.trigger();
    clock.advance(99);
    expect(runs).toEqual([]);
    clock.advance(1);
    expect(runs).toEqual([160]);
    clock.advance(1000);
    expect(runs).toEqual([160]);
    expect(clock.pending).toBe(0);
  });

  test("triggers that keep coming wait maxWaitMs at most", () => {
    const { clock, debouncer, runs } = rig();
    for (let elapsed = 0; elapsed < 600; elapsed += 50) {
      debouncer.trigger();
      clock.advance(50);
    }
    expect(runs).toEqual([250, 500]);
  });

  test("a maxWaitMs shorter than quietMs wins", () => {
    const { clock, debouncer, runs } = rig({ quietMs: 100, maxWaitMs: 30 });
    debouncer.trigger();
    clock.advance(1000);
    expect(runs).toEqual([30]);
  });

  test("no quiet time means to run within the trigger", () => {
    const { debouncer, runs } = rig({ quietMs: 0 });
    debouncer.trigger();
    debouncer.trigger();
    expect(runs).toEqual([0, 0]);
  });
});

describe("runs never overlap", () => {
  test("triggers during a run open a new window, which is looked at when the run ends", async () => {
    const { run, held } = heldRuns();
    const { clock, debouncer, runs } = rig({ run });
    debouncer.trigger();
    clock.advance(100);
    debouncer.trigger();
    clock.advance(1000);
    debouncer.trigger();
    expect(runs).toEqual([100]);
    held[0]?.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(runs).toEqual([100, 1100]);
  });

  test("a window of a run that is not due yet at its end waits on", async () => {
    const { run, held } = heldRuns();
    const { clock, debouncer, runs } = rig({ run });
    debouncer.trigger();
    clock.advance(100);
    debouncer.trigger();
    held[0]?.resolve();
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(99);
    expect(runs).toEqual([100]);
    clock.advance(1);
    expect(runs).toEqual([100, 200]);
  });

  test("a run that triggers itself runs again after it ended, not within itself", () => {
    let depth = 0;
    let left = 2;
    const { debouncer, runs } = rig({
      quietMs: 0,
      run: () => {
        depth++;
        expect(depth).toBe(1);
        if (left-- > 0) debouncer.trigger();
        depth--;
      },
    });
    debouncer.trigger();
    expect(runs).toEqual([0, 0, 0]);
  });
});

describe("flush and cancel", () => {
  test("flush answers an open window now and only once", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger();
    clock.advance(10);
    debouncer.flush();
    expect(runs).toEqual([10]);
    clock.advance(1000);
    expect(runs).toEqual([10]);
  });

  test("flush without an open window does nothing", () => {
    const { debouncer, runs } = rig();
    debouncer.flush();
    expect(runs).toEqual([]);
  });

  test("flush during a run takes effect when it ends, whatever is triggered in between", async () => {
    const { run, held } = heldRuns();
    const { clock, debouncer, runs } = rig({ run });
    debouncer.trigger();
    debouncer.flush();
    debouncer.trigger();
    debouncer.flush();
    clock.advance(10);
    debouncer.trigger();
    held[0]?.resolve();
    await Promise.resolve();
    await Promise.resolve();
    expect(runs).toEqual([0, 10]);
  });

  test("cancel forgets the open window and its timer, and a later trigger starts afresh", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger();
    debouncer.cancel();
    expect(clock.pending).toBe(0);
    clock.advance(240);
    expect(runs).toEqual([]);
    debouncer.trigger();
    clock.advance(100);
    expect(runs).toEqual([340]);
  });
});

describe("idle", () => {
  test("holds at once when nothing was triggered", async () => {
    await expect(rig().debouncer.idle()).resolves.toBeUndefined();
  });

  test("waits for the open window and for its run", async () => {
    const { run, held } = heldRuns();
    const { clock, debouncer } = rig({ run });
    let idle = false;
    debouncer.trigger();
    const waiting = (async () => {
      await debouncer.idle();
      idle = true;
    })();
    clock.advance(100);
    await Promise.resolve();
    expect(idle).toBe(false);
    held[0]?.resolve();
    await waiting;
    expect(idle).toBe(true);
  });

  test("waits for what was triggered meanwhile", async () => {
    const { clock, debouncer, runs } = rig({ run: () => Promise.resolve() });
    debouncer.trigger();
    debouncer.flush();
    debouncer.trigger();
    const waiting = debouncer.idle();
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(100);
    await waiting;
    expect(runs).toEqual([0, 100]);
  });

  test("holds after a cancel, but not before the run in progress has ended", async () => {
    const { run, held } = heldRuns();
    const { debouncer } = rig({ run });
    debouncer.trigger();
    debouncer.flush();
    debouncer.trigger();
    let idle = false;
    const waiting = (async () => {
      await debouncer.idle();
      idle = true;
    })();
    debouncer.cancel();
    await Promise.resolve();
    expect(idle).toBe(false);
    held[0]?.resolve();
    await waiting;
  });
});

describe("a run that fails", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("and %s is reported, and the next trigger runs again", async (_, run) => {
    const { clock, debouncer, runs, errors } = rig({ run });
    debouncer.trigger();
    clock.advance(100);
    await debouncer.idle();
    expect(errors).toEqual([new Error("disk full")]);
    debouncer.trigger();
    clock.advance(100);
    await debouncer.idle();
    expect(runs).toEqual([100, 200]);
  });

  test("leaves the debouncer usable even if reporting it throws", () => {
    const clock = new FakeClock();
    const debouncer = new Debouncer({
      clock,
      quietMs: 0,
      maxWaitMs: 0,
      run: () => {
        throw new Error("first");
      },
      onError: (error) => {
        throw new Error("second", { cause: error });
      },
    });
    expect(() => debouncer.trigger()).toThrow("second");
    expect(() => debouncer.trigger()).toThrow("second");
  });
});
