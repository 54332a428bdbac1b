import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Issue } from "../../../config/issue.ts";
import { istioResource, McpSinkRig } from "../../../testing/mcp/mcp-sink-rig.ts";
import { rules } from "../../../testing/mcp/mcp-source-rig.ts";
import { istioEnvelope, XdsSinkRig } from "../../../testing/mcp-over-xds/xds-sink-rig.ts";
import type { SourceRecorder } from "../../../testing/recording/source-recorder.ts";

const ruleType = "networking.istio.io/v1/DestinationRule";

type Specs = Readonly<Record<string, JsonValue>>;

/** One way in which objects come from a peer. */
interface Session {
  readonly heard: SourceRecorder;
  /** Says what these objects are now; the others stay as they are. */
  emit(changed: Specs, removed?: readonly string[]): void;
  /** `ack`, or the text of the NACK, of each answer since the last look. */
  answers(): readonly string[];
}

class McpSession implements Session {
  readonly heard: SourceRecorder;
  readonly #rig: McpSinkRig;
  readonly #incremental: boolean;
  readonly #all = new Map<string, JsonValue>();

  constructor(rig: McpSinkRig, incremental: boolean) {
    this.#rig = rig;
    this.#incremental = incremental;
    this.heard = rig.heard;
    rig.requests();
  }

  emit(changed: Specs, removedResources: readonly string[] = []): void {
    const first = this.#all.size === 0;
    for (const [name, spec] of Object.entries(changed)) this.#all.set(name, spec);
    for (const name of removedResources) this.#all.delete(name);
    const incremental = this.#incremental && !first;
    const said = incremental ? Object.entries(changed) : [...this.#all];
    const resources = said.map(([name, spec]) => istioResource(rules, name, spec));
    const removed = incremental ? { removedResources: [...removedResources], incremental } : {};
    this.#rig.push({ collection: rules, resources, ...removed });
  }

  answers(): readonly string[] {
    return this.#rig.requests().map(({ errorDetail }) => errorDetail?.message ?? "ack");
  }
}

class XdsSession implements Session {
  readonly heard: SourceRecorder;
  readonly #rig: XdsSinkRig;
  readonly #all = new Map<string, JsonValue>();
  #nonce = 0;

  constructor(rig: XdsSinkRig) {
    this.#rig = rig;
    this.heard = rig.heard;
    rig.requests();
  }

  emit(changed: Specs, removedResources: readonly string[] = []): void {
    for (const [name, spec] of Object.entries(changed)) this.#all.set(name, spec);
    for (const name of removedResources) this.#all.delete(name);
    const head = { typeUrl: ruleType, nonce: String(++this.#nonce) };
    if (this.#rig.mode === "sotw") {
      return this.#rig.respond({
        ...head,
        resources: Array.from(this.#all, ([name, spec]) => istioEnvelope(rules, name, spec)),
      });
    }
    const resources = Object.entries(changed).map(([name, spec]) => ({
      name,
      resource: istioEnvelope(rules, name, spec),
    }));
    this.#rig.respondDelta({ ...head, resources, removedResources: [...removedResources] });
  }

  answers(): readonly string[] {
    return this.#rig.requests().map(({ errorDetail }) => errorDetail?.message ?? "ack");
  }
}

const sessions: Readonly<Record<string, () => Promise<Session>>> = {
  "MCP, full states": async () => new McpSession(await McpSinkRig.start(rules), false),
  "MCP, differences": async () => new McpSession(await McpSinkRig.start(rules), true),
  "xDS, state of the world": async () => new XdsSession(await XdsSinkRig.start("sotw", [rules])),
  "xDS, incremental": async () => new XdsSession(await XdsSinkRig.start("delta", [rules])),
};

const good = { host: "pay.example.com" };
const better = { host: "pay.example.com", exportTo: ["*"] };
/** No rule has subsets without names. */
const bad = { host: "pay.example.com", subsets: [{}] };
const worse = { host: "pay.example.com", subsets: [{}, {}] };
const dubious = {
  host: "pay.example.com",
  trafficPolicy: { loadBalancer: { consistentHash: { minimumRingSize: 4, useSourceIp: true } } },
};

/** The host and the settings of each object that is held. */
function held({ heard }: Session): Specs {
  return Object.fromEntries(
    Array.from(heard.state.values(), ({ name, spec }) => {
      const { exportTo, subsets } = spec as { exportTo: readonly string[]; subsets: readonly unknown[] };
      return [name, exportTo.length + subsets.length];
    }),
  );
}

function issues({ heard }: Session): readonly string[] {
  return heard.allIssues.map(({ severity, object, path }: Issue) => `${severity} ${object} ${path}`);
}

describe.each(Object.entries(sessions))("an object that breaks the rules of its kind, over %s,", (_, start) => {
  test("keeps its last good version and is named in a NACK; the others are applied", async () => {
    const session = await start();
    session.emit({ "shop/a": good, "shop/b": good });
    expect(session.answers()).toEqual(["ack"]);
    session.emit({ "shop/a": bad, "shop/b": better });
    expect(held(session)).toEqual({ a: 0, b: 1 });
    expect(issues(session)).toEqual(["error DestinationRule shop/a spec.subsets[0].name"]);
    expect(session.answers()).toEqual([expect.stringMatching(/^shop\/a: spec\.subsets\[0\]\.name: /u)]);
  });

  test("is not served without a good version", async () => {
    const session = await start();
    session.emit({ "shop/a": bad, "shop/b": good });
    expect(held(session)).toEqual({ b: 0 });
    expect(session.heard.events.some(({ type }) => type === "fullSync")).toBe(true);
  });

  test("is named once for each content: a repetition is acknowledged, and stays listed", async () => {
    const session = await start();
    session.emit({ "shop/a": good, "shop/b": good });
    session.emit({ "shop/a": bad });
    session.answers();
    session.emit({ "shop/a": bad, "shop/b": better });
    expect(session.answers()).toEqual(["ack"]);
    expect(held(session)).toEqual({ a: 0, b: 1 });
    expect(issues(session)).toEqual(["error DestinationRule shop/a spec.subsets[0].name"]);
    session.emit({ "shop/a": worse });
    expect(session.answers()).toEqual([expect.stringContaining("shop/a")]);
    expect(issues(session)).toContain("error DestinationRule shop/a spec.subsets[1].name");
  });

  test("loses its issue when it is repaired or deleted", async () => {
    const session = await start();
    session.emit({ "shop/a": bad, "shop/b": bad, "shop/c": good });
    session.answers();
    session.emit({ "shop/a": better });
    expect([held(session), issues(session), session.answers()]).toEqual([
      { a: 1, c: 0 },
      ["error DestinationRule shop/b spec.subsets[0].name"],
      ["ack"],
    ]);
    session.emit({}, ["shop/b"]);
    expect([held(session), issues(session), session.answers()]).toEqual([{ a: 1, c: 0 }, [], ["ack"]]);
  });

  test("returns to its last good version without events", async () => {
    const session = await start();
    session.emit({ "shop/a": good });
    session.emit({ "shop/a": bad });
    session.answers();
    const { length } = session.heard.events;
    session.emit({ "shop/a": good });
    expect(session.heard.events.slice(length).map(({ type }) => type)).toEqual(["issues"]);
    expect([issues(session), session.answers()]).toEqual([[], ["ack"]]);
  });

  test("is served with only warnings, which are listed", async () => {
    const session = await start();
    session.emit({ "shop/a": dubious });
    expect([held(session), session.answers()]).toEqual([{ a: 0 }, ["ack"]]);
    expect(issues(session)).toEqual([expect.stringMatching(/^warning DestinationRule shop\/a spec\.trafficPolicy/u)]);
  });
});
