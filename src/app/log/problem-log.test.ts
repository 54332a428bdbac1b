import { expect, test } from "vitest";
import type { Problem } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { logProblems } from "./problem-log.ts";

/** A graph whose problems a test sets, or cannot be read, and the log of them. */
function rig() {
  const graph = new Graph();
  const input = graph.input<number>("anything");
  const logger = new RecordingLogger();
  const clock = new FakeClock();
  const state = { problems: undefined as readonly Problem[] | undefined, commits: 0 };
  Object.defineProperty(graph, "problems", {
    get: () => {
      if (state.problems === undefined) throw new Error("unreadable");
      return state.problems;
    },
  });
  logProblems(graph, logger, new FailingParts(clock));
  const commit = () => graph.batch(() => input.set("key", (state.commits += 1)));
  return { state, commit, clock, logger };
}

const value = fakeConfig({ name: "reviews" });
const problem: Problem = { derivation: "routes", input: "shop/reviews", value, cause: new Error("planted") };

test("a derivation that fails is logged once, with the place of its object, and again after it worked", () => {
  const { state, commit, logger } = rig();
  const steps = [[problem], [problem], [], [problem]];
  const counts = steps.map((problems) => {
    state.problems = problems;
    commit();
    return logger.lines.length;
  });
  expect(counts).toEqual([1, 1, 1, 2]);
  expect(logger.lines[0]).toMatchObject({
    level: "error",
    fields: { derivation: "routes", input: "shop/reviews", reference: value.origin.reference, err: problem.cause },
  });
});

test("problems that could not be read are logged after the pause", () => {
  const { state, commit, clock, logger } = rig();
  commit();
  state.problems = [problem];
  clock.advance(60_000);
  expect(logger.lines).toHaveLength(1);
});
