import { expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { debounce, immediate } from "./strategy.ts";

function counter() {
  const published: number[] = [];
  return { published, publish: (at = 0) => void published.push(at) };
}

test("immediate publishes every change at once", () => {
  const { published, publish } = counter();
  const strategy = immediate();
  strategy.onChange(publish);
  strategy.onChange(publish);
  strategy.stop();
  expect(published).toHaveLength(2);
});

test("debounce publishes once, when nothing has changed for half a second", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  strategy.onChange(publish);
  clock.advance(400);
  strategy.onChange(publish);
  clock.advance(499);
  expect(published).toEqual([]);
  clock.advance(1);
  expect(published).toHaveLength(1);
});

test("debounce publishes once a second when changes never pause, or as often as it is told", () => {
  const clock = new FakeClock();
  const [usual, patient] = [counter(), counter()];
  const strategies = [
    [debounce({ clock }), usual],
    [debounce({ clock, quietMs: 1000, maxWaitMs: 5000 }), patient],
  ] as const;
  for (let ms = 0; ms < 10_000; ms += 100) {
    for (const [strategy, { publish }] of strategies) strategy.onChange(() => publish(clock.now()));
    clock.advance(100);
  }
  expect(usual.published).toHaveLength(10);
  expect(patient.published).toEqual([5000, 10_000]);
});

test("debounce forgets what is pending when stopped, and may be used again", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  strategy.stop();
  strategy.onChange(publish);
  strategy.stop();
  clock.advance(10_000);
  expect(published).toEqual([]);
  strategy.onChange(publish);
  clock.advance(500);
  expect(published).toHaveLength(1);
});
