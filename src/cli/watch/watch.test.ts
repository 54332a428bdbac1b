import { describe, expect, onTestFinished, test } from "vitest";
import { MeshError } from "../../lib/errors.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { soon, turns, until } from "../../testing/until.ts";
import type { ExitCode, Terminal } from "../command.ts";
import { watch } from "./watch.ts";

/** A watch of numbers. Even ones are well. */
function watching(read: () => number | Promise<number>) {
  const clock = new FakeClock();
  const closed = new AbortController();
  const shown: number[] = [];
  const complaints: string[] = [];
  let reads = 0;
  const terminal = {
    clock,
    outputClosed: closed.signal,
    complain: (text: string) => void complaints.push(text),
  } as unknown as Terminal;
  const ended = watch(
    {
      from: "the store",
      read: async () => {
        reads++;
        return await read();
      },
      show: (state) => shown.push(state),
      exitCode: (state): ExitCode => (state % 2 === 0 ? 0 : 1),
    },
    terminal,
  );
  onTestFinished(() => closed.abort());
  return { clock, closed, shown, complaints, ended, reads: () => reads };
}

describe("a watch", () => {
  test("reads every two seconds, not more often, and ends with the exit code of the last state", async () => {
    let state = 0;
    const rig = watching(() => state++);
    await until(() => rig.shown.length === 1);
    for (const count of [2, 3, 4]) {
      rig.clock.advance(1_999);
      await turns(5);
      expect(rig.reads()).toBe(count - 1);
      rig.clock.advance(1);
      await until(() => rig.shown.length === count);
    }
    rig.closed.abort();
    expect(await soon(rig.ended)).toBe(1);
    expect(rig.clock.pending).toBe(0);
  });

  test("reports a lost connection once, tries again with longer pauses, and reports its return", async () => {
    let isDown = false;
    const rig = watching(() => {
      if (isDown) throw new MeshError("unavailable", "--server a:1: connect ECONNREFUSED");
      return 4;
    });
    await until(() => rig.shown.length === 1);
    isDown = true;
    for (const [reads, ms] of [2_000, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      rig.clock.advance(ms - 1);
      await turns(5);
      expect(rig.reads()).toBe(reads + 1);
      rig.clock.advance(1);
      await until(() => rig.reads() === reads + 2);
      await turns(5);
    }
    expect(rig.complaints).toEqual(["--server a:1: connect ECONNREFUSED; trying again"]);
    isDown = false;
    rig.clock.advance(10_000);
    await until(() => rig.shown.length === 2);
    expect(rig.complaints.slice(1)).toEqual(["the store: the connection is back"]);
    rig.closed.abort();
    expect(await soon(rig.ended)).toBe(0);
  });

  test("that ends while the server is away ends with 1", async () => {
    const answers: (() => number)[] = [() => 2];
    const rig = watching(() => {
      const next = answers.shift();
      if (next === undefined) throw new MeshError("unavailable", "gone");
      return next();
    });
    await until(() => rig.shown.length === 1);
    rig.clock.advance(2_000);
    await until(() => rig.complaints.length === 1);
    rig.closed.abort();
    expect(await soon(rig.ended)).toBe(1);
  });

  test("fails at once if the first read fails, as a command without a watch", async () => {
    const rig = watching(() => {
      throw new MeshError("unavailable", "--server a:1: connect ECONNREFUSED");
    });
    await expect(rig.ended).rejects.toThrow("ECONNREFUSED");
  });

  test("does not hide a bug", async () => {
    let state = 0;
    const rig = watching(() => {
      if (state++ > 0) throw new TypeError("undefined is not a function");
      return 0;
    });
    await until(() => rig.shown.length === 1);
    rig.ended.catch(() => undefined);
    rig.clock.advance(2_000);
    await expect(rig.ended).rejects.toThrow("undefined is not a function");
  });

  test("ends while a read hangs", async () => {
    let isHanging = false;
    const rig = watching(() => (isHanging ? new Promise<number>(() => undefined) : 2));
    await until(() => rig.shown.length === 1);
    isHanging = true;
    rig.clock.advance(2_000);
    await until(() => rig.reads() === 2);
    rig.closed.abort();
    expect(await soon(rig.ended)).toBe(0);
  });
});
