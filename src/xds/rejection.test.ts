import { beforeEach, describe, expect, test } from "vitest";
import { assert } from "../lib/assert.ts";
import { SnapshotRig } from "../testing/envoy/snapshot-rig.ts";
import type { Subscription } from "./subscription/subscription.ts";
import { maxTries } from "./subscription/rejected-names.ts";
import { clusterType, endpointType, listenerType, routeType } from "./type-urls.ts";

type Contents = Readonly<Record<string, string>>;

/** A delta client of one type, wildcard or by name, and the answers it got: `+a`, or `-a` for a removal. */
class RejectingClient {
  readonly rig = new SnapshotRig();
  readonly #typeUrl: string;
  readonly #stream = this.rig.delta();
  #nonce = "";

  constructor(typeUrl: string, contents: Contents) {
    this.#typeUrl = typeUrl;
    this.edit(contents);
    const named = typeUrl === endpointType || typeUrl === routeType;
    this.#stream.ask({ typeUrl, resourceNamesSubscribe: named ? Object.keys(contents) : [] });
    this.read();
    this.accept();
  }

  edit(contents: Contents): void {
    this.rig.set({ [this.#typeUrl]: contents });
  }

  /** The answers since the last call. */
  read(): readonly string[] {
    return this.#stream.read().map(({ nonce, resources, removedResources }) => {
      this.#nonce = nonce;
      return [...resources.map(({ name }) => `+${name}`), ...removedResources.map((name) => `-${name}`)].join(" ");
    });
  }

  accept(responseNonce = this.#nonce): readonly string[] {
    this.#stream.ask({ typeUrl: this.#typeUrl, responseNonce });
    return this.read();
  }

  reject(message: string, responseNonce = this.#nonce): readonly string[] {
    this.#stream.ask({ typeUrl: this.#typeUrl, responseNonce, errorDetail: { code: 3, message } });
    return this.read();
  }

  /** Rejects every answer with a bad name until no answer comes any more. Returns the answers. */
  answerAll(isBad: (answer: string) => boolean): readonly string[] {
    const all: string[] = [];
    for (let pending = this.read(); pending.length > 0; ) {
      const [answer] = pending;
      assert(answer !== undefined && pending.length === 1, "one answer is in flight at a time");
      all.push(answer);
      pending = isBad(answer) ? this.reject(`no ${answer}`) : this.accept();
    }
    return all;
  }

  get subscription(): Subscription {
    const [connection] = this.rig.server.connections;
    const [subscription] = connection?.subscriptions ?? [];
    assert(subscription !== undefined, "the client has asked");
    return subscription;
  }
}

const hasB = (answer: string) => answer.includes("+b");
const hasC7 = (answer: string) => answer.split(" ").includes("+c7");

describe.each([clusterType, endpointType, listenerType, routeType])("a delta client that rejects one %s", (typeUrl) => {
  let client: RejectingClient;

  beforeEach(() => {
    client = new RejectingClient(typeUrl, { a: "1", b: "1", c: "1", d: "1" });
  });

  test("gets changes of other resources separately, and the rejected resource when it changes", () => {
    client.edit({ a: "1", b: "bad", c: "1", d: "1" });
    expect(client.answerAll(hasB)).toEqual(["+b"]);
    client.edit({ a: "2", b: "bad", c: "1", d: "1" });
    expect(client.answerAll(hasB)).toEqual(["+a"]);
    expect([client.subscription.state, [...client.subscription.rejected]]).toEqual(["rejected", [["b", "no +b"]]]);
    client.edit({ a: "2", b: "2", c: "1", d: "1" });
    expect(client.answerAll(() => false)).toEqual(["+b"]);
    expect([client.subscription.state, [...client.subscription.rejected]]).toEqual(["synced", []]);
  });

  test("gets two answers when the rejected resource changes together with another one", () => {
    client.edit({ a: "1", b: "bad", c: "1", d: "1" });
    client.answerAll(hasB);
    client.edit({ a: "2", b: "worse", c: "2", d: "1" });
    expect(client.answerAll(hasB)).toEqual(["+a +c", "+b"]);
  });

  test("gets the other resources of a rejected answer again, by halves, until the bad one is alone", () => {
    client.edit({ a: "2", b: "bad", c: "2", d: "2" });
    expect(client.answerAll(hasB)).toEqual(["+a +b +c +d", "+a +b", "+a", "+b", "+c +d"]);
    expect([...client.subscription.rejected.keys()]).toEqual(["b"]);
  });

  test("gets a change at the next turn, even during the search for the bad resource", () => {
    client.edit({ a: "2", b: "bad", c: "2", d: "2" });
    expect(client.read()).toEqual(["+a +b +c +d"]);
    expect(client.reject("no")).toEqual(["+a +b"]);
    client.edit({ a: "2", b: "bad", c: "2", d: "3" });
    expect(client.reject("no")).toEqual(["+d"]);
    expect(client.accept()).toEqual(["+a"]);
    expect(client.accept()).toEqual(["+b"]);
    expect(client.reject("no")).toEqual(["+c"]);
    expect(client.accept()).toEqual([]);
  });
});

test("retries get their turn even if changes keep coming", () => {
  const client = new RejectingClient(clusterType, { a: "1", b: "1", news: "1" });
  client.edit({ a: "2", b: "bad", news: "1" });
  client.read();
  const answers = ["2", "3", "4", "5"].flatMap((news) => {
    client.edit({ a: "2", b: "bad", news });
    return news === "2" ? client.reject("no") : client.accept();
  });
  expect(answers).toEqual(["+a", "+news", "+b", "+news"]);
});

test("a removal that was rejected together with a change is sent again", () => {
  const client = new RejectingClient(clusterType, { a: "1", b: "1" });
  client.edit({ b: "bad" });
  expect(client.answerAll(hasB)).toEqual(["+b -a", "+b", "-a"]);
});

test("a client that rejects everything gets a bounded number of retries, and more only after a change", () => {
  const names = Array.from({ length: 500 }, (_, index) => `c${index}`);
  const client = new RejectingClient(clusterType, Object.fromEntries(names.map((name) => [name, "1"])));
  const second = Object.fromEntries(names.map((name) => [name, "2"]));
  client.edit(second);
  expect(client.answerAll(() => true)).toHaveLength(1 + maxTries);
  client.edit({ ...second, c7: "3", c8: "3" });
  expect(client.answerAll(() => false)).toEqual(["+c7 +c8"]);
  expect(client.subscription.rejected.size).toBe(498);
});

test("a rejected change gets new retries, even if it left separately and older retries are used up", () => {
  const names = Array.from({ length: 500 }, (_, index) => `c${index}`);
  const client = new RejectingClient(clusterType, Object.fromEntries(names.map((name) => [name, "1"])));
  const second = Object.fromEntries(names.map((name) => [name, "2"]));
  client.edit(second);
  client.answerAll(() => true);
  client.edit({ ...second, c7: "bad", c8: "3", added: "1" });
  expect(client.answerAll(hasC7)).toEqual(["+added", "+c7 +c8", "+c7", "+c8"]);
});

describe("a late ACK or NACK for an overtaken answer", () => {
  let client: RejectingClient;

  beforeEach(() => {
    client = new RejectingClient(clusterType, { a: "1", b: "1" });
    client.edit({ a: "bad", b: "1" });
    assert(client.read().join() === "+a", "the first answer has the rejected name");
    client.rig.clock.advance(15_000);
    client.edit({ a: "bad", b: "2" });
    assert(client.read().join() === "+b", "the newer answer overtakes it");
  });

  test("counts if it is a NACK: the update is not lost, and the sync state shows the rejection", () => {
    expect([client.reject("no a", "2"), client.accept("3")]).toEqual([[], []]);
    expect([client.subscription.state, [...client.subscription.rejected]]).toEqual(["rejected", [["a", "no a"]]]);
    client.edit({ a: "3", b: "2" });
    expect([client.read(), client.accept(), client.subscription.state]).toEqual([["+a"], [], "synced"]);
  });

  test("counts if it is an ACK", () => {
    client.accept("2");
    expect([client.subscription.ackedNonce, client.subscription.state]).toEqual(["2", "stale"]);
    client.accept("3");
    expect([client.subscription.ackedNonce, client.subscription.state]).toEqual(["3", "synced"]);
  });

  test("changes nothing if the client accepted the newer answer before", () => {
    client.accept("3");
    client.accept("2");
    expect([client.subscription.ackedNonce, client.subscription.state]).toEqual(["3", "synced"]);
  });

  test("does not apply to names that the newer answer sent again", () => {
    client.rig.clock.advance(15_000);
    client.edit({ a: "4", b: "2" });
    expect(client.read()).toEqual(["+a"]);
    client.reject("no a", "2");
    expect([...client.subscription.rejected]).toEqual([]);
    expect([client.accept("3"), client.accept("4"), client.subscription.state]).toEqual([[], [], "synced"]);
  });

  test("is matched for the last eight overtaken answers", () => {
    for (let revision = 3; revision < 12; revision++) {
      client.rig.clock.advance(15_000);
      client.edit({ a: "bad", b: String(revision) });
      client.read();
    }
    client.reject("no a", "2");
    client.reject("no b", "3");
    expect(client.subscription.rejected.size).toBe(0);
    client.reject("no b", "12");
    expect([...client.subscription.rejected]).toEqual([["b", "no b"]]);
  });
});

describe.each(["sotw", "delta"] as const)("endpoints, %s", (mode) => {
  test("follow clusters that leave again because the client rejected the answer with them", () => {
    const rig = new SnapshotRig();
    const endpoints = { [endpointType]: { one: "1", two: "1" } };
    rig.set({ [clusterType]: { one: "1", two: "1" }, ...endpoints });
    const stream = mode === "sotw" ? rig.sotw() : rig.delta();
    const names = mode === "sotw" ? { resourceNames: ["one", "two"] } : { resourceNamesSubscribe: ["one", "two"] };
    const say = (typeUrl: string, responseNonce: string, message?: string) =>
      stream.ask({
        typeUrl,
        responseNonce,
        ...(message && { errorDetail: { code: 3, message } }),
        ...(mode === "sotw" && typeUrl === endpointType && names),
      });
    stream.ask({ typeUrl: clusterType });
    say(clusterType, "1");
    stream.ask({ typeUrl: endpointType, ...names });
    say(endpointType, "2");
    rig.set({ [clusterType]: { one: "2", two: "bad" }, ...endpoints });
    say(endpointType, "4");
    stream.read();
    say(clusterType, "3", "two is bad");
    rig.set({ [clusterType]: { one: "2", two: "3" }, ...endpoints });
    const clusters = rig.observer.sent.filter(({ type }) => type === "CDS").length;
    expect(clusters).toBe(3);
    expect(stream.read().map(({ typeUrl, resources }) => [typeUrl, resources.length])).toEqual(
      mode === "sotw"
        ? [
            [clusterType, 2],
            [endpointType, 2],
          ]
        : [
            [clusterType, 1],
            [endpointType, 1],
          ],
    );
  });
});
