import { AnswerFrames, checkLength } from "../../../src/galley/source/zookeeper/answer-frames.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/** The bytes of a ZooKeeper server. Differential: answers do not depend on how the bytes were cut into chunks. */
export const target: FuzzTarget = {
  name: "zookeeper-frames",
  mode: "sync",
  seeds: () => [answer(16), Buffer.concat([answer(3), answer(40)]), Buffer.from([0x7f, 0xff, 0xff, 0xff])],
  planted: {
    file: "src/galley/source/zookeeper/answer-frames.ts",
    before: "      this.#onAnswer(answer);",
    text: 'answer.toString("latin1", 4)',
  },
  check: (input) => {
    const whole = answersIn([input]);
    const bytes = answersIn(Array.from(input, (byte) => Buffer.of(byte)));
    promise(whole === bytes, "answers do not depend on chunks");
  },
};

function answersIn(chunks: readonly Buffer[]): string {
  const answers: string[] = [];
  const frames = new AnswerFrames(1000, (each) => {
    answers.push(each.toString("hex"));
    checkLength(each);
  });
  const isDone = orRefused(() => {
    for (const chunk of chunks) frames.push(chunk);
    return true;
  });
  return [...answers, isDone === true ? "" : "refused"].join();
}

function answer(length: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeInt32BE(length);
  return Buffer.concat([head, Buffer.alloc(length, 1)]);
}
