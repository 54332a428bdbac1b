import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { DuplicateObject } from "../../galley/processor/processor.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { logClashes } from "./clash-log.ts";

const clash: DuplicateObject = { collection: "c", key: "shop/cart", claimants: ["file:a c", "file:b c"] };

test("a name clash is logged once, with the winner, and again when it is resolved", () => {
  const graph = new Graph();
  const input = graph.input<number>("anything");
  const logger = new RecordingLogger();
  let clashes: readonly DuplicateObject[] = [];
  logClashes(graph, { clashes: () => clashes }, { logger, supervisor: new FailingParts() });
  for (const [step, now] of [[], [clash], [clash], []].entries()) {
    clashes = now;
    graph.batch(() => input.set("key", step));
  }
  const fields = { collection: "c", key: "shop/cart", winner: "file:a c", ignored: ["file:b c"] };
  expect(logger.lines).toEqual([
    expect.objectContaining({ level: "warn", message: "config name clash", fields: expect.objectContaining(fields) }),
    expect.objectContaining({ level: "info", message: "config name clash cleared" }),
  ]);
});

test("a clash that could not be looked up is logged after the pause", () => {
  const graph = new Graph();
  const input = graph.input<number>("anything");
  const logger = new RecordingLogger();
  const clock = new FakeClock();
  const found: (readonly DuplicateObject[])[] = [];
  const clashes = () => {
    const next = found.pop();
    if (next === undefined) throw new Error("planted");
    return next;
  };
  logClashes(graph, { clashes }, { logger, supervisor: new FailingParts(clock) });
  graph.batch(() => input.set("key", 1));
  expect(logger.lines).toEqual([]);
  found.push([clash]);
  clock.advance(60_000);
  expect(logger.messages("warn")).toEqual(["config name clash"]);
});
