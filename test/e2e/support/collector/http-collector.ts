import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fromBinary } from "@bufbuild/protobuf";
import { ExportTraceServiceRequestSchema } from "#gen/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import type { TablePeer } from "../../policy-table/row.ts";
import { type CollectedSpan, spansIn } from "./spans.ts";
import { listenLocally } from "../../../../src/testing/server/listen-locally.ts";

/** A collector of spans over HTTP: Zipkin, OpenTelemetry, and bytes of Datadog. */
export interface HttpCollector extends TablePeer {
  readonly zipkin: readonly CollectedSpan[];
  readonly otlp: readonly CollectedSpan[];
  /** Every export: its path and its headers. */
  readonly exports: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Traces of Datadog, as they arrived. */
  readonly datadog: readonly Buffer[];
  /** The lines in the file for access logs. */
  readonly lines: () => readonly string[];
}

/** The file for access logs of the run whose collector has this port. The collector removes it in the end. */
export function accessLogFile(port: number): string {
  return join(tmpdir(), `binnacle-access-${port}.log`);
}

interface ZipkinSpan {
  readonly traceId: string;
  readonly parentId?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export async function startHttpCollector(): Promise<HttpCollector> {
  const zipkin: CollectedSpan[] = [];
  const otlp: CollectedSpan[] = [];
  const datadog: Buffer[] = [];
  const exports: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  const take = (path: string, body: Buffer) => {
    if (path.startsWith("/api/v2/spans")) zipkin.push(...zipkinSpans(body));
    else if (path.startsWith("/v1/traces")) otlp.push(...spansIn(fromBinary(ExportTraceServiceRequestSchema, body)));
    else if (path.startsWith("/v0.4/traces")) datadog.push(body);
  };
  const server = createServer((request, response) => {
    const { url: path = "", headers } = request;
    const finish = async () => {
      take(path, await buffer(request));
      exports.push({ path, headers });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    };
    finish().catch(() => response.destroy());
  });
  const port = await listenLocally(server);
  const file = accessLogFile(port);
  writeFileSync(file, "");
  const stop = async () => {
    rmSync(file);
    await server[Symbol.asyncDispose]();
  };
  const lines = () => readFileSync(file, "utf8").split("\n");
  return { port, zipkin, otlp, datadog, exports, lines, [Symbol.asyncDispose]: stop };
}

function zipkinSpans(body: Buffer): readonly CollectedSpan[] {
  const spans = JSON.parse(body.toString()) as readonly ZipkinSpan[];
  return spans.map(({ traceId, parentId = "", tags = {} }) => ({ traceId, parentId, tags, resource: {} }));
}
