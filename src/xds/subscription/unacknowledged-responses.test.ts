import { describe, expect, test } from "vitest";
import { type Answer, nothingRetained } from "./answer.ts";
import { UnacknowledgedResponses } from "./unacknowledged-responses.ts";

const answer = (): Answer => ({
  target: [],
  whole: false,
  resources: [],
  removed: [],
  changed: [],
  resent: [],
  postponed: [],
  isRetry: false,
  retained: nothingRetained,
  hasChanges: false,
});

/** Responses under the nonces "1", "2", … */
function sent(count: number, alone = false) {
  const unacknowledged = new UnacknowledgedResponses();
  const answers = Array.from({ length: count }, answer);
  for (const [index, each] of answers.entries()) unacknowledged.add({ nonce: String(index + 1), answer: each }, alone);
  return { unacknowledged, answers };
}

describe("responses that await an ACK or NACK", () => {
  test("are none at first", () => {
    const { unacknowledged } = sent(0);
    expect([unacknowledged.newest, unacknowledged.answers, unacknowledged.take("1")]).toEqual([
      undefined,
      [],
      undefined,
    ]);
  });

  test("are the newest and the overtaken ones, oldest first", () => {
    const { unacknowledged, answers } = sent(3);
    expect(unacknowledged.newest?.nonce).toBe("3");
    expect(unacknowledged.answers).toEqual(answers);
  });

  test("are only the newest if no acknowledgement is awaited", () => {
    const { unacknowledged, answers } = sent(3, true);
    expect([unacknowledged.answers.length, unacknowledged.answers[0] === answers[2]]).toEqual([1, true]);
  });

  test("are nine at most: the newest and eight overtaken ones", () => {
    const { unacknowledged } = sent(12);
    expect(unacknowledged.answers).toHaveLength(9);
    expect([unacknowledged.take("3"), unacknowledged.take("4")?.nonce]).toEqual([undefined, "4"]);
  });

  test("lose the acknowledged one, and return the answers that left after it", () => {
    const { unacknowledged, answers } = sent(3);
    const judged = unacknowledged.take("2");
    expect([judged?.nonce, judged?.later.length, judged?.later[0] === answers[2]]).toEqual(["2", 1, true]);
    expect(judged?.answer).toBe(answers[1]);
    expect([unacknowledged.newest?.nonce, unacknowledged.answers.length, unacknowledged.take("2")]).toEqual([
      "3",
      2,
      undefined,
    ]);
  });

  test("have no newest once it is acknowledged, although older ones still wait", () => {
    const { unacknowledged, answers } = sent(2);
    expect(unacknowledged.take("2")?.later).toEqual([]);
    expect([unacknowledged.newest, unacknowledged.answers.length, unacknowledged.answers[0] === answers[0]]).toEqual([
      undefined,
      1,
      true,
    ]);
    unacknowledged.add({ nonce: "3", answer: answer() }, false);
    expect(unacknowledged.newest?.nonce).toBe("3");
  });

  test("are forgotten when a newer answer repeated their content: all of them, or all but the newest", () => {
    const accepted = sent(3).unacknowledged;
    accepted.take("3");
    accepted.forgetOvertaken();
    expect(accepted.answers).toEqual([]);
    const { unacknowledged, answers } = sent(3);
    unacknowledged.forgetOvertaken();
    expect([unacknowledged.answers.length, unacknowledged.answers[0] === answers[2]]).toEqual([1, true]);
  });
});
