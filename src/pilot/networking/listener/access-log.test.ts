import { describe, expect, test } from "vitest";
import { AccessLogSchema } from "#gen/envoy/config/accesslog/v3/accesslog_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { noPolicies } from "../../../testing/model/no-policies.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { AccessLog } from "../../model/proxy/access-log.ts";
import { requestLogs, unmatchedLogs } from "./access-log.ts";

const writer = new ProtoWriter();
const text: AccessLog = { path: "/dev/stdout", format: { type: "text", text: "%PROTOCOL%\n" }, omitsEmpty: false };

function read(list: readonly Uint8Array[]) {
  return list.map((bytes) => decodedMessage(AccessLogSchema, bytes));
}

function written(accessLogs: readonly AccessLog[], logsUnmatched = true) {
  const mesh = { ...defaultMeshSettings, accessLogs, logsUnmatched };
  const context = { direction: "outbound", mesh, policies: noPolicies } as const;
  return { handled: read(requestLogs(context, writer)), unmatched: read(unmatchedLogs(context, writer)) };
}

describe("access logs", () => {
  test("are lines of text in a file", () => {
    expect(written([text]).handled).toEqual([
      {
        name: "envoy.access_loggers.file",
        typedConfig: {
          "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
          path: "/dev/stdout",
          logFormat: { textFormatSource: { inlineString: "%PROTOCOL%\n" } },
        },
      },
    ]);
  });

  test("are JSON, whose fields may be objects", () => {
    const fields = { p: "%PROTOCOL%", who: { agent: "%REQ(USER-AGENT)%" } };
    const [log] = written([{ ...text, format: { type: "json", fields }, omitsEmpty: true }]).handled;
    expect(log).toMatchObject({
      typedConfig: { logFormat: { jsonFormat: fields, jsonFormatOptions: {}, omitEmptyValues: true } },
    });
  });

  test.each<AccessLog["format"]>([
    { type: "text", text: "%REQ_WITHOUT_QUERY(:PATH)%\n" },
    { type: "json", fields: { path: "%REQ_WITHOUT_QUERY(:PATH)%" } },
  ])("include the formatter for paths without queries: %j", (format) => {
    expect(written([{ ...text, format }]).handled).toMatchObject([
      { typedConfig: { logFormat: { formatters: [{ name: "envoy.formatter.req_without_query" }] } } },
    ]);
  });

  test("of listeners record connections that match no chain", () => {
    const { handled, unmatched } = written([text]);
    expect(unmatched).toEqual(handled.map((log) => ({ ...log, filter: { responseFlagFilter: { flags: ["NR"] } } })));
    expect(written([text], false).unmatched).toEqual([]);
  });

  test("are absent unless configured", () => {
    expect(written([])).toEqual({ handled: [], unmatched: [] });
  });
});
