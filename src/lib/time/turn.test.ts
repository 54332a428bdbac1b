import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { createTurn } from "./turn.ts";

test("a turn yields to the event loop only when the work has run for long enough", async () => {
  const clock = new FakeClock();
  const turn = createTurn(clock);
  let others = 0;
  const pause = async () => {
    setImmediate(() => others++);
    await turn();
  };
  clock.advance(4);
  await pause();
  expect(others).toBe(0);
  clock.advance(1);
  await pause();
  expect(others).toBe(2);
  await pause();
  expect(others).toBe(2);
});
