import { describe, expect, test } from "vitest";
import { type Answer, nothingRetained } from "./answer.ts";
import { Unjudged } from "./unjudged.ts";

const answer = (): Answer => ({
  target: [],
  whole: false,
  resources: [],
  removed: [],
  changed: [],
  resent: [],
  postponed: [],
  again: false,
  retained: nothingRetained,
  news: false,
});

/** Responses under the nonces "1", "2", … */
function sent(count: number, alone = false) {
  const unjudged = new Unjudged();
  const answers = Array.from({ length: count }, answer);
  for (const [index, each] of answers.entries()) unjudged.add({ nonce: String(index + 1), answer: each }, alone);
  return { unjudged, answers };
}

describe("responses that await an ACK or NACK", () => {
  test("are none at first", () => {
    const { unjudged } = sent(0);
    expect([unjudged.newest, unjudged.answers, unjudged.take("1")]).toEqual([undefined, [], undefined]);
  });

  test("are the newest and the overtaken ones, oldest first", () => {
    const { unjudged, answers } = sent(3);
    expect(unjudged.newest?.nonce).toBe("3");
    expect(unjudged.answers).toEqual(answers);
  });

  test("are only the newest if no acknowledgement is awaited", () => {
    const { unjudged, answers } = sent(3, true);
    expect([unjudged.answers.length, unjudged.answers[0] === answers[2]]).toEqual([1, true]);
  });

  test("are nine at most: the newest and eight overtaken ones", () => {
    const { unjudged } = sent(12);
    expect(unjudged.answers).toHaveLength(9);
    expect([unjudged.take("3"), unjudged.take("4")?.nonce]).toEqual([undefined, "4"]);
  });

  test("lose the acknowledged one, and return the answers that left after it", () => {
    const { unjudged, answers } = sent(3);
    const judged = unjudged.take("2");
    expect([judged?.nonce, judged?.later.length, judged?.later[0] === answers[2]]).toEqual(["2", 1, true]);
    expect(judged?.answer).toBe(answers[1]);
    expect([unjudged.newest?.nonce, unjudged.answers.length, unjudged.take("2")]).toEqual(["3", 2, undefined]);
  });

  test("have no newest once it is acknowledged, although older ones still wait", () => {
    const { unjudged, answers } = sent(2);
    expect(unjudged.take("2")?.later).toEqual([]);
    expect([unjudged.newest, unjudged.answers.length, unjudged.answers[0] === answers[0]]).toEqual([
      undefined,
      1,
      true,
    ]);
    unjudged.add({ nonce: "3", answer: answer() }, false);
    expect(unjudged.newest?.nonce).toBe("3");
  });

  test("are forgotten when a newer answer repeated their content: all of them, or all but the newest", () => {
    const accepted = sent(3).unjudged;
    accepted.take("3");
    accepted.forgetOvertaken();
    expect(accepted.answers).toEqual([]);
    const { unjudged, answers } = sent(3);
    unjudged.forgetOvertaken();
    expect([unjudged.answers.length, unjudged.answers[0] === answers[2]]).toEqual([1, true]);
  });
});
