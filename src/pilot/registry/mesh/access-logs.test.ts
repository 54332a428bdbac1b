import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  MeshConfig_ExtensionProvider_EnvoyFileAccessLogProviderSchema as FileProviderSchema,
  MeshConfigSchema,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { defaultJsonFormat, defaultTextFormat } from "../../model/proxy/access-log.ts";
import { accessLogsOf, providedFile } from "./access-logs.ts";

function logOf(mesh: JsonObject) {
  return accessLogsOf(fromJson(MeshConfigSchema, mesh))[0];
}

function fileOf(name: string, provider: JsonObject, mesh: JsonObject = {}) {
  return providedFile(name, fromJson(FileProviderSchema, provider), fromJson(MeshConfigSchema, mesh));
}

const accessLogFile = "/dev/stdout";

describe("access logs contain", () => {
  test("nothing, by default", () => {
    expect(logOf({})).toBeUndefined();
  });

  test("the default fields, as text or as JSON", () => {
    const file = { path: accessLogFile, omitsEmpty: false };
    expect(logOf({ accessLogFile })).toEqual({ ...file, format: { type: "text", text: defaultTextFormat } });
    expect(logOf({ accessLogFile, accessLogEncoding: "JSON" })).toEqual({
      ...file,
      format: { type: "json", fields: defaultJsonFormat },
    });
  });

  test("the fields of the mesh's format, with or without a line end in the format", () => {
    expect(logOf({ accessLogFile, accessLogFormat: "%PROTOCOL%" })).toMatchObject({ format: { text: "%PROTOCOL%\n" } });
    expect(logOf({ accessLogFile, accessLogFormat: "%PROTOCOL%\n" })).toMatchObject({
      format: { text: "%PROTOCOL%\n" },
    });
    const accessLogFormat = '{"p": "%PROTOCOL%", "who": {"agent": "%REQ(USER-AGENT)%"}}';
    expect(logOf({ accessLogFile, accessLogEncoding: "JSON", accessLogFormat })).toMatchObject({
      format: { fields: { p: "%PROTOCOL%", who: { agent: "%REQ(USER-AGENT)%" } } },
    });
  });

  test.each(["[%PROTOCOL%]", "[1]", "null"])(
    "the default fields where the format is no JSON object: %s",
    (accessLogFormat) => {
      expect(logOf({ accessLogFile, accessLogEncoding: "JSON", accessLogFormat })).toMatchObject({
        format: { fields: defaultJsonFormat },
      });
    },
  );

  test("the fields of a provider, text by default", () => {
    const labels = { code: "%RESPONSE_CODE%" };
    expect(fileOf("envoy", { path: "/dev/stdout" })).toEqual({
      path: "/dev/stdout",
      format: { type: "text", text: defaultTextFormat },
      omitsEmpty: false,
    });
    expect(fileOf("short", { path: "/tmp/short", logFormat: { labels } })).toEqual({
      path: "/tmp/short",
      format: { type: "json", fields: labels },
      omitsEmpty: false,
    });
    expect(fileOf("terse", { omitEmptyValues: true })).toEqual({
      path: "/dev/stdout",
      format: { type: "text", text: defaultTextFormat },
      omitsEmpty: true,
    });
  });

  test("the mesh's format for the mesh's own provider, unless it has one", () => {
    const mesh = { accessLogFormat: "%PROTOCOL%" };
    expect(fileOf("envoy", { path: "/dev/stdout" }, mesh)).toMatchObject({ format: { text: "%PROTOCOL%\n" } });
    expect(fileOf("mine", { path: "/dev/stdout" }, mesh)).toMatchObject({ format: { text: defaultTextFormat } });
    expect(fileOf("envoy", { logFormat: { text: "x" } }, mesh)).toMatchObject({ format: { text: "x\n" } });
  });
});
