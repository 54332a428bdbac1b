import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { FoldedLog } from "./folded-log.ts";

test("many refusals give one line per minute, with their number", () => {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const log = new FoldedLog(logger, clock);
  for (let attempt = 0; attempt < 5; attempt++) log.warn({ peer: "a" }, "refused");
  clock.advance(59_999);
  log.warn({ peer: "a" }, "refused");
  clock.advance(1);
  log.warn({ peer: "b" }, "refused");
  expect(logger.lines.map(({ fields }) => fields)).toEqual([{ peer: "a" }, { peer: "b", folded: 5 }]);
});
