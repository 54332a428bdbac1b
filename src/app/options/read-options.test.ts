import { describe, expect, test } from "vitest";
import { readArguments } from "./flags.ts";
import { defaultOptions, optionRows } from "./options.ts";
import { type OptionInputs, readOptions } from "./read-options.ts";

const flags = optionRows.map(([, { name, type }]) => ({
  name,
  type: type.placeholder === "" ? ("switch" as const) : ("value" as const),
}));

interface Given {
  readonly args?: readonly string[];
  readonly env?: OptionInputs["env"];
  readonly file?: string;
}

function read({ args = [], env = {}, file = "" }: Given) {
  return readOptions({ arguments: readArguments(args, flags), env, readFile: () => file });
}

describe("options", () => {
  test("are the defaults when nothing is set", () => {
    expect(read({})).toEqual(defaultOptions());
  });

  test("come from flags before the environment before the file before defaults", () => {
    const file = "domain: file\nmetrics: 127.0.0.1:1\ncluster-id: file\n";
    const env = { BINNACLE_DOMAIN: "env", BINNACLE_METRICS: "127.0.0.1:2", BINNACLE_CONFIG_FILE: "settings.yaml" };
    const options = read({ args: ["--domain", "flag"], env, file });
    expect(options).toMatchObject({
      domain: "flag",
      metrics: "127.0.0.1:2",
      clusterId: "file",
      xds: "127.0.0.1:15010",
    });
  });

  test("take Istio's names from the environment, after ours", () => {
    const istio = { PILOT_DEBOUNCE_AFTER: "100ms", PILOT_DEBOUNCE_MAX: "10s" };
    expect(read({ env: istio })).toMatchObject({ debounceAfterMs: 100, debounceMaxMs: 10_000 });
    expect(read({ env: { ...istio, BINNACLE_DEBOUNCE_AFTER: "1m" } })).toMatchObject({ debounceAfterMs: 60_000 });
  });

  test("keep directories and sources in the order they were written", () => {
    expect(read({ args: ["a", "--source", "file:b", "c"] }).sources).toEqual(["file:a", "file:b", "file:c"]);
  });

  test("take lists from the file, and treat an empty variable as unset", () => {
    const options = read({
      args: ["--config-file", "f"],
      env: { BINNACLE_XDS: "" },
      file: "source: [file:a, file:b]\nxds: off\n",
    });
    expect(options).toMatchObject({ sources: ["file:a", "file:b"], xds: "off", configFile: "f" });
  });

  test("have switches, which need no value as flags and take true or false in variables and files", () => {
    expect(read({}).profiling).toBe(false);
    expect(read({ args: ["--profiling"] }).profiling).toBe(true);
    expect(read({ env: { BINNACLE_PROFILING: "true" } }).profiling).toBe(true);
    expect(read({ args: ["--config-file", "f"], file: "profiling: false" }).profiling).toBe(false);
  });

  test("have log levels by scope, and a plain level for all others", () => {
    expect(read({ args: ["--log-level", "xds:debug", "--log-level", "warn"] }).logLevel).toEqual({
      xds: "debug",
      default: "warn",
    });
  });

  test("may have no source at all", () => {
    expect(read({ args: ["--source", "off"] }).sources).toEqual([]);
  });

  test("accept an empty file", () => {
    expect(read({ args: ["--config-file", "f"] })).toEqual({ ...defaultOptions(), configFile: "f" });
  });

  test.each<readonly [string, Given, string]>([
    ["a flag", { args: ["--xds", "15010"] }, `--xds: expected HOST:PORT, :PORT or off, found "15010"`],
    ["the environment", { env: { PILOT_DEBOUNCE_MAX: "-1s" } }, `PILOT_DEBOUNCE_MAX: expected a duration`],
    [
      "the file",
      { args: ["--config-file", "f"], file: "log-level: loud" },
      `f: log-level: expected a level, or SCOPE:LEVEL`,
    ],
    ["a switch", { env: { BINNACLE_PROFILING: "yes" } }, `BINNACLE_PROFILING: expected true or false, found "yes"`],
    ["a period", { args: ["--probe-interval", "0s"] }, `--probe-interval: expected a duration above zero`],
    ["sources", { args: ["a", "--source", "off"] }, `--source: expected URLs, or off alone, found "off"`],
    ["a scope", { args: ["--log-level", "teleport:debug"] }, `--log-level: expected a level, or SCOPE:LEVEL`],
    ["a key of the file", { args: ["--config-file", "f"], file: "metric: off" }, "did you mean metrics?"],
    ["the file's own name", { args: ["--config-file", "f"], file: "config-file: g" }, "unknown setting config-file"],
    ["the file's shape", { args: ["--config-file", "f"], file: "- a" }, "--config-file f: expected settings such as"],
    [
      "a mapping in the file",
      { args: ["--config-file", "f"], file: "xds: {toString: 1}" },
      "f: xds: expected text, a number or a list of them",
    ],
    ["the file's syntax", { args: ["--config-file", "f"], file: "a: [" }, "--config-file f: "],
  ])("report %s as an error", (_, given, message) => {
    expect(() => read(given)).toThrow(message);
  });
});

test("every option has a name, a variable and an example that it accepts", () => {
  expect(new Set(optionRows.map(([, { name }]) => name)).size).toBe(optionRows.length);
  for (const [, { env, type, example }] of optionRows) {
    expect(env[0]).toMatch(/^BINNACLE_[A-Z_]+$/u);
    expect(type.parse([example])).toBeDefined();
  }
});

test("the documented default is the actual default", () => {
  const shown = optionRows.filter(([, { defaultText }]) => defaultText !== "");
  for (const [, { type, defaultText, default: value }] of shown) expect(type.parse([defaultText])).toEqual(value);
});
