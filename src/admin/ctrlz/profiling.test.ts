import { url } from "node:inspector";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { Profiler } from "./profiler.ts";
import { profilingRoutes } from "./profiling-routes.ts";

async function startProfiler({ secrets = false } = {}) {
  const clock = new FakeClock();
  const profiler = new Profiler(clock);
  await profiler.start();
  const get = async (path: string, query = "") => {
    const route = profilingRoutes(profiler, () => secrets).find((each) => each.path === path);
    if (route === undefined) throw new Error(`no ${path}`);
    return await route.answer(new URLSearchParams(query));
  };
  return { clock, profiler, get };
}

/** Advances the clock until the profile has ended, because its start is not observable. */
async function taken<T>(profile: Promise<T>, clock: FakeClock, ms: number): Promise<T> {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const look = () => (clock.pending > 0 ? resolve() : void setImmediate(look));
  look();
  await started;
  clock.advance(ms);
  return await profile;
}

describe("profiles", () => {
  test("of the CPU are files that developer tools open", async () => {
    const { clock, profiler, get } = await startProfiler();
    onTestFinished(() => profiler.stop());
    const answer = await taken(get("/debug/pprof/profile", "seconds=2"), clock, 2000);
    expect(answer.headers).toEqual({ "content-disposition": 'attachment; filename="binnacle.cpuprofile"' });
    expect(JSON.parse(answer.body)).toMatchObject({
      nodes: expect.arrayContaining([expect.objectContaining({ callFrame: expect.anything() })]),
      startTime: expect.any(Number),
      endTime: expect.any(Number),
    });
  });

  test.each([
    ["", 30_000],
    ["seconds=5", 5000],
    ["seconds=1e9", 60_000],
    ["seconds=Infinity", 60_000],
  ])("of the CPU?%s take %i ms", async (query, ms) => {
    const asked: number[] = [];
    const [, cpu] = profilingRoutes(
      { cpu: async (each) => ({ asked: asked.push(each) }), heap: async () => ({}) },
      () => false,
    );
    await cpu?.answer(new URLSearchParams(query));
    expect(asked).toEqual([ms]);
  });

  test("of the heap are refused while the process holds Secrets", async () => {
    const { profiler, get } = await startProfiler({ secrets: true });
    onTestFinished(() => profiler.stop());
    expect(await get("/debug/pprof/heap")).toMatchObject({
      status: 403,
      body: expect.stringContaining("private keys"),
    });
  });

  test.each(["seconds=0", "seconds=-1", "seconds=soon"])("of the CPU?%s are refused", async (query) => {
    const { profiler, get } = await startProfiler();
    onTestFinished(() => profiler.stop());
    expect((await get("/debug/pprof/profile", query)).status).toBe(400);
  });

  test("of the CPU are taken one at a time", async () => {
    const { clock, profiler, get } = await startProfiler();
    onTestFinished(() => profiler.stop());
    const first = get("/debug/pprof/profile", "seconds=1");
    expect((await get("/debug/pprof/profile", "seconds=1")).status).toBe(409);
    expect((await taken(first, clock, 1000)).status).toBe(200);
    expect((await taken(get("/debug/pprof/profile", "seconds=1"), clock, 1000)).status).toBe(200);
  });

  test("of the CPU end early when the process stops, with the samples so far", async () => {
    const { profiler, get } = await startProfiler();
    const answer = get("/debug/pprof/profile");
    await profiler.stop();
    expect(JSON.parse((await answer).body)).toHaveProperty("nodes");
  });

  test("of the heap show live allocations by call site", async () => {
    const { profiler, get } = await startProfiler();
    onTestFinished(() => profiler.stop());
    const alive = Array.from({ length: 64 }, () => Array.from({ length: 100_000 }, () => 1));
    const { head } = JSON.parse((await get("/debug/pprof/heap")).body) as { readonly head: object };
    expect(head).toMatchObject({ callFrame: { functionName: "(root)" }, children: [expect.anything()] });
    expect(alive).toHaveLength(64);
  });

  test("are listed, and the inspector's port stays closed", async () => {
    const { profiler, get } = await startProfiler();
    onTestFinished(() => profiler.stop());
    const { body } = await get("/debug/pprof/");
    expect(body).toContain("/debug/pprof/profile  a CPU profile");
    expect(body).toContain("/debug/pprof/heap  a heap profile");
    expect(url()).toBeUndefined();
  });
});
