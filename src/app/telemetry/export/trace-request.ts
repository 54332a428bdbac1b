import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from "#gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import {
  type Span,
  Span_EventSchema,
  Span_LinkSchema,
  Span_SpanKind,
  SpanSchema,
  Status_StatusCode,
  StatusSchema,
} from "#gen/opentelemetry/proto/trace/v1/trace_pb.js";
import type { Attributes, FinishedSpan } from "../trace/span.ts";
import { keyValues, resourceOf, unixNanos } from "./key-values.ts";
import type { ReadAnswer } from "./otlp-client.ts";

/** The facts that all requests share. */
export interface Sender {
  readonly resource: Attributes;
  readonly version: string;
}

export function traceRequest(spans: readonly FinishedSpan[], { resource, version }: Sender) {
  const scopeSpans = [{ scope: { name: "binnacle", version }, spans: spans.map(spanMessage) }];
  const request = create(ExportTraceServiceRequestSchema, {
    resourceSpans: [{ resource: resourceOf(resource), scopeSpans }],
  });
  return toBinary(ExportTraceServiceRequestSchema, request);
}

export const readTraceAnswer: ReadAnswer = (answer) => {
  const { partialSuccess } = fromBinary(ExportTraceServiceResponseSchema, answer);
  return { rejected: Number(partialSuccess?.rejectedSpans ?? 0), reason: partialSuccess?.errorMessage ?? "" };
};

function spanMessage(span: FinishedSpan): Span {
  const { error } = span;
  return create(SpanSchema, {
    traceId: bytesOf(span.traceId),
    spanId: bytesOf(span.spanId),
    parentSpanId: bytesOf(span.parentId),
    name: span.name,
    kind: Span_SpanKind.INTERNAL,
    startTimeUnixNano: unixNanos(span.startAt),
    endTimeUnixNano: unixNanos(span.endAt),
    attributes: keyValues(span.attributes),
    events: span.events.map(({ name, at, attributes }) =>
      create(Span_EventSchema, { name, timeUnixNano: unixNanos(at), attributes: keyValues(attributes) }),
    ),
    links: span.links.map(({ traceId, spanId }) =>
      create(Span_LinkSchema, { traceId: bytesOf(traceId), spanId: bytesOf(spanId) }),
    ),
    ...(error !== undefined && { status: create(StatusSchema, { code: Status_StatusCode.ERROR, message: error }) }),
  });
}

function bytesOf(hexadecimal: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(hexadecimal, "hex"));
}
