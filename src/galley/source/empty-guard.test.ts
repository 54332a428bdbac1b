import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { EmptyGuard, emptyGraceMs } from "./empty-guard.ts";

function rig() {
  const clock = new FakeClock();
  const guard = new EmptyGuard(clock);
  return { clock, read: (held: number, found: number) => guard.check("the server", held, found) };
}

describe("a full read", () => {
  test("counts if it finds an object, or if there was none before", () => {
    const { read } = rig();
    expect(() => read(0, 0)).not.toThrow();
    expect(() => read(5, 1)).not.toThrow();
  });

  test("is doubtful if it finds none of the objects before, for half a minute", () => {
    const { clock, read } = rig();
    expect(() => read(2, 0)).toThrow("the server lists none of the 2 objects that it had; they stay in use for 30 s");
    clock.advance(emptyGraceMs - 1);
    expect(() => read(1, 0)).toThrow("the server lists none of the object that it had; it stays in use for 30 s");
    clock.advance(1);
    expect(() => read(2, 0)).not.toThrow();
  });

  test("begins the half minute anew after a read with objects", () => {
    const { clock, read } = rig();
    expect(() => read(2, 0)).toThrow("lists none");
    clock.advance(emptyGraceMs);
    read(2, 2);
    expect(() => read(2, 0)).toThrow("lists none");
  });
});
