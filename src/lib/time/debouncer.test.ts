import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { soon } from "../../testing/until.ts";
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

/** Runs that end when the test ends them. */
function heldRuns() {
  const held: PromiseWithResolvers<void>[] = [];
  const run = () => {
    const ending = Promise.withResolvers<void>();
    held.push(ending);
    return ending.promise;
  };
  return { run, held };
}

describe("waits of one trigger", () => {
  test("shorter waits bring the run forward, and longer waits of later triggers do not put it off again", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger({ quietMs: 1_000, maxWaitMs: 5_000 });
    clock.advance(100);
    debouncer.trigger({ quietMs: 20, maxWaitMs: 50 });
    clock.advance(10);
    debouncer.trigger({ quietMs: 1_000, maxWaitMs: 5_000 });
    clock.advance(5_000);
    expect(runs).toEqual([150]);
    expect(clock.pending).toBe(0);
  });

  test("a join opens a window, and moves none", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.join();
    clock.advance(60);
    debouncer.join();
    clock.advance(40);
    expect(runs).toEqual([100]);
  });
});

describe("quiet time", () => {
  test("a run comes once, quietMs after the last trigger", () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger();
    clock.advance(60);
    debouncer.trigger();
    expect(clock.pending).toBe(1);
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

  test("without quiet time the run happens within the trigger", () => {
    const { clock, debouncer, runs } = rig({ quietMs: 0 });
    debouncer.trigger();
    debouncer.trigger();
    expect(runs).toEqual([0, 0]);
    expect(clock.pending).toBe(0);
  });

  test("a quiet time of one millisecond is respected", () => {
    const { clock, debouncer, runs } = rig({ quietMs: 1 });
    debouncer.trigger();
    expect(runs).toEqual([]);
    clock.advance(1);
    expect(runs).toEqual([1]);
  });
});

describe("runs never overlap", () => {
  test("triggers during a run open a new window, which is handled when the run ends", async () => {
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

  test("a window that is not due when the run ends keeps waiting", async () => {
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

  test("a run that triggers itself runs again after its end, not within itself", () => {
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
  test("flush runs an open window now and only once", () => {
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

  test("flush during a run takes effect when the run ends, despite later triggers", async () => {
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

  test("cancel drops the open window and its timer, and a later trigger starts a new window", () => {
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
  test("resolves at once when nothing was triggered", async () => {
    await expect(soon(rig().debouncer.idle())).resolves.toBeUndefined();
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
    await soon(waiting);
    expect(idle).toBe(true);
  });

  test("waits for triggers that arrive meanwhile", async () => {
    const { clock, debouncer, runs } = rig({ run: () => Promise.resolve() });
    debouncer.trigger();
    debouncer.flush();
    debouncer.trigger();
    const waiting = debouncer.idle();
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(100);
    await soon(waiting);
    expect(runs).toEqual([0, 100]);
  });

  test("resolves after a cancel, but not before the run in progress has ended", async () => {
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
    await soon(waiting);
  });
});

describe("callers that wait for idle", () => {
  test("all get notified, each time", async () => {
    const { clock, debouncer, runs } = rig();
    debouncer.trigger();
    const both = Promise.all([debouncer.idle(), debouncer.idle()]);
    clock.advance(100);
    await soon(both);
    debouncer.trigger();
    let idle = false;
    const again = debouncer.idle().then(() => (idle = true));
    await Promise.resolve();
    expect(idle).toBe(false);
    clock.advance(100);
    await soon(again);
    expect(runs).toEqual([100, 200]);
  });

  test("get notified when their window is cancelled", async () => {
    const { debouncer, runs } = rig();
    debouncer.trigger();
    const waiting = debouncer.idle();
    debouncer.cancel();
    await soon(waiting);
    expect(runs).toEqual([]);
  });
});

describe("a run that fails", () => {
  test("throws in the trigger without an error handler", () => {
    const debouncer = new Debouncer({
      clock: new FakeClock(),
      quietMs: 0,
      maxWaitMs: 0,
      run: () => {
        throw new Error("disk full");
      },
    });
    expect(() => debouncer.trigger()).toThrow("disk full");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("that %s is reported, and the next trigger runs again", async (_, run) => {
    const { clock, debouncer, runs, errors } = rig({ run });
    debouncer.trigger();
    clock.advance(100);
    await soon(debouncer.idle());
    expect(errors).toEqual([new Error("disk full")]);
    debouncer.trigger();
    clock.advance(100);
    await soon(debouncer.idle());
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
