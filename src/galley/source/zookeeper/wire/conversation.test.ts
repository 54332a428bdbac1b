import { describe, expect, test } from "vitest";
import { answered, children, greeting, zookeeperFrame } from "../../../../testing/server/hostile-zookeeper.ts";
import type { NodeAnswer, TreeChange } from "../session.ts";
import type { Greeting } from "./answers.ts";
import { Conversation } from "./conversation.ts";
import { JuteReader, JuteWriter } from "./jute.ts";
import { noSession } from "./requests.ts";

/** A client in conversation with a server that the test plays. */
function begun({ seen = 5n, first = greeting(16) } = {}) {
  const sent: Buffer[] = [];
  const greetings: Greeting[] = [];
  const refusals: string[] = [];
  const conversation = new Conversation({
    send: (bytes) => sent.push(bytes),
    maxAnswerBytes: 1_000,
    hello: { seen, sessionTimeoutMs: 30_000, session: { ...noSession, id: 7n } },
    onGreeting: (each) => greetings.push(each),
    onLoginRefused: () => refusals.push("refused"),
  });
  conversation.begin();
  conversation.receive(first);
  return { conversation, sent, greetings, refusals };
}

const empty: Uint8Array = new Uint8Array();

/** An answer with a transaction and an error. */
function reply(number: number, transaction: bigint, { error = 0, body = empty } = {}): Buffer {
  const head = new JuteWriter().int(number).long(transaction).int(error).finish().subarray(4);
  return zookeeperFrame(Buffer.concat([head, body]));
}

function event(type: number, path: string, transaction = -1n): Buffer {
  return reply(-1, transaction, { body: new JuteWriter().int(type).int(3).text(path).finish().subarray(4) });
}

const names = (body: JuteReader) => body.texts("names");

/** A conversation that watches `/r`, with the lists of changes it heard. */
async function watching() {
  const rig = begun();
  const heard: (readonly TreeChange[])[] = [];
  const answer = rig.conversation.watchTree("/r", (changes) => heard.push(changes));
  rig.conversation.receive(reply(1, 6n));
  expect(await answer).toEqual({ type: "found", value: true });
  return { ...rig, heard, sentBefore: rig.sent.length };
}

describe("the first message of a connection", () => {
  test("has the last seen transaction, the timeout and the earlier session, and refuses read-only servers", () => {
    const { sent } = begun({ seen: 99n });
    const reader = new JuteReader(sent[0] ?? Buffer.alloc(0), 4);
    const [version, seen, timeout, session] = [reader.int(), reader.long(), reader.int(), reader.long()];
    expect([version, seen, timeout, session]).toEqual([0, 99n, 30_000, 7n]);
    expect([reader.buffer().length, reader.flag(), reader.rest]).toEqual([16, false, 0]);
  });

  test.each([
    ["a new server", Buffer.of(1), true],
    ["a server before 3.4, which does not tell", Buffer.alloc(0), false],
  ])("is answered by %s", (_, end, isReadOnly) => {
    const body = Buffer.concat([greeting(16).subarray(4, 40), end]);
    expect(begun({ first: zookeeperFrame(body) }).greetings).toMatchObject([{ timeoutMs: 30_000, isReadOnly }]);
  });
});

describe("a question", () => {
  test.each<readonly [number, NodeAnswer<readonly string[]>]>([
    [-101, { type: "missing" }],
    [-102, { type: "refused", reason: "NO_AUTH" }],
    [-6, { type: "refused", reason: "UNIMPLEMENTED" }],
    [-112, { type: "lost" }],
    [-999, { type: "refused", reason: "error -999" }],
  ])("with the error %d has its answer", async (error, expected) => {
    const { conversation } = begun();
    const asked = conversation.ask("children", "/r", { read: names, onChange: undefined });
    conversation.receive(reply(1, 6n, { error }));
    expect(await asked).toEqual(expected);
  });

  test("is lost at the end of the connection, and after it", async () => {
    const { conversation } = begun();
    const asked = conversation.ask("children", "/r", { read: names, onChange: undefined });
    conversation.end();
    expect(await asked).toEqual({ type: "lost" });
    expect(await conversation.watchTree("/r", () => {})).toEqual({ type: "lost" });
  });

  test("that is answered out of turn ends the conversation", () => {
    const { conversation } = begun();
    void conversation.ask("children", "/r", { read: names, onChange: undefined });
    expect(() => conversation.receive(answered(2, children()))).toThrow("ZooKeeper answers request 2, but 1 is next");
    expect(() => begun().conversation.receive(answered(1, children()))).toThrow("but none is next");
  });

  test.each([
    ["exists", [1, 2, 3]],
    ["data", [2, 3]],
    ["children", [2, 4]],
  ] as const)("about %s with a watch hears of one change, of the right kind", async (what, types) => {
    for (const type of [1, 2, 3, 4]) {
      const { conversation } = begun();
      let changes = 0;
      void conversation.ask(what, "/r", {
        read: () => true,
        onChange: () => {
          changes += 1;
        },
      });
      conversation.receive(reply(1, 6n));
      conversation.receive(event(type, "/other"));
      for (let time = 0; time < 2; time += 1) conversation.receive(event(type, "/r"));
      const isFired = (types as readonly number[]).includes(type) || (what === "data" && type === 1);
      expect([type, changes]).toEqual([type, isFired ? 1 : 0]);
    }
  });

  test("about a missing node is watched for its creation only if it asks whether the node exists", async () => {
    const { conversation } = begun();
    const heard: string[] = [];
    for (const what of ["exists", "children"] as const) {
      void conversation.ask(what, "/r", { read: () => true, onChange: () => heard.push(what) });
    }
    conversation.receive(reply(1, 6n, { error: -101 }));
    conversation.receive(reply(2, 6n, { error: -101 }));
    conversation.receive(event(1, "/r"));
    conversation.receive(event(4, "/r"));
    expect(heard).toEqual(["exists"]);
  });
});

describe("changes of a watched tree", () => {
  test("are reported together, and only those at the node and below it", async () => {
    const { conversation, heard } = await watching();
    const events = [event(1, "/r/a", 7n), event(3, "/rest", 8n), event(2, "/r/a", 9n), event(4, "/r", 9n)];
    conversation.receive(Buffer.concat(events));
    expect(heard).toEqual([
      [
        { type: "created", path: "/r/a" },
        { type: "deleted", path: "/r/a" },
      ],
    ]);
    expect(conversation.seen).toBe(9n);
  });

  test("without their transaction wait for an answer with one, so that no later connection shows the state before", async () => {
    const { conversation, heard, sent, sentBefore } = await watching();
    conversation.receive(event(1, "/r/a"));
    conversation.receive(event(1, "/r/b"));
    expect([heard, conversation.seen]).toEqual([[], 6n]);
    // One ping covers both.
    expect(sent).toHaveLength(sentBefore + 1);
    conversation.receive(reply(-2, 8n));
    expect([heard.flat().map(({ path }) => path), conversation.seen]).toEqual([["/r/a", "/r/b"], 8n]);
    conversation.receive(event(2, "/r/b"));
    expect([heard.length, sent.length]).toEqual([1, sentBefore + 2]);
  });
});

test("a refused login is reported", () => {
  const { conversation, refusals, sent } = begun();
  conversation.login("me:secret");
  expect(sent.at(-1)?.toString("latin1")).toContain("me:secret");
  conversation.receive(reply(-4, 0n));
  expect(refusals).toEqual([]);
  conversation.receive(reply(-4, 0n, { error: -115 }));
  expect(refusals).toEqual(["refused"]);
});

test("an answer that ends too early is refused", () => {
  const { conversation } = begun();
  expect(() => conversation.receive(zookeeperFrame(Buffer.alloc(6)))).toThrow(
    "an answer of ZooKeeper ends within a number",
  );
});
