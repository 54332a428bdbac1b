import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import {
  answered,
  children,
  greeting,
  type HostileReply,
  HostileZooKeeper,
  zookeeperFrame,
} from "../../../testing/server/hostile-zookeeper.ts";
import { ZooKeeperRig } from "../../../testing/server/zookeeper-rig.ts";
import { AnswerFrames } from "./wire/answer-frames.ts";
import { clientSessions } from "./client/client-session.ts";

const megabyte = 1 << 20;

async function hostile() {
  const server = await HostileZooKeeper.start((xid) => answered(xid, children("a", "b")));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const events: string[] = [];
  const open = clientSessions({ ...server.clientOptions, maxAnswerBytes: megabyte });
  const session = open((event, reason) => events.push(reason === undefined ? event : `${event}: ${reason}`));
  onTestFinished(() => session.close());
  return { server, session, events };
}

const endlessly: HostileReply = (_xid, socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
    if (!socket.destroyed) socket.once("drain", more);
  };
  setImmediate(more);
  return zookeeperFrame(Buffer.alloc(0), 2 ** 31 - 1);
};

describe("the bytes of a server", () => {
  test("are split into answers, whatever the chunks", () => {
    const answers: string[] = [];
    const frames = new AnswerFrames(10, (answer) => answers.push(answer.toString("latin1", 4)));
    const sent = Buffer.concat([
      zookeeperFrame(Buffer.from("one")),
      zookeeperFrame(Buffer.alloc(0)),
      zookeeperFrame(Buffer.from("three")),
    ]);
    for (const byte of sent) frames.push(Buffer.of(byte));
    frames.push(sent);
    expect(answers).toEqual(["one", "", "three", "one", "", "three"]);
  });

  test("are refused as soon as they announce more than the limit, or a negative length", () => {
    const frames = new AnswerFrames(10, () => {});
    expect(() => frames.push(zookeeperFrame(Buffer.alloc(0), 11))).toThrow(
      "an answer of ZooKeeper exceeds the limit of 10 bytes: 11 came",
    );
    expect(() => frames.push(zookeeperFrame(Buffer.alloc(0), -4))).toThrow("an answer of ZooKeeper has -4 bytes");
  });
});

describe("a session with a server", () => {
  const good = { type: "found", value: ["a", "b"] };

  test.each<readonly [string, HostileReply, string]>([
    ["more than the limit", endlessly, "exceeds the limit of 1048576 bytes: 2147483647 came"],
    ["less than nothing", () => zookeeperFrame(Buffer.alloc(0), -4), "has -4 bytes"],
    ["more children than it has bytes", (xid) => answered(xid, Buffer.from("7fffffff", "hex")), "range"],
  ])("that announces %s is closed, and works again afterwards", async (_what, bad, problem) => {
    const { server, session, events } = await hostile();
    const { reply } = server;
    server.reply = bad;
    await expect.poll(() => events).toEqual(["connected"]);
    expect(await session.children("/dubbo")).toEqual({ type: "lost" });
    expect(events[1]).toMatch(new RegExp(`^broken: .*${problem}`, "u"));
    server.reply = reply;
    await expect.poll(() => events.slice(2)).toEqual(["disconnected", "connected"]);
    expect(await session.children("/dubbo")).toEqual(good);
    expect(server.taken).toBeLessThan(16 * megabyte);
  });

  test("that announces more data than its answer has is closed", async () => {
    const { server, session, events } = await hostile();
    server.reply = (xid) => answered(xid, Buffer.from("7fffffff", "hex"));
    await expect.poll(() => events).toEqual(["connected"]);
    expect(await session.data("/dubbo/a")).toEqual({ type: "lost" });
    expect(events[1]).toBe("broken: an answer of ZooKeeper announces 2147483647 bytes of data");
  });

  test("that announces a larger greeting than it sends is closed", async () => {
    const server = await HostileZooKeeper.start((xid) => answered(xid, children()));
    onTestFinished(() => server[Symbol.asyncDispose]());
    server.greeting = greeting(2 ** 31 - 1);
    const events: string[] = [];
    const open = clientSessions(server.clientOptions);
    const session = open((event, reason = "") => events.push(`${event} ${reason}`));
    onTestFinished(() => session.close());
    await expect.poll(() => events[0]).toContain("announces 2147483647 bytes of data");
  });
});

describe("a registry", () => {
  let rig: ZooKeeperRig;
  afterEach(() => rig.source.stop());

  test("with too many children of its root is stale, and keeps its last content", async () => {
    rig = new ZooKeeperRig({ limits: { children: 2 }, recursive: false });
    rig.register("cart", 1);
    await rig.start();
    for (const name of ["one", "two"]) rig.register(name, 1);
    await rig.arrive();
    const reason = "/dubbo cannot be listed: the list of its children exceeds the limit of 2 names: 3 came";
    expect([rig.health, rig.heard.names]).toEqual([[`stale: ${reason}`], ["cart"]]);
    rig.world.delete("/dubbo/two/providers");
    rig.world.delete("/dubbo/two");
    rig.clock.advance(500);
    await rig.arrive();
    expect([rig.health.at(-1), rig.heard.names]).toEqual(["fresh", ["cart", "one"]]);
  });

  test("that reports each change is stale beyond the limit, and keeps the content within it", async () => {
    rig = new ZooKeeperRig({ limits: { children: 2 } });
    rig.register("cart", 1);
    await rig.start();
    for (const name of ["one", "two"]) rig.register(name, 1);
    await rig.arrive();
    const reason = "/dubbo cannot be listed: the list of its children exceeds the limit of 2 names: 3 came";
    expect([rig.health, rig.heard.names]).toEqual([[`stale: ${reason}`], ["cart", "one"]]);
    for (const host of [2, 3]) rig.register("cart", host);
    await rig.arrive();
    expect(rig.endpoints("cart")).toEqual(["10.0.0.1", "10.0.0.2"]);
    rig.leave("cart", 1);
    rig.clock.advance(500);
    await rig.arrive();
    expect(rig.endpoints("cart")).toEqual(["10.0.0.2", "10.0.0.3"]);
  });

  test("keeps the instances of an interface that exceeds the limit", async () => {
    rig = new ZooKeeperRig({ limits: { children: 2 }, recursive: false });
    rig.register("cart", 1);
    await rig.start();
    for (const host of [2, 3]) rig.register("cart", host);
    await rig.arrive();
    expect(rig.endpoints("cart")).toEqual(["10.0.0.1"]);
    expect(rig.heard.allIssues).toMatchObject([
      { code: "unreadable", message: expect.stringContaining("exceeds the limit of 2 names: 3 came") },
    ]);
    rig.leave("cart", 3);
    rig.clock.advance(500);
    await rig.arrive();
    expect([rig.endpoints("cart"), rig.heard.allIssues]).toEqual([["10.0.0.1", "10.0.0.2"], []]);
  });

  test("is not followed beyond the limit of all its nodes", async () => {
    rig = new ZooKeeperRig({ limits: { nodes: 5 } });
    for (let index = 0; index < 9; index += 1) rig.register(`s${index}`, 1);
    await rig.start();
    const reason = "/dubbo cannot be listed: with its children the registry exceeds the limit of 5 nodes: 10 came";
    expect([rig.syncs, rig.health]).toEqual([0, [`stale: ${reason}`]]);
  });
});
