import { deepEqual, equal, ok } from "node:assert/strict";
import { status } from "@grpc/grpc-js";
import { describe, type Play } from "./play.ts";
import { type DiscoveryService, fenceName, type Variant } from "./subject.ts";

/** A case that the public suite lacks. */
export interface ExtensionCase {
  readonly title: string;
  readonly service: DiscoveryService;
  readonly applies: (variant: Variant) => boolean;
  /** `open` opens one more stream for the same node. */
  readonly play: (play: Play, open: () => Play) => Promise<void>;
}

const always = () => true;
const inSotw = ({ mode }: Variant) => mode === "sotw";
const inDelta = ({ mode }: Variant) => mode === "delta";
const aggregated = (variant: Variant) => variant.aggregated;

/** Subscribes to these names, or to all, and reads the first response. */
async function begin(play: Play, service: DiscoveryService, names: readonly string[], expected = names): Promise<void> {
  await play.given({ [service]: ["A", "B", "C"] }, "1");
  play.stream.subscribe(service, names);
  await play.receivesFirst(service, { names: expected, version: "1" });
}

const all = ["A", "B", "C"];

export const extension: readonly ExtensionCase[] = [
  {
    title: "what was rejected goes again with the next change: a SotW response of a listed type says everything",
    service: "CDS",
    applies: inSotw,
    play: async (play) => {
      await begin(play, "CDS", ["A", "B"]);
      play.stream.reply = () => ({ nack: "no" });
      await play.node.put("CDS", "A", "2");
      const rejected = await play.stream.next();
      equal(rejected.resources.has("A"), true);
      play.stream.reply = () => "ack";
      await play.node.put("CDS", "B", "3");
      await play.receives("CDS", { names: ["A", "B"], version: "3" });
    },
  },
  {
    title: "a rejected resource is not sent with other changes, and is sent again when it changes",
    service: "CDS",
    applies: inDelta,
    play: async (play) => {
      await begin(play, "CDS", ["A", "B"]);
      play.stream.reply = () => ({ nack: "no" });
      await play.node.put("CDS", "A", "2");
      const rejected = await play.stream.next();
      equal(rejected.resources.has("A"), true);
      play.stream.reply = () => "ack";
      await play.node.put("CDS", "B", "3");
      await play.receives("CDS", { names: ["B"], version: "3" });
      await play.node.put("CDS", "A", "4");
      await play.receives("CDS", { names: ["A"], version: "4" });
    },
  },
  {
    title: "a first request with a NACK of an earlier stream still subscribes",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await play.given({ CDS: all }, "1");
      if (play.stream.variant.mode === "sotw") play.stream.sendSotw("CDS", { nonce: "77", error: "no" });
      else play.stream.sendDelta("CDS", { nonce: "77", error: "no" });
      const everything = await play.stream.next();
      deepEqual([...everything.resources.keys()].toSorted(), [...all, fenceName]);
    },
  },
  {
    title: "a request with a stale nonce is ignored",
    service: "EDS",
    applies: inSotw,
    play: async (play) => {
      await begin(play, "EDS", ["A"]);
      const old = play.stream.nonce("EDS");
      await play.node.put("EDS", "A", "2");
      await play.receives("EDS", { names: ["A"], version: "2" });
      play.stream.sendSotw("EDS", { nonce: old });
      await play.receivesNothing("EDS");
    },
  },
  {
    title: "the first request of a type may carry any nonce",
    service: "EDS",
    applies: inSotw,
    play: async (play, open) => {
      await begin(play, "EDS", ["A"]);
      const again = open();
      again.stream.subscribe("EDS", ["A"]);
      again.stream.sendSotw("EDS", { nonce: "from another stream" });
      await again.receivesFirst("EDS", { names: ["A"], version: "1" });
    },
  },
  {
    title: "no response is sent before the last one is answered, then the newest state is sent",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await begin(play, "CDS", ["A", "B"]);
      play.stream.reply = () => "silence";
      await play.node.put("CDS", "A", "2");
      const second = await play.stream.next();
      play.stream.reply = () => "ack";
      await play.node.put("CDS", "A", "3");
      await play.node.put("CDS", "B", "4");
      if (play.stream.variant.mode === "sotw") play.stream.sendSotw("CDS", { nonce: second.nonce });
      else play.stream.sendDelta("CDS", { nonce: second.nonce });
      await play.receives("CDS", { names: ["A", "B"], version: "4" });
    },
  },
  {
    title: "a client may change from names to wildcard, and back",
    service: "CDS",
    applies: inSotw,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.subscribe("CDS", ["*"]);
      const everything = await play.stream.next();
      deepEqual([...everything.resources.keys()].toSorted(), [...all, fenceName]);
      play.stream.subscribe("CDS", ["B"]);
      await play.stream.next();
      await play.node.put("CDS", "A", "2");
      await play.receivesNothing("CDS");
      await play.node.put("CDS", "B", "3");
      await play.receives("CDS", { names: ["B"], version: "3" });
    },
  },
  {
    title: "an empty list after names unsubscribes, also before the last response is answered",
    service: "LDS",
    applies: inSotw,
    play: async (play) => {
      await begin(play, "LDS", ["A"]);
      play.stream.leaveAll("LDS");
      play.stream.sendSotw("LDS");
      await play.receivesNothing("LDS");
      await play.node.put("LDS", "A", "2");
      await play.receivesNothing("LDS");
    },
  },
  {
    title: "a client may add the wildcard to names, and remove it again",
    service: "CDS",
    applies: inDelta,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.subscribe("CDS", ["*"]);
      const everything = await play.stream.next();
      deepEqual([...everything.resources.keys()].toSorted(), [...all, fenceName]);
      await play.receivesNothing("CDS");
      play.stream.unsubscribe("CDS", ["*"]);
      await play.receivesNothing("CDS");
      await play.node.put("CDS", "B", "2");
      await play.receivesNothing("CDS");
      await play.node.put("CDS", "A", "3");
      await play.receives("CDS", { names: ["A"], version: "3" });
    },
  },
  {
    title: "a wildcard subscription that ends at once gets nothing",
    service: "CDS",
    applies: inDelta,
    play: async (play) => {
      await play.given({ CDS: all }, "1");
      play.stream.sendDelta("CDS", { subscribe: ["*"], unsubscribe: ["*"] });
      play.stream.subscribe("CDS", ["A"]);
      await play.receivesFirst("CDS", { names: ["A"], version: "1" });
    },
  },
  {
    title: "a repeated subscription is answered again",
    service: "EDS",
    applies: inDelta,
    play: async (play) => {
      await begin(play, "EDS", ["A", "B"]);
      play.stream.subscribe("EDS", ["A"]);
      await play.receives("EDS", { names: ["A"], version: "1" });
    },
  },
  {
    title: "a reconnecting client gets only changes and removals",
    service: "LDS",
    applies: inDelta,
    play: async (play, open) => {
      await play.given({ LDS: all }, "1");
      play.stream.sendDelta("LDS", {});
      const first = await play.stream.next();
      play.stream.cancel();
      const held = Object.fromEntries(first.resources);
      const same = open();
      same.stream.sendDelta("LDS", { held });
      equal(describe(await same.stream.next()), "LDS");
      same.stream.cancel();
      await play.node.put("LDS", "A", "2");
      await play.node.remove("LDS", "B");
      const behind = open();
      behind.stream.sendDelta("LDS", { held });
      equal(describe(await behind.stream.next()), "LDS +A -B");
    },
  },
  {
    title: "endpoints follow their cluster before the cluster is acknowledged",
    service: "CDS",
    applies: aggregated,
    play: async (play) => {
      const endpoints = play.node.endpointsOf("A");
      await play.given({ CDS: ["A"], EDS: [endpoints] }, "1");
      play.stream.subscribe("CDS", ["A"]);
      await play.receivesFirst("CDS", { names: ["A"], version: "1" });
      play.stream.subscribe("EDS", [endpoints]);
      await play.receivesFirst("EDS", { names: [endpoints], version: "1" });
      play.stream.reply = ({ service }) => (service === "CDS" ? "silence" : "ack");
      await play.node.put("CDS", "A", "2");
      const order = [await play.stream.next(), await play.stream.next()];
      deepEqual(order.map(describe), ["CDS +A", `EDS +${endpoints}`]);
    },
  },
  {
    title: "ten thousand subscribed names get one response",
    service: "EDS",
    applies: always,
    play: async (play) => {
      const names = Array.from({ length: 10_000 }, (_, index) => `N${index}`);
      await play.given({ EDS: ["A"] }, "1");
      await play.node.setMany?.("EDS", names, "1");
      play.stream.subscribe("EDS", names);
      const { resources, removed } = await play.stream.next();
      // A server without these resources reports them as absent, in the way of its protocol.
      const answered = play.node.setMany === undefined ? removed.length : resources.size;
      const expected = play.node.setMany === undefined && play.stream.variant.mode === "sotw" ? 0 : names.length;
      equal(answered, expected);
    },
  },
  {
    title: "a client that does not read gets the newest state later, and delays no other client",
    service: "CDS",
    applies: always,
    play: async (play, open) => {
      await begin(play, "CDS", ["A", "B"]);
      const other = open();
      other.stream.subscribe("CDS", ["A"]);
      await other.receivesFirst("CDS", { names: ["A"], version: "1" });
      play.stream.pause();
      for (const version of ["2", "3", "4", "5", "6"]) {
        await play.node.put("CDS", "A", version);
        await other.receives("CDS", { names: ["A"], version });
      }
      play.stream.resume();
      const missed = await play.stream.fence("CDS");
      ok(missed.length <= 2, `${missed.length} responses for five changes`);
      ok(missed.at(-1)?.resources.has("A"), "the newest state is missing");
    },
  },
  {
    title: "a half-closed stream ends with OK",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.halfClose();
      equal(await play.stream.ended(), status.OK);
    },
  },
  {
    title: "a changed node within a stream is rejected",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      const extra = { nodeId: play.node.id.replace(/.$/, "!") };
      if (play.stream.variant.mode === "sotw") play.stream.sendSotw("CDS", extra);
      else play.stream.sendDelta("CDS", extra);
      equal(await play.stream.ended(), status.INVALID_ARGUMENT);
    },
  },
  {
    title: "a repeated node is accepted",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      const extra = { nodeId: play.node.id };
      if (play.stream.variant.mode === "sotw") play.stream.sendSotw("CDS", extra);
      else play.stream.sendDelta("CDS", extra);
      await play.receivesNothing("CDS");
    },
  },
  {
    title: "a stream of one type rejects other types",
    service: "CDS",
    applies: (variant) => !variant.aggregated,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.subscribe("LDS", ["A"]);
      equal(await play.stream.ended(), status.INVALID_ARGUMENT);
    },
  },
];
