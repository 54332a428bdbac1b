import { expect, test } from "vitest";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { FaultyLogger } from "../../testing/recording/faulty-logger.ts";
import { supervisedLogger } from "./supervised-logger.ts";

test("a line that cannot be written is reported, and the lines after it are written", () => {
  const logger = new FaultyLogger();
  const parts = new FailingParts();
  logger.failOn("broken");
  const supervised = supervisedLogger(logger, parts.reporterFor("log")).child({ scope: "xds" });
  supervised.info({}, "broken");
  supervised.warn({ node: "a" }, "whole");
  expect(parts.failures).toEqual([["log", expect.objectContaining({ message: "planted" })]]);
  expect(logger.lines).toEqual([{ level: "warn", fields: { scope: "xds", node: "a" }, message: "whole" }]);
});

test("a logger that fails while it reports its own failure ends nothing", () => {
  const logger = new FaultyLogger();
  logger.failOn("broken");
  let reports = 0;
  const supervised = supervisedLogger(logger, () => {
    reports += 1;
    supervised.error({}, "broken");
  });
  supervised.info({}, "broken");
  supervised.info({}, "broken");
  expect(reports).toBe(2);
});
