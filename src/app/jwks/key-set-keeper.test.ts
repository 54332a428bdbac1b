import { describe, expect, test } from "vitest";
import { MeshError } from "../../lib/errors.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.ts";
import type { CheckedKeySet } from "./check-key-set.ts";
import { KeySetKeeper, type KeySetRequest } from "./key-set-keeper.ts";

const keySet = (text: string): CheckedKeySet => ({ text, keys: [], leftOut: [] });

/** A keeper with a fake issuer: a test answers each fetch. */
function rig({ concurrent = 10, keySets = 10 } = {}) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const events: string[] = [];
  const answers = new Map<string, PromiseWithResolvers<CheckedKeySet>>();
  const keeper = new KeySetKeeper({
    clock,
    random: () => 0.5,
    refreshMs: 1_200_000,
    limits: { concurrent, keySets, firstWaitMs: 10_000 },
    fetch: (request) => {
      const uri = uriOf(request);
      asked.push(uri);
      const answer = Promise.withResolvers<CheckedKeySet>();
      answers.set(uri, answer);
      return answer.promise;
    },
    arrived: ({ request, keySet: set }) => events.push(`${uriOf(request)} arrived: ${set?.text}`),
    failed: ({ request, error, keySet: set }) =>
      events.push(`${uriOf(request)} failed: ${error?.message}${set ? ", kept" : ""}`),
    dropped: (key) => events.push(`${key} dropped`),
  });
  const want = (...uris: readonly string[]) => keeper.want(new Map(uris.map((uri) => [uri, requestOf(uri)])));
  const answer = async (uri: string, text: string) => {
    answers.get(uri)?.resolve(keySet(text));
    await settled(events);
  };
  const fail = async (uri: string, why = "down") => {
    answers.get(uri)?.reject(new MeshError("unavailable", why));
    await settled(events);
  };
  return { clock, keeper, asked, events, want, answer, fail };
}

async function settled(events: readonly string[]): Promise<void> {
  const before = events.length;
  await until(() => events.length > before);
}

const uriOf = ({ place }: KeySetRequest) => (place.type === "uri" ? place.uri : "");
const requestOf = (uri: string): KeySetRequest => ({ place: { type: "uri", uri }, timeoutMs: 5_000 });

describe("the keeper of key sets", () => {
  test("fetches a key set when a policy needs it, and again after the interval", async () => {
    const { clock, asked, events, want, answer } = rig();
    want("a");
    await answer("a", "1");
    clock.advance(1_199_999);
    expect(asked).toEqual(["a"]);
    clock.advance(1);
    await answer("a", "2");
    expect(asked).toEqual(["a", "a"]);
    expect(events).toEqual(["a arrived: 1", "a arrived: 2"]);
  });

  test("keeps the last good key set when a fetch fails, and retries with growing pauses", async () => {
    const { clock, keeper, asked, events, want, answer, fail } = rig();
    want("a");
    await answer("a", "1");
    clock.advance(1_200_000);
    await fail("a");
    expect(events.at(-1)).toBe("a failed: down, kept");
    expect(keeper.states()).toMatchObject([{ keySet: { text: "1" }, failures: 1, error: { message: "down" } }]);
    for (const [index, pauseMs] of [1_000, 2_000, 4_000].entries()) {
      clock.advance(pauseMs - 1);
      expect(asked).toHaveLength(2 + index);
      clock.advance(1);
      expect(asked).toHaveLength(3 + index);
      await fail("a");
    }
    clock.advance(8_000);
    await answer("a", "2");
    expect(keeper.states()).toMatchObject([{ keySet: { text: "2" }, failures: 0, error: undefined }]);
  });

  test("drops a key set that no policy needs, and ignores its late answer", async () => {
    const { clock, keeper, asked, events, want, answer } = rig();
    want("a", "b");
    want("b");
    await answer("b", "1");
    expect(events).toEqual(["a dropped", "b arrived: 1"]);
    want();
    expect(keeper.states()).toEqual([]);
    clock.advance(10_000_000);
    expect(asked).toEqual(["a", "b"]);
    expect(clock.pending).toBe(0);
  });

  test("runs few fetches at the same time", async () => {
    const { asked, want, answer } = rig({ concurrent: 2 });
    want("a", "b", "c");
    expect(asked).toEqual(["a", "b"]);
    await answer("b", "1");
    await until(() => asked.length === 3);
    expect(asked).toEqual(["a", "b", "c"]);
  });

  test("refuses key sets above the limit until others are dropped", async () => {
    const { clock, asked, events, want, answer } = rig({ keySets: 1 });
    want("a", "b");
    expect(events).toEqual(["b failed: the mesh exceeds the limit of 1 fetched key sets: 2 came"]);
    await answer("a", "1");
    clock.advance(1_000);
    expect(asked).toEqual(["a"]);
    want("b");
    clock.advance(2_000);
    expect(asked).toEqual(["a", "b"]);
  });

  test("says when every key set was tried once", async () => {
    const { keeper, want, answer, fail } = rig();
    await keeper.attempted();
    want("a", "b");
    let tried = false;
    const attempted = (async () => {
      await keeper.attempted();
      tried = true;
    })();
    await answer("a", "1");
    expect(tried).toBe(false);
    await fail("b");
    await attempted;
  });

  test("ends a wait at the limit, and at the stop", async () => {
    const { clock, keeper, want } = rig();
    want("a");
    const attempted = keeper.attempted();
    clock.advance(10_000);
    await attempted;
    want("b");
    const stopped = keeper.attempted();
    keeper.stop();
    await stopped;
    expect(clock.pending).toBe(0);
  });
});
