import { deepEqual, equal, ok } from "node:assert/strict";
import { status } from "@grpc/grpc-js";
import { describe, type Play } from "./play.ts";
import { fenceName, type Service, type Variant } from "./subject.ts";

/** A case that the public suite lacks. */
export interface ExtensionCase {
  readonly title: string;
  readonly service: Service;
  readonly applies: (variant: Variant) => boolean;
  /** `open` opens one more stream for the same node. */
  readonly play: (play: Play, open: () => Play) => Promise<void>;
}

const always = () => true;
const inSotw = ({ mode }: Variant) => mode === "sotw";
const inDelta = ({ mode }: Variant) => mode === "delta";
const aggregated = (variant: Variant) => variant.aggregated;

/** Subscribes to these names, or to all, and reads the first response. */
async function begin(play: Play, service: Service, names: readonly string[], expected = names): Promise<void> {
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
    title: "what was rejected does not go along with other news, and goes again when it changes",
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
    title: "a first request that rejects something of an earlier stream asks all the same",
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
    title: "a request about an older response is not heard",
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
    title: "while a response is unanswered no other leaves, and then the newest state does",
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
    title: "all may be asked for after names, and names after all",
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
    title: "an empty list after names means nothing, also when the last response is still unanswered",
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
    title: "all may be asked for beside names, and left again",
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
    title: "who subscribes to all and leaves that at once gets nothing yet",
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
    title: "who subscribes to what it has is answered again",
    service: "EDS",
    applies: inDelta,
    play: async (play) => {
      await begin(play, "EDS", ["A", "B"]);
      play.stream.subscribe("EDS", ["A"]);
      await play.receives("EDS", { names: ["A"], version: "1" });
    },
  },
  {
    title: "who comes back gets what changed meanwhile, is told what went, and nothing else",
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
    title: "endpoints are sent again after their cluster, and before the cluster is acknowledged",
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
    title: "ten thousand names are asked for and answered at once",
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
    title: "who does not read gets the newest state when it does, and keeps nobody else waiting",
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
    title: "who says that it is done is let go with OK",
    service: "CDS",
    applies: always,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.halfClose();
      equal(await play.stream.ended(), status.OK);
    },
  },
  {
    title: "a node that changes within a stream is refused",
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
    title: "a node that is repeated is nothing new",
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
    title: "a stream of one type takes no other",
    service: "CDS",
    applies: (variant) => !variant.aggregated,
    play: async (play) => {
      await begin(play, "CDS", ["A"]);
      play.stream.subscribe("LDS", ["A"]);
      equal(await play.stream.ended(), status.INVALID_ARGUMENT);
    },
  },
];
