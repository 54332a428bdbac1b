import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FileDestination, type LogFile } from "./file-destination.ts";

const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });

/** A disk with room for so many bytes, whose writes end when a test says so. */
class Disk implements LogFile {
  text = "";
  room: number;
  #writing: (() => void)[] = [];

  constructor(room: number) {
    this.room = room;
  }

  write(bytes: Uint8Array, done: (error: Error | null, written: number) => void): void {
    this.#writing.push(() => {
      try {
        done(null, this.writeSync(bytes));
      } catch {
        done(full, 0);
      }
    });
  }

  writeSync(bytes: Uint8Array): number {
    if (this.room === 0) throw full;
    const part = bytes.subarray(0, this.room);
    this.text += Buffer.from(part).toString();
    this.room -= part.length;
    return part.length;
  }

  /** Ends all writes, also those that follow from them. */
  settle(): void {
    for (let end = this.#writing.shift(); end !== undefined; end = this.#writing.shift()) end();
  }
}

function loggingTo(disk: Disk, maxQueuedBytes = 20) {
  const clock = new FakeClock();
  const recovered: number[] = [];
  const log = new FileDestination(disk, { clock, maxQueuedBytes, onRecovered: (dropped) => recovered.push(dropped) });
  return { clock, log, recovered };
}

test("lines wait for each other and arrive in order", () => {
  const disk = new Disk(100);
  const { log } = loggingTo(disk);
  for (const line of ["a\n", "b\n", "c\n"]) log.write(line);
  expect(disk.text).toBe("");
  disk.settle();
  expect([disk.text, log.dropped]).toEqual(["a\nb\nc\n", 0]);
});

test("a full disk drops only lines without space, and reports them when there is space again", () => {
  const disk = new Disk(5);
  const { clock, log, recovered } = loggingTo(disk);
  for (let line = 0; line < 6; line++) log.write(`line ${line}\n`);
  disk.settle();
  expect([disk.text, log.dropped]).toEqual(["line ", 4]);
  disk.room = 100;
  clock.advance(1_000);
  disk.settle();
  expect([disk.text, recovered]).toEqual(["line 0\nline 1\n", [4]]);
  log.write("again\n");
  disk.settle();
  expect(disk.text).toBe("line 0\nline 1\nagain\n");
});

test("lines that wait are written before the process ends", () => {
  const disk = new Disk(8);
  const { clock, log } = loggingTo(disk);
  log.write("first\n");
  log.write("second\n");
  disk.settle();
  expect(disk.text).toBe("first\nse");
  disk.room = 100;
  log.flushSync();
  expect(disk.text).toBe("first\nsecond\n");
  clock.advance(1_000);
  disk.settle();
  expect(disk.text).toBe("first\nsecond\n");
});

test("a disk that stays full does not keep the process from ending", () => {
  const disk = new Disk(0);
  const { log } = loggingTo(disk);
  log.write("first\n");
  disk.settle();
  log.flushSync();
  expect(disk.text).toBe("");
});
