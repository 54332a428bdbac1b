import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { defaultJsonFormat, defaultTextFormat } from "../../model/proxy/access-log.ts";
import { accessLogsOf } from "./access-logs.ts";

function logsOf(mesh: JsonObject) {
  return accessLogsOf(fromJson(MeshConfigSchema, mesh));
}

const accessLogFile = "/dev/stdout";

describe("access logs contain", () => {
  test("nothing, by default", () => {
    expect(logsOf({})).toEqual([]);
  });

  test("the default fields, as text or as JSON", () => {
    const file = { path: accessLogFile, omitsEmpty: false };
    expect(logsOf({ accessLogFile })).toEqual([{ ...file, format: { type: "text", text: defaultTextFormat } }]);
    expect(logsOf({ accessLogFile, accessLogEncoding: "JSON" })).toEqual([
      { ...file, format: { type: "json", fields: defaultJsonFormat } },
    ]);
  });

  test("the fields of the mesh's format, with or without a line end in the format", () => {
    expect(logsOf({ accessLogFile, accessLogFormat: "%PROTOCOL%" })).toMatchObject([
      { format: { text: "%PROTOCOL%\n" } },
    ]);
    expect(logsOf({ accessLogFile, accessLogFormat: "%PROTOCOL%\n" })).toMatchObject([
      { format: { text: "%PROTOCOL%\n" } },
    ]);
    const accessLogFormat = '{"p": "%PROTOCOL%", "who": {"agent": "%REQ(USER-AGENT)%"}}';
    expect(logsOf({ accessLogFile, accessLogEncoding: "JSON", accessLogFormat })).toMatchObject([
      { format: { fields: { p: "%PROTOCOL%", who: { agent: "%REQ(USER-AGENT)%" } } } },
    ]);
  });

  test.each(["[%PROTOCOL%]", "[1]", "null"])(
    "the default fields where the format is no JSON object: %s",
    (accessLogFormat) => {
      expect(logsOf({ accessLogFile, accessLogEncoding: "JSON", accessLogFormat })).toMatchObject([
        { format: { fields: defaultJsonFormat } },
      ]);
    },
  );

  test("entries for the mesh's default providers by name, instead of the mesh's file", () => {
    const labels = { code: "%RESPONSE_CODE%" };
    const extensionProviders = [
      { name: "prometheus", prometheus: {} },
      { name: "envoy", envoyFileAccessLog: { path: "/dev/stdout" } },
      { name: "short", envoyFileAccessLog: { path: "/tmp/short", logFormat: { labels } } },
      { name: "terse", envoyFileAccessLog: { omitEmptyValues: true } },
    ];
    const accessLogging = ["terse", "short", "prometheus", "envoy", "unknown"];
    expect(logsOf({ accessLogFile: "/tmp/other", extensionProviders, defaultProviders: { accessLogging } })).toEqual([
      { path: "/dev/stdout", format: { type: "text", text: defaultTextFormat }, omitsEmpty: false },
      { path: "/tmp/short", format: { type: "json", fields: labels }, omitsEmpty: false },
      { path: "/dev/stdout", format: { type: "text", text: defaultTextFormat }, omitsEmpty: true },
    ]);
  });

  test("the mesh's format for the mesh's own provider", () => {
    const extensionProviders = [{ name: "envoy", envoyFileAccessLog: { path: "/dev/stdout" } }];
    const defaultProviders = { accessLogging: ["envoy"] };
    const logs = logsOf({ accessLogFormat: "%PROTOCOL%", extensionProviders, defaultProviders });
    expect(logs).toMatchObject([{ path: "/dev/stdout", format: { text: "%PROTOCOL%\n" } }]);
  });
});
