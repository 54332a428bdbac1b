import fc from "fast-check";
import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { seed } from "../../testing/random/seed.ts";
import type { PushRequest } from "../model/push-request.ts";
import { PushQueue } from "./push-queue.ts";

const request = (name: string): PushRequest => ({
  changed: new Set([configId("Service", "shop", name)]),
  forced: false,
  reasons: new Map([["service", 1]]),
  startedAt: 0,
});

/** `web` of `web-3`. */
const namespaceOf = (connection: string) => connection.split("-")[0] ?? "";
const sameNamespace = () => "shop";

test("connections of a namespace are handed out in the order they came, and a merge keeps the position", () => {
  const queue = new PushQueue<string>(sameNamespace);
  queue.enqueue("first", request("a"));
  queue.enqueue("second", request("b"));
  queue.enqueue("first", request("c"));
  expect(queue.dequeue()?.[0]).toBe("first");
  expect(queue.dequeue()?.[0]).toBe("second");
  expect(queue.dequeue()).toBeUndefined();
});

test("namespaces take turns: a proxy waits for one proxy of each other namespace, not for all of them", () => {
  const queue = new PushQueue<string>(namespaceOf);
  for (let index = 0; index < 1_000; index++) queue.enqueue(`crowd-${index}`, request("a"));
  queue.enqueue("shop-0", request("a"));
  queue.enqueue("shop-1", request("a"));
  queue.enqueue("bank-0", request("a"));
  const order = Array.from({ length: 1_003 }, () => queue.dequeue()?.[0] ?? "");
  expect(order.slice(0, 6)).toEqual(["crowd-0", "shop-0", "bank-0", "crowd-1", "shop-1", "crowd-2"]);
  expect(new Set(order).size).toBe(1_003);
  expect(queue.waiting).toBe(0);
});

test("a namespace that is served again and again still waits for its turn", () => {
  const queue = new PushQueue<string>(namespaceOf);
  for (const connection of ["noisy-0", "shop-0", "shop-1"]) queue.enqueue(connection, request("a"));
  const order: string[] = [];
  for (let next = queue.dequeue(); next !== undefined && order.length < 10; next = queue.dequeue()) {
    order.push(next[0]);
    if (next[0] === "noisy-0") queue.enqueue("noisy-0", request(`edit ${order.length}`));
    queue.markDone(next[0]);
  }
  expect(order.slice(0, 4)).toEqual(["noisy-0", "shop-0", "noisy-0", "shop-1"]);
});

test("a request for a connection in service waits until the service ends", () => {
  const queue = new PushQueue<string>(namespaceOf);
  queue.enqueue("proxy", request("a"));
  queue.dequeue();
  queue.enqueue("proxy", request("b"));
  queue.enqueue("proxy", request("c"));
  expect(queue.dequeue()).toBeUndefined();
  queue.markDone("proxy");
  const [, merged] = queue.dequeue() ?? [];
  expect([...(merged?.changed ?? [])]).toEqual(["Service/shop/b", "Service/shop/c"]);
});

test("a closed connection is removed from any position", () => {
  const queue = new PushQueue<string>(namespaceOf);
  queue.enqueue("waiting", request("a"));
  queue.remove("waiting");
  expect(queue.dequeue()).toBeUndefined();
  queue.enqueue("served", request("a"));
  queue.dequeue();
  queue.enqueue("served", request("b"));
  queue.remove("served");
  queue.markDone("served");
  expect([queue.waiting, queue.processing]).toEqual([0, 0]);
});

test("nothing is lost, and no connection is served twice at a time", () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("enqueue" as const), who: fc.nat(3), key: fc.nat(9) }),
    fc.constant({ type: "dequeue" as const }),
    fc.record({ type: fc.constant("done" as const), who: fc.nat(3) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new PushQueue<number>((who) => String(who % 2));
      const serving = new Set<number>();
      const given = new Set<string>();
      const wanted = new Set<string>();
      const take = () => {
        const next = queue.dequeue();
        if (next === undefined) return false;
        expect(serving.has(next[0])).toBe(false);
        serving.add(next[0]);
        for (const id of next[1].changed) given.add(`${next[0]} ${id}`);
        return true;
      };
      const done = (who: number) => {
        if (serving.delete(who)) queue.markDone(who);
      };
      for (const each of steps) {
        if (each.type === "enqueue") {
          queue.enqueue(each.who, request(String(each.key)));
          wanted.add(`${each.who} Service/shop/${each.key}`);
        } else if (each.type === "dequeue") take();
        else done(each.who);
      }
      do for (const who of serving) done(who);
      while (take());
      expect(given).toEqual(wanted);
    }),
    { seed },
  );
});
