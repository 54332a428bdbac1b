/** The values of attributes. A whole number is sent as an integer. */
export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Something that happened during a span. All times of finished spans are in milliseconds since the epoch. */
export interface SpanEvent {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
}

/** A span of another trace. Ids are hexadecimal. */
export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

/** A finished span. Its id and its trace are assigned when the trace is complete. */
export interface FinishedSpan extends SpanLink {
  /** Empty for the root of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  /** The reason of an error; undefined if all is well. */
  readonly error: string | undefined;
}
