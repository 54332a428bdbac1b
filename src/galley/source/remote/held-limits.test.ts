import { describe, expect, test } from "vitest";
import { istioResource, McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { rules } from "../../../testing/mcp/mcp-source-rig.ts";
import { istioEnvelope, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import type { SourceRecorder } from "../../../testing/recording/source-recorder.ts";

const typeUrl = "networking.istio.io/v1/DestinationRule";
const spec = { host: "pay.example.com" };
const limits = { objects: 3 };

/** One way in which a peer adds objects, a few in each message. */
interface Session {
  readonly heard: SourceRecorder;
  add(...names: readonly string[]): void;
  /** The peer says on a stream that is new, or the same, that these are all. */
  sayAll(...names: readonly string[]): void;
  /** The texts of its NACKs. */
  refusals(): readonly string[];
}

async function overMcp(): Promise<Session> {
  const rig = await McpSinkRig.startWithin(limits, [rules]);
  const push = (names: readonly string[], incremental: boolean) => {
    const resources = names.map((name) => istioResource(rules, name, spec));
    rig.push({ collection: rules, resources, incremental });
  };
  return {
    heard: rig.heard,
    add: (...names) => push(names, rig.heard.state.size > 0),
    sayAll: (...names) => push(names, false),
    refusals: () => rig.observer.nacks.map(({ message }) => message),
  };
}

async function overXds(): Promise<Session> {
  const rig = await XdsSinkRig.start("delta", [rules], { limits });
  let nonce = 0;
  const add = (...names: readonly string[]) => {
    const resources = names.map((name) => ({ name, version: name, resource: istioEnvelope(rules, name, spec) }));
    rig.respondDelta({ typeUrl, nonce: String(++nonce), resources });
  };
  return {
    heard: rig.heard,
    add,
    sayAll: (...names) => {
      rig.clock.advance(60_000);
      add(...names);
    },
    refusals: () => rig.observer.nacks.map(({ message }) => message),
  };
}

describe.each([
  ["MCP", overMcp],
  ["xDS", overXds],
])("a peer that adds objects for ever over %s", (_, start) => {
  test("is refused at the limit of the collection: earlier objects stay, and the source is stale", async () => {
    const session = await start();
    session.add("shop/a", "shop/b");
    session.add("shop/c");
    expect([session.heard.state.size, session.refusals()]).toEqual([3, []]);
    session.add("shop/d");
    expect(session.refusals()).toEqual([`${rules} exceeds the limit of 3 objects: 4 came`]);
    expect(session.heard.state.size).toBe(3);
    expect(session.heard.events.at(-1)).toMatchObject({ type: "stale", reason: expect.stringContaining("3 objects") });
    session.sayAll("shop/a", "shop/b");
    expect(session.heard.events.at(-1)).toEqual({ type: "fresh" });
  });
});
