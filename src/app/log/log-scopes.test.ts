import { describe, expect, test } from "vitest";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { LogScopes, parseLogLevels } from "./log-scopes.ts";

describe("log scopes", () => {
  test.each([
    ["debug", { default: "debug" }],
    ["xds:debug", { xds: "debug" }],
    ["xds:debug, default:warn", { xds: "debug", default: "warn" }],
    ["warn,source:silent", { default: "warn", source: "silent" }],
  ])("are set by %s", (text, levels) => {
    expect(parseLogLevels(text)).toEqual(levels);
  });

  test.each(["", "loud", "xds:loud", "teleport:debug", "xds:debug,", "xds:debug:info:x,warm"])("refuse %j", (text) => {
    expect(parseLogLevels(text)).toBeUndefined();
  });

  test("write under their name, by their own level or else that of default", () => {
    const base = new RecordingLogger();
    const scopes = new LogScopes(base, { xds: "debug", default: "warn" });
    for (const scope of ["xds", "source"] as const) {
      scopes.logger(scope).debug({}, "step");
      scopes.logger(scope).info({}, "said");
      scopes.logger(scope).child({ proxy: "a" }).error({ n: 1 }, "failed");
    }
    scopes.logger("default").warn({}, "low on disk");
    expect(base.lines.map(({ fields, message }) => ({ ...fields, message }))).toEqual([
      { scope: "xds", message: "step" },
      { scope: "xds", message: "said" },
      { scope: "xds", proxy: "a", n: 1, message: "failed" },
      { scope: "source", proxy: "a", n: 1, message: "failed" },
      { message: "low on disk" },
    ]);
  });

  test("change their level for loggers and children that are in use", () => {
    const base = new RecordingLogger();
    const scopes = new LogScopes(base, {});
    const child = scopes.logger("xds").child({ proxy: "a" });
    child.debug({}, "unheard");
    expect(scopes.adjust("xds", "debug")).toBeUndefined();
    child.debug({}, "heard");
    expect(scopes.adjust("xds", "silent")).toBeUndefined();
    child.error({}, "unheard");
    expect(base.lines.map(({ message }) => message)).toEqual(["heard"]);
    expect(scopes.list()).toContainEqual({ name: "xds", doc: expect.any(String), level: "silent" });
    expect(scopes.list()).toContainEqual({ name: "source", doc: expect.any(String), level: "info" });
  });

  test.each([
    ["teleport", "debug", "expected one of ca, default, "],
    ["xds", "loud", "expected one of debug, "],
    ["xds", undefined, "expected one of debug, "],
  ])("refuse to have %s set to %s", (scope, level, problem) => {
    const scopes = new LogScopes(new RecordingLogger(), {});
    expect(scopes.adjust(scope, level)).toContain(problem);
  });
});
