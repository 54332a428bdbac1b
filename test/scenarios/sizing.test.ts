import { expect, test } from "vitest";
import recorded from "../../bench/sizing/recorded.json" with { type: "json" };
import { sizedKinds, sizedObjects } from "../../bench/sizing/sized-objects.ts";
import { objectBytes } from "../../src/galley/source/room/object-bytes.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";

test.each(sizedKinds)("the estimate of a %s is at least its recorded memory, small or large", (sized) => {
  const { objects, items } = recorded;
  for (const count of [1, 11]) {
    const [config] = configsIn(sizedObjects[sized](1, count));
    const measured = objects[sized] + (count - 1) * items[sized];
    expect(config && objectBytes(config)).toBeGreaterThanOrEqual(measured);
    expect(config && objectBytes(config)).toBeLessThan(1.5 * measured);
  }
});
