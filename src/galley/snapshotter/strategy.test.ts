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

test("debounce publishes a burst at its upper limit, although the last change was a moment ago", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  for (const [wait, at] of [
    [0, 0],
    [300, 300],
    [400, 700],
    [250, 950],
  ] as const) {
    clock.advance(wait);
    expect(clock.now()).toBe(at);
    strategy.onChange(() => publish(clock.now()));
  }
  clock.advance(10_000);
  expect(published).toEqual([1000]);
});

test("debounce waits as long as Galley 1.3 did when it is told to", () => {
  const { published, publish } = counter();
  const clock = new FakeClock();
  const strategy = debounce({ clock, quietMs: 500, maxWaitMs: 2000 });
  for (let ms = 0; ms < 2000; ms += 400) {
    strategy.onChange(() => publish(clock.now()));
    clock.advance(400);
  }
  expect(published).toEqual([2000]);
});

test("debounce publishes what changed last, not what changed first", () => {
  const clock = new FakeClock();
  const strategy = debounce({ clock });
  const published: string[] = [];
  strategy.onChange(() => void published.push("first"));
  strategy.onChange(() => void published.push("last"));
  clock.advance(1000);
  expect(published).toEqual(["last"]);
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

test("strategies tell of changes, of waiting anew, and why the waiting was over", () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const observer = {
    changed: () => void told.push("changed"),
    waitsAnew: () => void told.push("waits anew"),
    due: (reason: string) => void told.push(reason),
  };
  const publish = () => void told.push("published");
  immediate(observer).onChange(publish);
  expect(told.splice(0)).toEqual(["changed", "published"]);

  const strategy = debounce({ clock, quietMs: 500, maxWaitMs: 1000, observer });
  strategy.onChange(publish);
  clock.advance(500);
  expect(told.splice(0)).toEqual(["changed", "quiet", "published"]);
  for (let change = 0; change < 3; change += 1) {
    strategy.onChange(publish);
    clock.advance(400);
  }
  expect(told.filter((step) => step !== "changed")).toEqual(["waits anew", "waits anew", "maxWait", "published"]);
});
