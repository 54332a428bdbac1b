import { describe, expect, test } from "vitest";
import { openHistory } from "../../src/app/history/segment-store.ts";
import { churnedDay } from "../../src/testing/history/churned-day.ts";

const objects = 200;
const seconds = 864;

describe("the history of a day with 10 000 changes", () => {
  // A hundredth of a day. `npm run bench -- history` writes and reads a whole one.
  test("has a bounded size, and any second of it is found in few steps", async () => {
    const { store, proxyBytes, begin } = await churnedDay({ seconds, objects, changes: 100, proxies: 300 });
    const parts = 86_400 / seconds;
    expect(store.bytes * parts).toBeLessThan(200 * 1024 * 1024);
    expect(proxyBytes).toBeGreaterThan(50_000);
    const history = await openHistory(store);
    for (let second = 1; second < seconds; second += 37) {
      const position = { type: "time", at: begin + second * 1_000 } as const;
      const mesh = await history.at(position);
      expect(mesh?.entries.size).toBe(objects);
      expect(mesh?.visited).toBeLessThan(objects + 100 + 1);
      expect((await history.fleetAt(position))?.proxies.size).toBeGreaterThan(200);
    }
  });

  test("gives the proxies no more than their share, however fast they change", async () => {
    const calm = await churnedDay({ seconds: 200, objects: 1, changes: 100, proxies: 10 });
    const wild = await churnedDay({ seconds: 5_000, objects: 1, changes: 2_500, proxies: 2_000 });
    expect(calm.proxyBytes).toBeGreaterThan(0);
    // It may save up 8 MiB at once, and gets 512 bytes a second. One record may exceed that.
    expect(wild.proxyBytes).toBeLessThan(8 * 1024 * 1024 + 512 * 5_000 + 1024 * 1024);
  });
});
