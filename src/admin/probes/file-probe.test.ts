import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { checkProbeFile } from "./check-probe-file.ts";
import { FileProbe } from "./file-probe.ts";

const longAgo = new Date(0);

function probeOf({ file = "ready" } = {}) {
  const directory = mkdtempSync(join(tmpdir(), "binnacle-probe-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, file);
  const awaited: string[] = [];
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const emitters = [{ name: "processing", awaited: () => awaited }];
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const probe = new FileProbe({ file: path, intervalMs: 2000, emitters, clock, logger, onFailure });
  return { probe, path, awaited, clock, logger, failures };
}

describe("a file probe", () => {
  test("exists from the start, and is written again every half interval", () => {
    const { probe, path, clock } = probeOf();
    probe.start();
    expect(existsSync(path)).toBe(true);
    utimesSync(path, longAgo, longAgo);
    clock.advance(999);
    expect(statSync(path).mtimeMs).toBe(0);
    clock.advance(1);
    expect(statSync(path).mtimeMs).toBeGreaterThan(0);
    utimesSync(path, longAgo, longAgo);
    clock.advance(1000);
    expect(statSync(path).mtimeMs).toBeGreaterThan(0);
  });

  test("exists only while nothing is awaited", () => {
    const { probe, path, awaited, clock } = probeOf();
    awaited.push("source file:a");
    probe.start();
    expect(existsSync(path)).toBe(false);
    awaited.pop();
    clock.advance(1000);
    expect(existsSync(path)).toBe(true);
    awaited.push("source file:a");
    clock.advance(1000);
    expect(existsSync(path)).toBe(false);
  });

  test("is removed for good when it is stopped", () => {
    const { probe, path, clock } = probeOf();
    probe.start();
    probe.stop();
    clock.advance(10_000);
    expect(existsSync(path)).toBe(false);
    expect(clock.pending).toBe(0);
    probe.stop();
  });

  test("of a former process is removed when the process is not ready", () => {
    const { probe, path, awaited } = probeOf();
    writeFileSync(path, "");
    awaited.push("source file:a");
    probe.start();
    expect(existsSync(path)).toBe(false);
  });

  test("refuses to start where no file can be written, with the reason", () => {
    const { probe, path } = probeOf({ file: "no/such/folder/ready" });
    const message = `${path} cannot be written: there is no such folder`;
    expect(() => probe.start()).toThrow(expect.objectContaining({ code: "bad-option", message }));
  });

  test("refuses to start in the place of a directory, and does not touch it", () => {
    const { probe, path, logger } = probeOf();
    mkdirSync(path);
    const message = `${path} cannot be written: it is a directory`;
    expect(() => probe.start()).toThrow(expect.objectContaining({ code: "bad-option", message }));
    probe.stop();
    expect(existsSync(path)).toBe(true);
    expect(logger.messages("error")).toEqual(["probe file not removed"]);
  });

  test("that cannot be written is reported once and retried", () => {
    const { probe, path, clock, logger, failures } = probeOf();
    probe.start();
    rmSync(path);
    mkdirSync(path);
    clock.advance(3000);
    expect(failures).toEqual([expect.objectContaining({ code: "EISDIR" })]);
    expect(logger.messages("error")).toEqual([]);
    rmSync(path, { recursive: true });
    clock.advance(1000);
    expect(existsSync(path)).toBe(true);
  });
});

function check(path: string, ageMs: number): string | undefined {
  return checkProbeFile({ file: path, intervalMs: 2000, now: statSync(path).mtimeMs + ageMs });
}

describe("the check of a probe file", () => {
  test("passes up to the interval and ten milliseconds", () => {
    const { probe, path } = probeOf();
    probe.start();
    expect(check(path, 0)).toBeUndefined();
    expect(check(path, 2010)).toBeUndefined();
    expect(check(path, 2011.5)).toBe(`${path} is 2011 ms old, more than 2000 ms`);
  });

  test("fails for a file that does not exist or cannot be read", () => {
    const { path } = probeOf();
    expect(checkProbeFile({ file: path, intervalMs: 2000, now: 0 })).toBe(`${path} does not exist`);
    expect(checkProbeFile({ file: `${path}\0`, intervalMs: 2000, now: 0 })).toContain("cannot be read");
  });
});
