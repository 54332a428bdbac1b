import fc from "fast-check";

/** What an object says; `gone` deletes it, and sinks refuse what is `bad`. */
export interface Write {
  readonly collection: number;
  readonly key: number;
  readonly content: string;
}

/** What sinks say that no sink of ours would. */
const noises = ["duplicate", "stale ack", "stale nack", "resubscribe", "unknown"] as const;

/** One thing that happens. Numbers of sinks and collections are taken modulo how many there are. */
export type Step =
  | ({ readonly type: "write" } & Write)
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
  /** Publishes while a sink neither reads nor answers; then it does. */
  | { readonly type: "stall"; readonly sink: number; readonly writes: readonly Write[] }
  /** A sink asks again while a push is on its way to it, which it then throws at, perhaps. */
  | { readonly type: "crossing"; readonly sink: number; readonly write: Write; readonly throws: boolean }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "restart" };

export interface Story {
  /** Per sink: whether it asks for differences. */
  readonly sinks: readonly boolean[];
  /** Whether the source gives them. */
  readonly differences: boolean;
  /** Subscriptions per second, and at once. */
  readonly budget: number;
  readonly steps: readonly Step[];
}

const sink = fc.nat({ max: 2 });
/** Mostly one of them, so that much happens to few. */
const collection = fc.constantFrom(0, 0, 0, 1, 2, 3);
const write = fc.record({
  collection,
  key: fc.nat({ max: 2 }),
  content: fc.constantFrom("1", "2", "3", "gone", "gone", "bad"),
});

const step: fc.Arbitrary<Step> = fc.oneof(
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

/** Anything that can happen between a source and up to three sinks. */
export const anyMcpStory: fc.Arbitrary<Story> = fc.record({
  sinks: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  differences: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  budget: fc.constantFrom(2, 1000, 1000),
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: "max" }),
});
