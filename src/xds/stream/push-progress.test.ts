import { describe, expect, test } from "vitest";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { CarriedPushes } from "./carried-pushes.ts";
import { PushProgress } from "./push-progress.ts";
import type { PushSet } from "./push-set.ts";

const whole = { awaitsAnswer: true, holdsBack: false };

function textOf(pushes: PushSet): string {
  return pushes.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(" ");
}

function rig() {
  const told: string[] = [];
  const progress = new PushProgress({
    owed: (pushes) => told.push(`owed ${textOf(pushes)}`),
    ended: (pushes, how) => told.push(`${how} ${textOf(pushes)}`),
  });
  const clusters = new CarriedPushes();
  const routes = new CarriedPushes();
  const send = (type: CarriedPushes, nonce: string, how = whole) => progress.sent(type.send(nonce, how));
  const update = () => progress.update([{ pushes: clusters }, { pushes: routes }]);
  return { told, progress, clusters, routes, send, update };
}

const push = (number: number) => ({ first: number, last: number });

describe("a push to one client", () => {
  test("ends when every type with something of it has answered", () => {
    const { told, clusters, routes, send, update } = rig();
    clusters.await(push(1));
    routes.await(push(1));
    send(clusters, "a");
    update();
    clusters.take("a");
    update();
    expect(told).toEqual(["owed 1"]);
    send(routes, "b");
    routes.take("b");
    update();
    expect(told).toEqual(["owed 1", "acknowledged 1"]);
  });

  test("needs no union of sets if it is the only one", async () => {
    const { told, clusters, routes, send, update } = rig();
    const unions = await functionCalls(
      (url) => url.endsWith("/push-set.ts"),
      () => {
        for (const type of [clusters, routes]) type.await(push(1));
        update();
        send(clusters, "a");
        clusters.take("a");
        update();
        send(routes, "b");
        routes.take("b");
        update();
      },
      (name) => name === "unionOf",
    );
    expect(told).toEqual(["owed 1", "acknowledged 1"]);
    expect(unions).toBe(0);
  });

  test("is rejected for the client if one type rejects it", () => {
    const { told, progress, clusters, routes, send, update } = rig();
    for (const type of [clusters, routes]) type.await(push(1));
    send(clusters, "a");
    send(routes, "b");
    progress.rejected(clusters.take("a"));
    routes.take("b");
    update();
    expect(told).toEqual(["owed 1", "rejected 1"]);
  });

  test("is owed while it waits, and unneeded if nothing of it is left to send", () => {
    const { told, clusters, update } = rig();
    clusters.await(push(1));
    update();
    clusters.stopWaiting();
    update();
    expect(told).toEqual(["owed 1", "unneeded 1"]);
  });

  test("leaves with later ones in one response to a client that was behind", () => {
    const { told, clusters, send, update } = rig();
    clusters.await(push(1));
    send(clusters, "a");
    clusters.await(push(2));
    clusters.await(push(4));
    update();
    clusters.take("a");
    send(clusters, "b");
    update();
    clusters.take("b");
    update();
    expect(told).toEqual(["owed 1", "owed 2 4", "acknowledged 1", "acknowledged 2 4"]);
  });

  test("ends with a response after a lost answer to the one before", () => {
    const { told, clusters, send, update } = rig();
    clusters.await(push(1));
    send(clusters, "a");
    clusters.await(push(2));
    send(clusters, "b");
    clusters.take("b");
    update();
    expect(told).toEqual(["owed 1", "owed 2", "acknowledged 1-2"]);
  });

  test("waits on while removals are held back", () => {
    const { told, clusters, send, update } = rig();
    clusters.await(push(1));
    send(clusters, "a", { ...whole, holdsBack: true });
    clusters.take("a");
    update();
    expect(told).toEqual(["owed 1"]);
    send(clusters, "b");
    clusters.take("b");
    update();
    expect(told.at(-1)).toBe("acknowledged 1");
  });

  test("ends with the stream, and an answer after that counts for nothing", () => {
    const { told, progress, clusters, send } = rig();
    clusters.await(push(1));
    send(clusters, "a");
    progress.close();
    progress.close();
    expect(told).toEqual(["owed 1", "disconnected 1"]);
  });

  test("needs no answer of a type that clients never acknowledge", () => {
    const { told, clusters, send, update } = rig();
    clusters.await(push(1));
    send(clusters, "a", { ...whole, awaitsAnswer: false });
    update();
    expect(told).toEqual(["owed 1", "acknowledged 1"]);
  });
});
