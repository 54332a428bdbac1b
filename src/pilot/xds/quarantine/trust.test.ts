import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { Trust } from "./trust.ts";

describe("a proxy", () => {
  test("is not used for ten minutes after three searches without result, and then again", () => {
    const clock = new FakeClock();
    const trust = new Trust(clock);
    for (const _ of [1, 2]) trust.failed("a");
    expect(trust.isTrusted("a")).toBe(true);
    trust.failed("a");
    expect(trust.isTrusted("a")).toBe(false);
    expect(trust.untrusted).toEqual([{ node: "a", reason: "searches without result", until: 600_000 }]);
    clock.advance(600_000);
    expect(trust.isTrusted("a")).toBe(true);
    expect(trust.untrusted).toEqual([]);
  });

  test("is trusted again after a search with a result", () => {
    const trust = new Trust(new FakeClock());
    for (const _ of [1, 2]) trust.failed("a");
    trust.succeeded("a");
    trust.succeeded("b");
    for (const _ of [1, 2]) trust.failed("a");
    expect(trust.isTrusted("a")).toBe(true);
  });

  test("is not used after its class has contradicted it three times", () => {
    const trust = new Trust(new FakeClock());
    for (const _ of [1, 2]) trust.contradicted("a");
    expect(trust.isTrusted("a")).toBe(true);
    trust.contradicted("a");
    expect(trust.untrusted).toMatchObject([{ node: "a", reason: "contradicted" }]);
  });

  test("is not used if it disconnects four times within a minute", () => {
    const clock = new FakeClock();
    const trust = new Trust(clock);
    const leave = () => {
      trust.left("a");
      clock.advance(20_000);
    };
    for (const _ of [1, 2, 3, 4, 5]) leave();
    expect(trust.isTrusted("a")).toBe(true);
    for (const _ of [1, 2]) trust.left("a");
    expect(trust.untrusted).toMatchObject([{ node: "a", reason: "reconnects" }]);
  });

  test("is forgotten after a thousand others", () => {
    const trust = new Trust(new FakeClock());
    for (const _ of [1, 2, 3]) trust.failed("a");
    for (let other = 0; other < 999; other++) trust.failed(`other-${other}`);
    expect(trust.isTrusted("a")).toBe(false);
    trust.failed("one more");
    expect(trust.isTrusted("a")).toBe(true);
  });
});

test("the verdicts of a proxy no longer count when it changes one, and still do when it reconnects", () => {
  const lost: string[] = [];
  const trust = new Trust(new FakeClock(), (node) => lost.push(node));
  for (let times = 0; times < 4; times++) trust.left("a");
  trust.changedVerdict("b");
  expect(trust.untrusted.map(({ node }) => node)).toEqual(["a", "b"]);
  expect(lost).toEqual(["b"]);
});
