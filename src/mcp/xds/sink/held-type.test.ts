import { describe, expect, test } from "vitest";
import { assert } from "../../../lib/assert.ts";
import { gateways, serviceEntries } from "../../../testing/mcp/mcp-source-rig.ts";
import { envelope, resource } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import type { SinkLimits } from "../../sink/held-sizes.ts";
import { configType } from "../config-types.ts";
import { HeldType } from "./held-type.ts";
import type { ConfigResponse, SentResource } from "./read-config-response.ts";

const typeUrl = "networking.istio.io/v1/Gateway";
const whole = { whole: true };
const difference = { whole: false };

function heldType(limits?: SinkLimits): HeldType {
  const type = configType(typeUrl);
  assert(type !== undefined, typeUrl);
  return new HeldType(type, "xds://test", limits);
}

function response(resources: readonly SentResource[], removed: readonly string[] = []): ConfigResponse {
  return { typeUrl, version: "v", nonce: "1", resources, age: "today", removed };
}

/** A Gateway as a delta has it. */
function named(name: string, content = "1"): SentResource {
  const { typeUrl: type, value } = resource(gateways, name, content);
  return { name, version: `v${content}`, typeUrl: type, value };
}

/** A Gateway as SotW has it. */
function nameless(name: string, content = "1"): SentResource {
  return { ...named(name, content), name: undefined, version: "" };
}

/** An object that is no Gateway. */
function wrong(name: string, content = "1"): SentResource {
  return { name, version: "", typeUrl: envelope, value: resource(serviceEntries, name, content).value };
}

const noName: SentResource = { name: undefined, version: "", typeUrl: envelope, value: Uint8Array.of(0xff) };

/** Lets it take a response; gives the names that changed with what was held before, and the names that were rejected. */
function take(held: HeldType, sent: ConfigResponse, options = whole) {
  const { changes, rejected } = held.take(sent, options);
  return {
    changed: changes.map(({ name, before }) => `${name} was ${before?.annotations["content"] ?? "nothing"}`),
    rejected: rejected.map(({ name }) => name),
  };
}

const contents = (held: HeldType) =>
  Array.from(held.names(), (name) => `${name}=${held.get(name)?.annotations["content"]}`);

describe("a whole response", () => {
  test("changes new, different and missing resources, and nothing else", () => {
    const held = heldType();
    const first = response([nameless("shop/a"), nameless("shop/b"), nameless("shop/c")]);
    expect(take(held, first)).toEqual({
      changed: ["shop/a was nothing", "shop/b was nothing", "shop/c was nothing"],
      rejected: [],
    });
    const second = response([nameless("shop/a"), nameless("shop/b", "2"), nameless("shop/d")]);
    expect(take(held, second)).toEqual({
      changed: ["shop/c was 1", "shop/b was 1", "shop/d was nothing"],
      rejected: [],
    });
    expect([contents(held), held.size]).toEqual([["shop/a=1", "shop/b=2", "shop/d=1"].toSorted(), 3]);
  });

  test("parses held bytes once, and again after they were replaced", () => {
    const held = heldType();
    take(held, response([nameless("shop/a")]));
    const before = held.get("shop/a");
    take(held, response([nameless("shop/a")]));
    expect(held.get("shop/a")).toBe(before);
    take(held, response([nameless("shop/a", "2")]));
    take(held, response([nameless("shop/a")]));
    expect(held.get("shop/a")).toEqual({ ...before, origin: expect.anything() });
    expect(held.get("shop/a")).not.toBe(before);
  });

  test("keeps the last good version of an unreadable resource", () => {
    const held = heldType();
    take(held, response([nameless("shop/a"), nameless("shop/b")]));
    expect(take(held, response([wrong("shop/a")]))).toEqual({ changed: ["shop/b was 1"], rejected: ["shop/a"] });
    expect(contents(held)).toEqual(["shop/a=1"]);
  });

  test("removes nothing if it contains a nameless resource", () => {
    const held = heldType();
    take(held, response([nameless("shop/a")]));
    expect(take(held, response([noName]))).toEqual({ changed: [], rejected: [""] });
    expect(contents(held)).toEqual(["shop/a=1"]);
  });

  test("without an earlier unreadable resource reports that it is gone", () => {
    const held = heldType();
    take(held, response([nameless("shop/a"), wrong("shop/b")]));
    expect(take(held, response([nameless("shop/a")])).changed).toEqual(["shop/b was nothing"]);
    expect(take(held, response([nameless("shop/a")])).changed).toEqual([]);
  });
});

describe("a delta", () => {
  test("changes the sent and removed resources, and keeps the others", () => {
    const held = heldType();
    take(held, response([named("shop/a"), named("shop/b"), named("shop/c")]), difference);
    const next = response([named("shop/a", "2")], ["shop/b", "shop/never"]);
    expect(take(held, next, difference).changed).toEqual(["shop/b was 1", "shop/never was nothing", "shop/a was 1"]);
    expect(contents(held)).toEqual(["shop/c=1", "shop/a=2"]);
    expect(Object.fromEntries(held.versions)).toEqual({ "shop/c": "v1", "shop/a": "v2" });
  });

  test("matches held bytes only under the name that holds them", () => {
    const held = heldType();
    take(held, response([named("shop/a")]), difference);
    const before = held.get("shop/a");
    expect(take(held, response([{ ...named("shop/a"), version: "new" }]), difference).changed).toEqual([]);
    expect([held.get("shop/a"), held.versions.get("shop/a")]).toEqual([before, "new"]);
    const renamed = { ...named("shop/a"), name: "shop/b" };
    expect(take(held, response([renamed]), difference)).toEqual({ changed: [], rejected: ["shop/b"] });
    expect(contents(held)).toEqual(["shop/a=1"]);
  });
});

describe("an unreadable resource", () => {
  test("is reported once for each content, however often it arrives", () => {
    const held = heldType();
    const rejected = (content: string) => take(held, response([wrong("shop/a", content)])).rejected;
    expect(["1", "1", "2", "2", "1"].map(rejected)).toEqual([["shop/a"], [], ["shop/a"], [], ["shop/a"]]);
  });

  test("does not cause a repeated report of another one", () => {
    const held = heldType();
    take(held, response([wrong("shop/a")]), difference);
    expect(take(held, response([wrong("shop/b")]), difference).rejected).toEqual(["shop/b"]);
    expect(take(held, response([wrong("shop/a"), wrong("shop/b")]), difference).rejected).toEqual([]);
  });

  test("is reported again after it was gone or good", () => {
    const held = heldType();
    take(held, response([wrong("shop/a")]), difference);
    take(held, response([], ["shop/a"]), difference);
    expect(take(held, response([wrong("shop/a")]), difference).rejected).toEqual(["shop/a"]);
    take(held, response([named("shop/a")]), difference);
    expect(take(held, response([wrong("shop/a")]), difference).rejected).toEqual(["shop/a"]);
  });

  test("is a change when it becomes readable with its old content", () => {
    const held = heldType();
    take(held, response([nameless("shop/a"), nameless("shop/b")]));
    take(held, response([wrong("shop/a"), nameless("shop/b")]));
    expect(take(held, response([nameless("shop/a"), nameless("shop/b")])).changed).toEqual(["shop/a was 1"]);
    expect(take(held, response([nameless("shop/a"), nameless("shop/b")])).changed).toEqual([]);
  });
});

describe("the held size", () => {
  test("counts nameless resources one by one, and others by name", () => {
    const two = response([nameless("shop/a"), nameless("shop/b")]);
    expect(heldType({ objects: 2 }).excessOf(two, whole)).toBeUndefined();
    expect(heldType({ objects: 1 }).excessOf(two, whole)?.message).toBe(
      `${gateways} exceeds the limit of 1 objects: 2 came`,
    );
    const held = heldType({ objects: 1 });
    for (const content of ["1", "2"]) {
      expect(held.excessOf(response([named("shop/a", content)]), difference)).toBeUndefined();
    }
    expect(held.excessOf(response([named("shop/b")]), difference)).toBeDefined();
    expect(held.excessOf(response([named("shop/b")], ["shop/a"]), difference)).toBeUndefined();
  });

  test("is that of the received bytes", () => {
    const sent = named("shop/a");
    const most = sent.value.length;
    expect(heldType({ bytes: most }).excessOf(response([sent]), whole)).toBeUndefined();
    expect(heldType({ bytes: most - 1 }).excessOf(response([sent]), whole)).toBeDefined();
  });
});
