import { expect, test } from "vitest";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { FailureReport } from "./failure-report.ts";

const failure = new Error("planted");

test("a failure is counted by its part and logged with its facts", () => {
  const report = new FailureReport();
  const logger = new RecordingLogger();
  const counted: object[] = [];
  report.attachDestinations({ logger, failures: { inc: (labels) => counted.push(labels) } });
  report.onFailure("pages", failure, { path: "/debug/syncz" });
  expect(counted).toEqual([{ part: "pages" }]);
  expect(logger.lines.map(({ level, fields }) => ({ level, fields }))).toEqual([
    { level: "error", fields: { path: "/debug/syncz", part: "pages", err: failure } },
  ]);
});

test("a report before the destinations are attached, and a second attachment, are bugs", () => {
  const report = new FailureReport();
  expect(() => report.onFailure("pages", failure, {})).toThrow("attached before a part runs");
  const destinations = { logger: new RecordingLogger(), failures: { inc: () => {} } };
  report.attachDestinations(destinations);
  expect(() => report.attachDestinations(destinations)).toThrow("attached once");
});
