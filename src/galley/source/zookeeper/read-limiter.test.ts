import { expect, test } from "vitest";
import { FakeZooKeeper } from "../../../testing/server/fake-zookeeper.ts";
import { ReadLimiter } from "./read-limiter.ts";

test("a few reads run in parallel, and the others follow in turn, whatever their results", async () => {
  const limiter = new ReadLimiter(
    new FakeZooKeeper().open(() => {}),
    2,
  );
  let [running, most] = [0, 0];
  const order: number[] = [];
  const read = async (index: number) => {
    running += 1;
    most = Math.max(most, running);
    order.push(index);
    await Promise.resolve();
    running -= 1;
    if (index === 1) throw new Error("no answer");
  };
  const readings = Array.from({ length: 7 }, (_, index) => limiter.read(() => read(index)));
  const results = await Promise.allSettled(readings);
  expect([most, order]).toEqual([2, [0, 1, 2, 3, 4, 5, 6]]);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
});
