import { beforeEach, expect, test } from "vitest";
import type { Viewer } from "../../admin/viewer.ts";
import { SharedAnswers } from "./shared-answers.ts";

const operator: Viewer = { type: "system" };
const workload = (namespace: string): Viewer => ({ type: "namespace", namespace });
let hub: { readers: number; newest: string };
let now: number;
let made: number;
let shared: SharedAnswers;

beforeEach(() => {
  hub = { readers: 10, newest: "s-1" };
  now = 0;
  made = 0;
  shared = new SharedAnswers(hub, () => now);
});

async function ask(viewer = operator, question = "/proxies") {
  const { text } = await shared.answer(viewer, question, async () => ({ status: 200, text: String(++made) }));
  return text;
}

test("ten desks that ask the same at the same time share one answer", async () => {
  const texts = await Promise.all(Array.from({ length: 10 }, () => ask()));
  expect(new Set(texts)).toEqual(new Set(["1"]));
  expect(made).toBe(1);
});

test("viewers with different rights share nothing", async () => {
  const viewers = [operator, workload("aaa"), workload("bbb")];
  expect(await Promise.all([...viewers, ...viewers].map((viewer) => ask(viewer)))).toEqual("123123".split(""));
});

test("different questions have different answers", async () => {
  expect([await ask(operator, "/a?x=1"), await ask(operator, "/a?x=2"), await ask(operator, "/a?x=1")]).toEqual(
    "121".split(""),
  );
});

test("a workload whose namespace is empty does not get the answers of operators", async () => {
  expect([await ask(), await ask(workload(""))]).toEqual(["1", "2"]);
});

test("an answer from before the newest events is not shared", async () => {
  await ask();
  hub.newest = "s-2";
  expect(await ask()).toBe("2");
});

test("an answer is shared for a quarter of a second", async () => {
  await ask();
  now = 249;
  expect(await ask()).toBe("1");
  now = 250;
  expect(await ask()).toBe("2");
});

test("nothing is shared after a change of the server, nor with a single desk", async () => {
  await ask();
  shared.clear();
  expect(await ask()).toBe("2");
  hub.readers = 1;
  expect([await ask(), await ask()]).toEqual(["3", "4"]);
  hub.readers = 2;
  expect(await ask()).toBe("5");
});

test("the number of kept answers is bounded", async () => {
  for (let index = 0; index < 100; index++) await ask(operator, `/a?search=${index}`);
  expect(await ask(operator, "/a?search=0")).toBe("101");
});
