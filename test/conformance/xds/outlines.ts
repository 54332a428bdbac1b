import type { Play } from "./play.ts";
import type { DiscoveryService, Variant } from "./subject.ts";

/** One of the public outlines: for which services, in which variants, and what happens. */
export interface Outline {
  readonly title: string;
  readonly modes: readonly Variant["mode"][];
  /** Only where several services share a stream. */
  readonly aggregatedOnly?: boolean;
  /** The first is the one a stream that is not aggregated is opened for. */
  readonly rows: readonly (readonly [DiscoveryService, ...DiscoveryService[]])[];
  readonly play: (play: Play, ...services: readonly [DiscoveryService, ...DiscoveryService[]]) => Promise<void>;
}

const listed: Outline["rows"] = [["CDS"], ["LDS"]];
const named: Outline["rows"] = [["RDS"], ["EDS"]];
const every: Outline["rows"] = [...listed, ...named];

/** The eighteen outlines of the public xDS test harness, in our words. */
export const outlines: readonly Outline[] = [
  {
    title: "a wildcard subscription gets all resources in one response",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, []);
      await play.receivesFirst(service, { names: ["A", "B", "C"], version: "1" });
    },
  },
  {
    title: "a wildcard subscription gets updates",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, []);
      await play.receivesFirst(service, { names: ["A", "B", "C"], version: "1" });
      await play.node.put(service, "A", "2");
      await play.receives(service, { names: ["A", "B", "C"], version: "2" });
    },
  },
  {
    title: "a wildcard subscription gets added resources",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, []);
      await play.receivesFirst(service, { names: ["A", "B", "C"], version: "1" });
      await play.node.put(service, "D", "2");
      await play.receives(service, { names: ["A", "B", "C", "D"], version: "2" });
    },
  },
  {
    title: "a subscription by name gets only named resources",
    modes: ["sotw", "delta"],
    rows: [["LDS"], ["RDS"]],
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["C", "A"]);
      await play.receivesFirst(service, { names: ["A", "C"], version: "1" });
    },
  },
  {
    title: "a change of one named resource brings all named resources",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["B", "D"]);
      await play.receivesFirst(service, { names: ["B", "D"], version: "1" });
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B", "D"], version: "2" });
    },
  },
  {
    title: "a change of one named resource brings only that one",
    modes: ["sotw"],
    rows: named,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["B", "D"]);
      await play.receivesFirst(service, { names: ["B", "D"], version: "1" });
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B"], version: "2" });
    },
  },
  {
    title: "a missing resource comes with all named resources once it exists",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, ["A", "Z"]);
      await play.receivesFirst(service, { names: ["A"], version: "1" });
      await play.node.put(service, "Z", "2");
      await play.receives(service, { names: ["A", "Z"], version: "2" });
    },
  },
  {
    title: "a missing resource comes once it exists",
    modes: ["sotw"],
    rows: named,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["A", "Z"]);
      await play.receivesFirst(service, { names: ["A"], version: "1" });
      await play.node.put(service, "Z", "2");
      await play.receives(service, { names: ["Z"], version: "2" });
    },
  },
  {
    title: "several services share a stream",
    modes: ["sotw"],
    aggregatedOnly: true,
    rows: [
      ["CDS", "LDS"],
      ["RDS", "EDS"],
    ],
    play: async (play, service, other = service) => {
      await play.given({ [service]: ["A", "B", "C"], [other]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, ["B"]);
      await play.receivesFirst(service, { names: ["B"], version: "1" });
      play.stream.subscribe(other, ["B"]);
      await play.receivesFirst(other, { names: ["B"], version: "1" });
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B"], version: "2" });
    },
  },
  {
    title: "a client that unsubscribes from some names still gets the others",
    modes: ["sotw"],
    rows: listed,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D", "F"] }, "1");
      play.stream.subscribe(service, ["C", "A", "B"]);
      await play.receivesFirst(service, { names: ["A", "B", "C"], version: "1" });
      play.stream.subscribe(service, ["A"]);
      await play.receivesNothing(service);
      await play.node.put(service, "A", "2");
      await play.receives(service, { names: ["A"], version: "2", more: true });
    },
  },
  {
    title: "a client that unsubscribes from some names gets only the others",
    modes: ["sotw"],
    rows: named,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["B", "D"]);
      await play.receivesFirst(service, { names: ["B", "D"], version: "1" });
      play.stream.subscribe(service, ["B"]);
      await play.receivesNothing(service);
      await play.node.put(service, "D", "2");
      await play.receivesNothing(service);
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B"], version: "2" });
    },
  },
  {
    title: "a client that unsubscribes from all names gets nothing",
    modes: ["sotw"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C", "D"] }, "1");
      play.stream.subscribe(service, ["A", "B"]);
      await play.receivesFirst(service, { names: ["A", "B"], version: "1" });
      play.stream.leaveAll(service);
      await play.receivesNothing(service);
      await play.node.put(service, "B", "2");
      await play.receivesNothing(service);
    },
  },
  {
    title: "resources are subscribed to one after the other",
    modes: ["delta"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, ["A"]);
      await play.receivesFirst(service, { names: ["A"], version: "1" });
      play.stream.subscribe(service, ["B"]);
      await play.receives(service, { names: ["B"], version: "1" });
    },
  },
  {
    title: "an update brings only the updated resources",
    modes: ["delta"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, ["A", "B", "C"]);
      await play.receivesFirst(service, { names: ["A", "B", "C"], version: "1" });
      await play.node.put(service, "A", "2");
      await play.receives(service, { names: ["A"], version: "2" });
    },
  },
  {
    title: "a missing resource is reported as removed, and comes once it exists",
    modes: ["delta"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A"] }, "1");
      play.stream.subscribe(service, ["A", "B"]);
      const { removed } = await play.receivesFirst(service, { names: ["A"], version: "1" });
      if (removed.join() !== "B") throw new Error("B was not told to be missing");
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B"], version: "2" });
    },
  },
  {
    title: "a removal is sent, and so is a resource that returns",
    modes: ["delta"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B"] }, "1");
      play.stream.subscribe(service, ["A", "B"]);
      await play.receivesFirst(service, { names: ["A", "B"], version: "1" });
      await play.node.remove(service, "B");
      await play.isToldOfRemoval(service, "B");
      await play.node.put(service, "B", "2");
      await play.receives(service, { names: ["B"], version: "2" });
    },
  },
  {
    title: "an unsubscribed name gets no updates",
    modes: ["delta"],
    rows: every,
    play: async (play, service) => {
      await play.given({ [service]: ["A", "B"] }, "1");
      play.stream.subscribe(service, ["A", "B"]);
      await play.receivesFirst(service, { names: ["A", "B"], version: "1" });
      for (const name of ["B", "A"]) {
        play.stream.unsubscribe(service, [name]);
        await play.receivesNothing(service);
        await play.node.put(service, name, "2");
        await play.receivesNothing(service);
      }
    },
  },
  {
    title: "several services share an incremental stream",
    modes: ["delta"],
    aggregatedOnly: true,
    rows: [
      ["CDS", "LDS"],
      ["LDS", "CDS"],
      ["RDS", "EDS"],
      ["EDS", "RDS"],
    ],
    play: async (play, service, other = service) => {
      await play.given({ [service]: ["A", "B", "C"], [other]: ["A", "B", "C"] }, "1");
      play.stream.subscribe(service, ["B"]);
      await play.receivesFirst(service, { names: ["B"], version: "1" });
      play.stream.subscribe(other, ["B"]);
      await play.receivesFirst(other, { names: ["B"], version: "1" });
      for (const each of [service, other]) {
        await play.node.put(each, "B", "2");
        await play.receives(each, { names: ["B"], version: "2" });
      }
    },
  },
];
