import fc from "fast-check";

/** The content of an object. `gone` deletes the object, and sinks reject `bad`. */
export interface McpWrite {
  readonly collection: number;
  readonly key: number;
  readonly content: string;
}

/** Messages that our own sinks never send. */
const noises = ["duplicate", "stale ack", "stale nack", "resubscribe", "unknown"] as const;

/** One step of a story. Numbers of sinks and collections count modulo how many there are. */
export type McpStep =
  | ({ readonly type: "write" } & McpWrite)
  | { readonly type: "publish" }
  | { readonly type: "deliver"; readonly sink: number; readonly to: "sink" | "source"; readonly count: number }
  | { readonly type: "settle"; readonly sink: number }
  | { readonly type: "cut"; readonly sink: number }
  | { readonly type: "connect"; readonly sink: number }
  | { readonly type: "mood"; readonly sink: number; readonly throws: boolean }
  | {
      readonly type: "noise";
      readonly sink: number;
      readonly noise: (typeof noises)[number];
      readonly collection: number;
    }
  /** Publishes while a sink neither reads nor answers. Afterwards the sink does both. */
  | { readonly type: "stall"; readonly sink: number; readonly writes: readonly McpWrite[] }
  /** A sink repeats its request while a push is on its way. The sink may throw when that push arrives. */
  | { readonly type: "crossing"; readonly sink: number; readonly write: McpWrite; readonly throws: boolean }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "restart" };

export interface Story {
  /** Per sink: true if it requests incremental updates. */
  readonly sinks: readonly boolean[];
  /** True if the source sends incremental updates. */
  readonly differences: boolean;
  /** The limit of subscriptions per second, and of the burst. */
  readonly budget: number;
  readonly steps: readonly McpStep[];
}

const sink = fc.nat({ max: 2 });
/** Mostly the first collection, so that many steps meet in one place. */
const collection = fc.constantFrom(0, 0, 0, 1, 2, 3);
const write = fc.record({
  collection,
  key: fc.nat({ max: 2 }),
  content: fc.constantFrom("1", "2", "3", "gone", "gone", "bad"),
});

const step: fc.Arbitrary<McpStep> = fc.oneof(
  { weight: 6, arbitrary: write.map((each) => ({ type: "write" as const, ...each })) },
  { weight: 4, arbitrary: fc.constant({ type: "publish" as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("deliver" as const),
      sink,
      to: fc.constantFrom("sink" as const, "source" as const),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("settle" as const), sink }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("cut" as const), sink }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("connect" as const), sink }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("mood" as const), sink, throws: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("noise" as const),
      sink,
      noise: fc.constantFrom(...noises),
      collection,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant("stall" as const), sink, writes: fc.array(write, { maxLength: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.constantFrom(50, 1_000, 15_000) }) },
  { weight: 2, arbitrary: fc.constant({ type: "restart" as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("crossing" as const), sink, write, throws: fc.boolean() }) },
);

/** Any story of a source and up to three sinks. */
export const anyMcpStory: fc.Arbitrary<Story> = fc.record({
  sinks: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  differences: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  budget: fc.constantFrom(2, 1000, 1000),
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: "max" }),
});
