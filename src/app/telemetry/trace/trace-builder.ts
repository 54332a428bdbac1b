import { type AttributeName, attributeName, type spanTable } from "./span-table.ts";
import type { Attributes, AttributeValue, FinishedSpan, SpanEvent, SpanLink } from "./span.ts";

type SpanRow = (typeof spanTable)[keyof typeof spanTable];
export type NamedAttributes<Name extends AttributeName = AttributeName> = {
  readonly [Each in Name]?: AttributeValue | undefined;
};

/** A span without its ids, with the times of the clock. The compiler accepts only the attributes of its row. */
export interface SpanFacts<Row extends SpanRow> {
  readonly row: Row;
  /** Instead of the name in the row, where that has a placeholder. */
  readonly name?: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes?: NamedAttributes<Row["attributes"][number]>;
  readonly events?: readonly SpanEvent[];
  readonly links?: readonly SpanLink[];
  readonly error?: string | undefined;
}

/** Random hexadecimal text for this many bytes. */
type NewId = (bytes: number) => string;

export interface TraceBuilderOptions {
  readonly newId: NewId;
  /** The time of day of a time of the clock, in milliseconds since the epoch. */
  readonly epochMsOf: (clockMs: number) => number;
}

/** Collects the spans of one trace. */
export class TraceBuilder {
  readonly traceId: string;
  readonly spans: FinishedSpan[] = [];
  readonly #options: TraceBuilderOptions;

  constructor(options: TraceBuilderOptions) {
    this.#options = options;
    this.traceId = options.newId(16);
  }

  /** Returns the span, as a parent for others. Without a parent it is the root. */
  add<Row extends SpanRow>(facts: SpanFacts<Row>, parent?: SpanLink): SpanLink {
    const { row, name = row.name, startAt, endAt, attributes = {}, events = [], links = [], error } = facts;
    const { newId, epochMsOf } = this.#options;
    const span = {
      traceId: this.traceId,
      spanId: newId(8),
      parentId: parent?.spanId ?? "",
      name,
      startAt: epochMsOf(startAt),
      endAt: epochMsOf(Math.max(startAt, endAt)),
      attributes: named(attributes),
      events: events.map((event) => ({ ...event, at: epochMsOf(event.at) })),
      links,
      error,
    };
    this.spans.push(span);
    return span;
  }
}

/** Attributes by their names on the wire, without absent ones. */
export function named(attributes: NamedAttributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([key, value]) =>
      // The keys of a NamedAttributes are names of attributes.
      value === undefined ? [] : [[attributeName(key as AttributeName), value]],
    ),
  );
}
