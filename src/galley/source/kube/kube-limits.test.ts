import { expect, onTestFinished, test } from "vitest";
import type { kubeLimits } from "../../../kube/kube-limits.ts";
import type { Limits } from "../../../lib/bounded/limit.ts";
import { type FakeRequest, line } from "../../../testing/server/fake-kube.ts";
import { dripping, endless, type HttpAnswer, jsonAnswer } from "../../../testing/server/hostile-http.ts";
import { entry, KubeRig, kubeServiceEntries } from "../../../testing/server/kube-rig.ts";

const megabyte = 1 << 20;
const firstTwo = ["shop/a=one.shop", "shop/b=one.shop"];
const list = `the API server's list of ${kubeServiceEntries}`;

/** A server whose first look at ServiceEntries went well, with two of them; watches have to be opened anew from here. */
async function rigWith(limits: Partial<Limits<typeof kubeLimits>>, { watchList = true } = {}): Promise<KubeRig> {
  const rig = await KubeRig.create(undefined, { limits });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  rig.fake.watchList = watchList;
  rig.fake.put(kubeServiceEntries, entry("a", "one.shop"));
  rig.fake.put(kubeServiceEntries, entry("b", "one.shop"));
  await rig.synced();
  await rig.tells(...firstTwo);
  return rig;
}

/** From now on requests for ServiceEntries that are meant are answered badly, and all of them have to be read anew. */
function spoil(rig: KubeRig, isMeant: (request: FakeRequest) => boolean, answer: HttpAnswer): void {
  rig.fake.fault = (request) => {
    if (request.path !== kubeServiceEntries || !isMeant(request)) return undefined;
    return { type: "answer", answer };
  };
  rig.fake.endWatches("properly");
  rig.fake.put(kubeServiceEntries, entry("c", "one.shop", "elsewhere"));
  rig.fake.forget();
}

/** The objects of the first two kinds that remain once the source is stale for this reason. */
async function keptWhenStale(rig: KubeRig, problem: string): Promise<readonly string[]> {
  await rig.until(`it is stale: ${problem}`, () => rig.stale?.includes(problem) ?? false);
  return rig.told.filter((told) => firstTwo.includes(told));
}

async function recovers(rig: KubeRig): Promise<void> {
  rig.fake.fault = () => undefined;
  rig.fake.endWatches("properly");
  await rig.until("it is fresh", () => rig.stale === undefined);
  rig.fake.put(kubeServiceEntries, entry("d", "two.shop", "later"));
  await rig.until("what changes is told", () => rig.told.includes("later/d=two.shop"));
}

/** The bytes that were taken from an answer. */
function counted(answer: HttpAnswer): { readonly answer: HttpAnswer; readonly taken: () => number } {
  let taken = 0;
  const counting: HttpAnswer = (response, request) => {
    const { socket } = request;
    response.once("close", () => {
      taken = Math.max(taken, socket.bytesWritten);
    });
    answer(response, request);
  };
  return { answer: counting, taken: () => taken };
}

const isList = ({ query }: FakeRequest) => !query.has("watch");
const isInitial = ({ query }: FakeRequest) => query.has("sendInitialEvents");
const isWatch = ({ query }: FakeRequest) => query.has("watch");

test("an endless list is cut off, the objects stay, and the source recovers", async () => {
  const rig = await rigWith({ listBytes: megabyte }, { watchList: false });
  const { answer, taken } = counted(endless('{"items":['));
  spoil(rig, isList, answer);
  expect(
    await keptWhenStale(rig, `the API server's answer to ${kubeServiceEntries} exceeds the limit of 1048576 bytes`),
  ).toEqual(firstTwo);
  expect(taken()).toBeLessThan(16 * megabyte);
  await recovers(rig);
});

test("a list with more values than the limit is not parsed", async () => {
  const rig = await rigWith({ listValues: 1000 }, { watchList: false });
  spoil(rig, isList, jsonAnswer({ items: Array.from({ length: 1000 }, () => []) }));
  expect(await keptWhenStale(rig, "exceeds the limit of 1000 values: 2002 came")).toEqual(firstTwo);
  await recovers(rig);
});

test("a list that arrives too slowly times out", async () => {
  const rig = await rigWith({ answerMs: 1000 }, { watchList: false });
  spoil(rig, isList, dripping(5));
  expect(await keptWhenStale(rig, "the answer was not complete within 1 s")).toEqual(firstTwo);
  await recovers(rig);
});

test.each([
  ["other", "exceeds the limit of 5 pages: 6 came", (asked: number) => `${asked}`],
  ["same", "repeats a continue token", () => "again"],
])("a list with endless pages, at %s places, is abandoned", async (_where, problem, token) => {
  const rig = await rigWith({ listPages: 5 }, { watchList: false });
  let asked = 0;
  spoil(rig, isList, (response, request) => {
    asked += 1;
    jsonAnswer({ metadata: { resourceVersion: "1", continue: token(asked) }, items: [] })(response, request);
  });
  expect(await keptWhenStale(rig, `${list} ${problem}`)).toEqual(firstTwo);
  await recovers(rig);
});

test("a list whose pages together take too long is abandoned", async () => {
  const rig = await rigWith({ listMs: 1000 }, { watchList: false });
  let asked = 0;
  spoil(rig, isList, (response, request) => {
    asked += 1;
    const page = jsonAnswer({ metadata: { resourceVersion: "1", continue: `${asked}` }, items: [] });
    setTimeout(() => page(response, request), 20);
  });
  expect(await keptWhenStale(rig, `${list} exceeds the limit of 1000 ms`)).toEqual(firstTwo);
  await recovers(rig);
});

test.each([
  ["listed", false],
  ["told by a watch", true],
])("more objects than the limit, %s at first, are rejected", async (_how, watchList) => {
  const rig = await rigWith({ listObjects: 4 }, { watchList });
  spoil(rig, () => false, jsonAnswer({}));
  rig.fake.put(kubeServiceEntries, entry("e", "one.shop"));
  rig.fake.put(kubeServiceEntries, entry("f", "one.shop"));
  rig.fake.forget();
  expect(await keptWhenStale(rig, "exceeds the limit of 4 objects")).toEqual(firstTwo);
  rig.fake.remove(kubeServiceEntries, "shop/e");
  rig.fake.remove(kubeServiceEntries, "shop/f");
  await recovers(rig);
});

test("more objects than the limit, one after the other, are rejected", async () => {
  const rig = await rigWith({ listObjects: 4 });
  for (const name of ["c", "d", "e"]) rig.fake.put(kubeServiceEntries, entry(name, "one.shop"));
  expect(await keptWhenStale(rig, "exceeds the limit of 4 objects: 5 came")).toEqual(firstTwo);
  expect(rig.told.length).toBeLessThanOrEqual(4);
  for (const name of ["c", "e"]) rig.fake.remove(kubeServiceEntries, `shop/${name}`);
  await recovers(rig);
});

test("an endless event is cut off", async () => {
  const rig = await rigWith({ eventBytes: megabyte });
  const { answer, taken } = counted(endless('{"type":"ADDED"'));
  spoil(rig, isWatch, answer);
  expect(
    await keptWhenStale(
      rig,
      `an event of the API server's watch of ${kubeServiceEntries} exceeds the limit of 1048576 bytes`,
    ),
  ).toEqual(firstTwo);
  expect(taken()).toBeLessThan(16 * megabyte);
  await recovers(rig);
});

test("initial events that arrive too slowly are replaced by a list", async () => {
  const rig = await rigWith({});
  spoil(rig, isInitial, dripping(5));
  await rig.until("all is told", () => rig.told.includes("elsewhere/c=one.shop"));
  expect(rig.fake.asked(kubeServiceEntries).filter(isList)).toHaveLength(1);
});

test("endless initial events are abandoned", async () => {
  const rig = await rigWith({ listMs: 1000 });
  spoil(rig, isInitial, (response) => {
    let told = 0;
    const tell = setInterval(() => response.write(line("ADDED", entry(`e${told++}`, "one.shop"))), 10);
    response.once("close", () => clearInterval(tell));
  });
  expect(
    await keptWhenStale(rig, `the API server's content of ${kubeServiceEntries} exceeds the limit of 1000 ms`),
  ).toEqual(firstTwo);
  await recovers(rig);
});

test.each(["/readyz", "/apis/networking.istio.io/v1"])("an endless answer to %s is cut off", async (path) => {
  const rig = await KubeRig.create(undefined, { limits: { objectBytes: megabyte } });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  rig.fake.put(kubeServiceEntries, entry("a", "one.shop"));
  rig.fake.fault = (request) => (request.path === path ? { type: "answer", answer: endless("[") } : undefined);
  await rig.start();
  const problem = `the API server's answer to ${path} exceeds the limit of 1048576 bytes`;
  expect(await keptWhenStale(rig, problem)).toEqual([]);
  rig.fake.fault = () => undefined;
  await rig.tells("shop/a=one.shop");
});
