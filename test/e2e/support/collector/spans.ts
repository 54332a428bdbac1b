import type { ExportTraceServiceRequest } from "#gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type { KeyValue } from "#gen/opentelemetry/proto/common/v1/common_pb.js";

/** A span in a form that all protocols have in common. Ids are hexadecimal. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly parentId: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Attributes of the sender. */
  readonly resource: Readonly<Record<string, string>>;
}

/** The spans in a request of OpenTelemetry. */
export function spansIn({ resourceSpans }: ExportTraceServiceRequest): readonly CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, parentSpanId, attributes }) => ({
        traceId: Buffer.from(traceId).toString("hex"),
        parentId: Buffer.from(parentSpanId).toString("hex"),
        tags: textsOf(attributes),
        resource: textsOf(resource?.attributes ?? []),
      })),
  );
}

/** Attributes with texts. */
export function textsOf(attributes: readonly KeyValue[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value?.value.case === "stringValue" ? value.value.value : ""]),
  );
}
