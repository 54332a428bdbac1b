import { Conversation } from "../../../src/galley/source/zookeeper/wire/conversation.ts";
import { noSession } from "../../../src/galley/source/zookeeper/wire/requests.ts";
import { answered, children, greeting, zookeeperFrame } from "../../../src/testing/server/hostile-zookeeper.ts";
import { orRefused, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/**
 * The bytes of a ZooKeeper server: its greeting, its answers to four questions, and reported changes. Differential: what
 * the client learns does not depend on how the bytes were cut into chunks.
 */
export const target: FuzzTarget = {
  name: "zookeeper-frames",
  mode: "sync",
  seeds: () => [
    Buffer.concat([greeting(16), answered(1, Buffer.alloc(0)), answered(2, children("a", "b")), event("/r/a", 1)]),
    Buffer.concat([greeting(16), answered(1, Buffer.alloc(0)), event("/r/a/b", 2), answered(-2, Buffer.alloc(0))]),
    Buffer.concat([greeting(16), zookeeperFrame(Buffer.alloc(16, 1)), zookeeperFrame(Buffer.alloc(40, 1))]),
    Buffer.from([0x7f, 0xff, 0xff, 0xff]),
  ],
  planted: {
    file: "src/galley/source/zookeeper/wire/answer-frames.ts",
    before: "      this.#onAnswer(answer);",
    text: 'answer.toString("latin1", 4)',
  },
  check: (input) => {
    const whole = learned([input]);
    const bytes = learned(Array.from(input, (byte) => Buffer.of(byte)));
    promise(whole.answers === bytes.answers, "answers do not depend on chunks");
    // Changes before an invalid answer may still wait for the end of their chunk.
    promise(whole.isRefused || whole.changes === bytes.changes, "changes do not depend on chunks");
  },
};

/** Everything that a client learns from these bytes. */
function learned(chunks: readonly Buffer[]) {
  const answers: string[] = [];
  const changes: string[] = [];
  const read = (text: string) => answers.push(text);
  const conversation: Conversation = new Conversation({
    send: () => {},
    maxAnswerBytes: 1000,
    hello: { seen: 0n, sessionTimeoutMs: 1, session: noSession },
    onLoginRefused: () => answers.push("login refused"),
    onGreeting({ session, timeoutMs, isReadOnly }) {
      answers.push(`${session.id} ${session.password.length} ${timeoutMs} ${isReadOnly}`);
      void conversation.watchTree("/r", (news) => {
        for (const { type, path } of news) changes.push(`${type} ${path}`);
      });
      const onChange = () => answers.push("changed");
      void conversation.ask("children", "/r", { read: (body) => read(body.texts("names").join()), onChange });
      void conversation.ask("data", "/r/a", { read: (body) => read(body.text("data")), onChange });
      void conversation.ask("exists", "/r/b", { read: () => read("exists"), onChange });
    },
  });
  const isDone = orRefused(() => {
    for (const chunk of chunks) conversation.receive(chunk);
    return true;
  });
  const isRefused = isDone !== true;
  return { answers: [...answers, String(isRefused)].join(), changes: changes.join(), isRefused };
}

/** A reported change, as from a server that tells no transaction. */
function event(path: string, type: number): Buffer {
  const head = Buffer.alloc(24);
  head.writeInt32BE(-1, 0);
  head.writeBigInt64BE(-1n, 4);
  head.writeInt32BE(type, 16);
  head.writeInt32BE(3, 20);
  return zookeeperFrame(Buffer.concat([head, zookeeperFrame(Buffer.from(path))]));
}
