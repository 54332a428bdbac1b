import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Limits } from "../../../lib/bounded/limit.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { endless, gzipBomb, HostileHttp, jsonAnswer } from "../../../testing/server/hostile-http.ts";
import { defaultRetention } from "../registry/registry-state.ts";
import type { eurekaLimits } from "./eureka-limits.ts";
import { HttpEurekaServer } from "./eureka-server.ts";
import { createEurekaSource } from "./eureka-source.ts";
import { defaultServiceSettings } from "./services-of.ts";

const { signal } = new AbortController();
const megabyte = 1 << 20;
/** How much more than the limit may have come when it is noticed: one read. */
const oneRead = 256 << 10;

let http: HostileHttp;

beforeEach(async () => {
  http = await HostileHttp.start();
});

afterEach(() => http[Symbol.asyncDispose]());

function server(limits: Partial<Limits<typeof eurekaLimits>>, clock = new FakeClock()) {
  return new HttpEurekaServer({ url: `http://${http.address}/eureka`, clock, timeoutMs: 1000, limits });
}

const stale = (reason: string) => ({ type: "stale", reason: expect.stringContaining(reason) });
const tooMany = "the registry exceeds the limit of 3 instances: 4 came";

function registry(ids: string, count = ids.length) {
  const instance = ids.split("").map((instanceId) => ({ instanceId, ipAddr: "10.0.0.1", status: "UP", port: 8080 }));
  return jsonAnswer({ applications: { apps__hashcode: `UP_${count}_`, application: [{ name: "CART", instance }] } });
}

describe("an answer", () => {
  test("that decompresses to more than the limit is cut off during decompression", async () => {
    http.answer = gzipBomb(16 * megabyte);
    const asked = server({ answerBytes: megabyte }).all(signal);
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    const { came } = /eureka: the answer to apps exceeds the limit of 1048576 bytes: (?<came>\d+) came$/u.exec(
      String(error),
    )?.groups ?? { came: "none" };
    expect(Number(came)).toBeLessThanOrEqual(megabyte + oneRead);
  });

  test("without an end is cut off", async () => {
    http.answer = endless("[0,");
    await expect(server({ answerBytes: megabyte }).all(signal)).rejects.toThrow("exceeds the limit of 1048576 bytes");
    await expect.poll(() => http.connections).toBe(0);
    expect(http.taken).toBeLessThan(16 * megabyte);
  });

  test("with more values than the limit is not parsed", async () => {
    http.answer = jsonAnswer({ applications: Array.from({ length: 1000 }, () => []) });
    await expect(server({ answerValues: 1000 }).all(signal)).rejects.toThrow(
      "exceeds the limit of 1000 values: 2002 came",
    );
  });

  test("that arrives too slowly times out", async () => {
    const clock = new FakeClock();
    let dripped = 0;
    http.answer = (response) => {
      const drip = (): void => {
        if (response.destroyed) return;
        dripped += 1;
        response.write(" ", () => {
          clock.advance(100);
          setImmediate(drip);
        });
      };
      drip();
    };
    await expect(server({}, clock).all(signal)).rejects.toThrow("no answer within 1000 ms");
    expect(dripped).toBeGreaterThan(1);
  });

  test("with endless redirects is not followed forever", async () => {
    http.answer = (response, { url }) => response.writeHead(302, { location: `${url}/x` }).end();
    await expect(server({}).all(signal)).rejects.toThrow("redirect count exceeded");
    expect(http.asked).toHaveLength(21);
  });
});

describe("a source whose server exceeds a limit", () => {
  async function following(deltas: boolean) {
    const clock = new FakeClock();
    const heard = new SourceRecorder();
    const source = createEurekaSource({
      ...defaultRetention,
      ...defaultServiceSettings,
      name: "eureka",
      servers: [server({ answerBytes: megabyte }, clock)],
      clock,
      refreshMs: 5_000,
      deltas,
      maxInstances: 3,
      maxDrop: 1,
      dropGraceMs: 0,
    });
    onTestFinished(() => source.stop());
    http.answer = registry("ab");
    await source.start(heard.handler);
    await source.idle();
    return { source, heard };
  }

  test.each([
    ["bytes", gzipBomb(8 * megabyte), "the answer to apps exceeds the limit of 1048576 bytes"],
    ["instances", registry("abcd"), tooMany],
  ])("of %s keeps its objects, reports why it is stale, and recovers", async (_what, bad, problem) => {
    const { source, heard } = await following(false);
    const before = [...heard.state.values()];
    expect(before).toHaveLength(1);

    http.answer = bad;
    await source.reload();
    expect(heard.events.at(-1)).toMatchObject(stale(problem));
    expect([...heard.state.values()]).toEqual(before);

    http.answer = registry("abc");
    await source.reload();
    expect(heard.events.at(-1)).toEqual({ type: "fresh" });
  });

  test("by a series of deltas is stale just as with one full answer", async () => {
    const { source, heard } = await following(true);
    http.answer = registry("cd", 4);
    await source.reload();
    expect(heard.events.at(-1)).toMatchObject(stale(tooMany));
  });
});
