import { beforeAll, describe, expect, test } from "vitest";
import { deskRig } from "../../../testing/desk/desk-rig.ts";
import type { DeskState } from "../desk-state.ts";
import { setLogLevel, showControlPlane } from "./control-plane.ts";

let state: DeskState;

beforeAll(async () => {
  ({ state } = await deskRig());
});

function change(body: unknown) {
  return setLogLevel(state, { viewer: { type: "system" }, values: [], query: new URLSearchParams(), body });
}

describe("the page of the control plane", () => {
  test("counts streams, pushes and their phases", () => {
    const { body } = showControlPlane(state);
    expect(body).toMatchObject({
      streams: { total: 2, sotw: 2, delta: 0 },
      queue: { waiting: 0, settled: true, debounce: { afterMs: 10, maxMs: 100 } },
      load: { level: "normal" },
    });
    const { pushPhases } = body as { pushPhases: Record<string, { count: number; p50?: number }> };
    // The first push has no proxy. Each of the other two was acknowledged by both or by one.
    expect(pushPhases).toMatchObject({ debounce: { count: 3 }, build: { count: 3 }, acknowledge: { count: 3 } });
    expect(pushPhases["debounce"]?.p50).toBeGreaterThan(0);
  });

  test("lists first the certificate that expires first", () => {
    expect(showControlPlane(state).body).toMatchObject({ certificates: [{ name: "webhook" }, { name: "xds-tls" }] });
  });

  test("gives no value that JSON cannot hold", () => {
    state.controlPlane.overload.measured({
      loopDelayMs: 1,
      heap: { usedBytes: 1, limitBytes: 2 },
      resident: { usedBytes: 1, limitBytes: Number.POSITIVE_INFINITY },
      queueMs: 0,
    });
    expect(JSON.stringify(showControlPlane(state).body)).not.toContain("null");
    expect(showControlPlane(state).body).toMatchObject({ process: { eventLoopDelayMs: 1, heapLimitBytes: 2 } });
  });
});

describe("the log level", () => {
  test("changes for one scope", () => {
    expect(change({ scope: "xds", level: "debug" })).toMatchObject({ status: 200 });
    const levels = Object.fromEntries(state.controlPlane.scopes.list().map(({ name, level }) => [name, level]));
    expect(levels).toMatchObject({ xds: "debug", source: "info" });
  });

  test.each([
    [undefined, "expected"],
    [[], "expected"],
    [{ level: "debug" }, "expected"],
    [{ scope: "nothing", level: "debug" }, "scope: expected one of"],
    [{ scope: "xds", level: "loud" }, "level: expected one of"],
    [{ scope: "xds" }, "level: expected one of"],
  ])("does not change for %j", (body, words) => {
    const before = state.controlPlane.scopes.list();
    const answer = change(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.stringContaining(words) });
    expect(state.controlPlane.scopes.list()).toEqual(before);
  });
});
