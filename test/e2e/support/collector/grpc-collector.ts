import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import {
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { type StreamAccessLogsMessage, StreamAccessLogsMessageSchema } from "#gen/envoy/service/accesslog/v3/als_pb.js";
import { ExportLogsServiceRequestSchema } from "#gen/opentelemetry/proto/collector/logs/v1/logs_service_pb.js";
import { ExportTraceServiceRequestSchema } from "#gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type { LogRecord } from "#gen/opentelemetry/proto/logs/v1/logs_pb.js";
import type { TablePeer } from "../../policy-table/row.ts";
import { type CollectedSpan, spansIn, textsOf } from "./spans.ts";

/** An entry of an access log in Envoy's own protocol. Each request or connection has one. */
interface LoggedEntry {
  readonly logName: string;
  readonly http?: { readonly path: string; readonly code: number; readonly headers: Readonly<Record<string, string>> };
  readonly tcp?: { readonly received: number };
}

interface LoggedRecord {
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A collector of access logs and spans over gRPC: Envoy's own protocol, OpenTelemetry, and bytes of SkyWalking. */
export interface GrpcCollector extends TablePeer {
  readonly entries: readonly LoggedEntry[];
  readonly records: readonly LoggedRecord[];
  readonly spans: readonly CollectedSpan[];
  /** Segments of SkyWalking, as they arrived. */
  readonly segments: readonly Buffer[];
}

export async function startGrpcCollector(): Promise<GrpcCollector> {
  const entries: LoggedEntry[] = [];
  const records: LoggedRecord[] = [];
  const spans: CollectedSpan[] = [];
  const segments: Buffer[] = [];
  const server = new Server();
  server.addService(streaming("/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs"), {
    call: reading((bytes, stream: { name?: string }) => {
      const message = fromBinary(StreamAccessLogsMessageSchema, bytes);
      stream.name ??= message.identifier?.logName ?? "";
      entries.push(...entriesIn(message, stream.name));
    }),
  });
  server.addService(streaming("/skywalking.v3.TraceSegmentReportService/collect"), {
    call: reading((bytes) => segments.push(bytes)),
  });
  server.addService(unary("/opentelemetry.proto.collector.logs.v1.LogsService/Export"), {
    call: answering(ExportLogsServiceRequestSchema, ({ resourceLogs }) => {
      const all = resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
      records.push(...all.map(recordOf));
    }),
  });
  server.addService(unary("/opentelemetry.proto.collector.trace.v1.TraceService/Export"), {
    call: answering(ExportTraceServiceRequestSchema, (request) => spans.push(...spansIn(request))),
  });
  const port = await bind(server);
  return { port, entries, records, spans, segments, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

function entriesIn({ logEntries }: StreamAccessLogsMessage, logName: string): readonly LoggedEntry[] {
  if (logEntries.case === "httpLogs") {
    return logEntries.value.logEntry.map(({ request, response }) => ({
      logName,
      http: {
        path: request?.path ?? "",
        code: response?.responseCode ?? 0,
        headers: request?.requestHeaders ?? {},
      },
    }));
  }
  if (logEntries.case !== "tcpLogs") return [];
  return logEntries.value.logEntry.map(({ connectionProperties }) => ({
    logName,
    tcp: { received: Number(connectionProperties?.receivedBytes ?? 0) },
  }));
}

function recordOf({ body, attributes }: LogRecord): LoggedRecord {
  return { body: body?.value.case === "stringValue" ? body.value.value : "", attributes: textsOf(attributes) };
}

const bytes = { serialize: (value: Buffer) => value, deserialize: (value: Buffer) => value };

function method(path: string, requestStream: boolean): ServiceDefinition {
  return {
    call: {
      path,
      requestStream,
      responseStream: false,
      requestSerialize: bytes.serialize,
      requestDeserialize: bytes.deserialize,
      responseSerialize: bytes.serialize,
      responseDeserialize: bytes.deserialize,
    },
  };
}

function streaming(path: string): ServiceDefinition {
  return method(path, true);
}

function unary(path: string): ServiceDefinition {
  return method(path, false);
}

/** Takes each message of a stream. The second argument is the same for all messages of one stream. */
function reading(take: (message: Buffer, stream: object) => void) {
  return (call: ServerReadableStream<Buffer, Buffer>, respond: sendUnaryData<Buffer>): void => {
    const stream = {};
    call.on("data", (message: Buffer) => take(message, stream));
    call.on("end", () => respond(null, Buffer.alloc(0)));
    // Envoy ends without a farewell.
    call.on("error", () => undefined);
  };
}

function answering<Desc extends DescMessage>(schema: Desc, take: (request: MessageShape<Desc>) => void) {
  return ({ request }: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>): void => {
    take(fromBinary(schema, request));
    respond(null, Buffer.alloc(0));
  };
}

function bind(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
