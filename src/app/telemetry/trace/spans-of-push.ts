import type { ConfigId, Origin } from "../../../config/config.ts";
import type { JournalObject } from "../../../desk/journal/recorded-change.ts";
import type { PushTrail, TracedChange } from "./push-trail.ts";
import type { Traced } from "./change-tracer.ts";
import { eventTable, spanTable } from "./span-table.ts";
import type { FinishedSpan, SpanEvent, SpanLink } from "./span.ts";
import { named, type NamedAttributes, TraceBuilder, type TraceBuilderOptions } from "./trace-builder.ts";

export interface SpanTools extends TraceBuilderOptions {
  readonly originOf: (id: ConfigId) => Pick<Origin, "reference"> | undefined;
  /** When the object of the change was written, if that is known. */
  readonly editedAt: (change: TracedChange) => number | undefined;
}

/** The largest number of objects, and of rejections, that a trace shows. */
const maxObjects = 20;
const maxRejections = 10;

/** The spans of all traces of a push: one trace for each of its changes. */
export function spansOf(traced: Traced, tools: SpanTools): readonly FinishedSpan[] {
  if (traced.type === "not pushed") return lonelySpans(traced.traced, tools);
  const { trail } = traced;
  const [first, ...others] = trail.changes;
  if (first === undefined) return [];
  const builder = new TraceBuilder(tools);
  const root = addChange(builder, { traced: first, trail, links: [] }, tools);
  addPush(builder, trail, root, tools);
  return [
    ...builder.spans,
    ...others.flatMap((other) => {
      const linked = new TraceBuilder(tools);
      addChange(linked, { traced: other, trail, links: [root] }, tools);
      return linked.spans;
    }),
  ];
}

function lonelySpans(traced: TracedChange, tools: SpanTools): readonly FinishedSpan[] {
  const builder = new TraceBuilder(tools);
  addChange(builder, { traced, trail: undefined, links: [] }, tools);
  return builder.spans;
}

interface ChangeFacts {
  readonly traced: TracedChange;
  /** Undefined if no push followed. */
  readonly trail: PushTrail | undefined;
  readonly links: readonly SpanLink[];
}

/** The root, and the spans before the push. */
function addChange(builder: TraceBuilder, { traced, trail, links }: ChangeFacts, tools: SpanTools): SpanLink {
  const { change, eventAt } = traced;
  const editedAt = tools.editedAt(traced);
  const startAt = editedAt ?? eventAt ?? change.at;
  const root = builder.add({
    row: spanTable.change,
    startAt,
    endAt: trail === undefined ? change.at : trail.lastAt,
    attributes: {
      changeId: change.id,
      changeObjects: change.total,
      changeStage: trail === undefined ? "not pushed" : "pushed",
      endpointsOnly: change.endpointsOnly,
      ...objectAttributes(change.objects[0]),
      push: trail?.push.facts.number,
      changes: trail?.changes.length,
    },
    events: change.objects.slice(0, maxObjects).map((object) => ({
      name: eventTable.object[0],
      at: change.at,
      attributes: named(objectAttributes(object)),
    })),
    links,
    error: trail && firstRejection(trail, tools),
  });
  if (editedAt !== undefined)
    builder.add({ row: spanTable.read, startAt: editedAt, endAt: eventAt ?? change.at }, root);
  if (eventAt !== undefined) builder.add({ row: spanTable.commit, startAt: eventAt, endAt: change.at }, root);
  if (trail === undefined) return root;
  const { at, buildMs } = trail.push.facts;
  builder.add(
    { row: spanTable.debounce, startAt: change.at, endAt: at - buildMs, events: trail.failures.map(failureEvent) },
    root,
  );
  return root;
}

function objectAttributes(object: JournalObject | undefined): NamedAttributes {
  if (object === undefined) return {};
  const { kind, namespace, name, operation, source, reference } = object;
  return { object: `${kind}/${namespace}/${name}`, operation, place: reference, source };
}

function failureEvent({ at, message }: PushTrail["failures"][number]): SpanEvent {
  return { name: eventTable.failed[0], at, attributes: named({ message }) };
}

/** The spans from the push on. */
function addPush(builder: TraceBuilder, trail: PushTrail, root: SpanLink, tools: SpanTools): void {
  const { facts, types } = trail.push;
  const { number, at, buildMs, reasons } = facts;
  builder.add(
    { row: spanTable.generate, startAt: at - buildMs, endAt: at, attributes: { push: number, reasons } },
    root,
  );
  for (const [type, { firstAt, lastAt, proxies }] of trail.types) {
    const { responses = 0, resources = 0, removed = 0, bytes = 0 } = types.get(type) ?? {};
    const attributes = { type, responses, proxies, resources, removed, bytes };
    builder.add({ row: spanTable.push, name: `push ${type}`, startAt: firstAt, endAt: lastAt, attributes }, root);
  }
  addAnswers(builder, trail, root, tools);
}

/** One span for all proxies, and one for each of the slowest and for each different rejection. */
function addAnswers(builder: TraceBuilder, trail: PushTrail, root: SpanLink, tools: SpanTools): void {
  const { push, slowest } = trail;
  const { at } = push.facts;
  const { latencies } = push;
  const answers = builder.add(
    {
      row: spanTable.acknowledge,
      startAt: at,
      endAt: trail.lastAt,
      attributes: {
        proxies: push.owed,
        ...push.ended,
        behind: push.behind,
        ...(latencies.count > 0 && { p50: latencies.quantile(0.5), p99: latencies.quantile(0.99) }),
      },
      error: firstRejection(trail, tools),
    },
    root,
  );
  for (const { node, at: endAt } of slowest) {
    builder.add({ row: spanTable.slow, startAt: at, endAt, attributes: { node } }, answers);
  }
  for (const rejection of push.rejections.slice(0, maxRejections)) {
    const { type, message, resources, nodes, proxies } = rejection;
    const rejectedObjects = rejection.objects.map((id) => withPlace(id, tools));
    builder.add(
      {
        row: spanTable.rejection,
        startAt: at,
        endAt: trail.rejectedAt(type) ?? at,
        attributes: { type, proxies, nodes, message, rejectedResources: resources, rejectedObjects },
        error: rejectionText(rejection, tools),
      },
      answers,
    );
  }
}

type Rejection = PushTrail["push"]["rejections"][number];

function firstRejection({ push }: PushTrail, tools: SpanTools): string | undefined {
  const [first] = push.rejections;
  return first && rejectionText(first, tools);
}

/** `LDS rejected: WORDS (VirtualService/shop/reviews mesh/reviews.yaml:3)`. */
function rejectionText({ type, message, objects }: Rejection, tools: SpanTools): string {
  const behind = objects.length === 0 ? "" : ` (${objects.map((id) => withPlace(id, tools)).join(", ")})`;
  return `${type} rejected: ${message}${behind}`;
}

function withPlace(id: string, { originOf }: SpanTools): string {
  // The journal keeps ids of objects as plain texts.
  const origin = originOf(id as ConfigId);
  return origin === undefined ? id : `${id} ${origin.reference}`;
}
