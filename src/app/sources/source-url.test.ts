import { describe, expect, test } from "vitest";
import { oneOf, periodMs } from "../options/option-values.ts";
import { parseSourceUrl, readQuery } from "./source-url.ts";

describe("the URL of a source", () => {
  test("has a scheme, a rest and a query", () => {
    const url = parseSourceUrl("zookeeper://one:2181,two:2181/dubbo?mode=polling&refresh=5s");
    expect(url).toMatchObject({ scheme: "zookeeper", rest: "//one:2181,two:2181/dubbo" });
    expect(readQuery(url, { mode: oneOf(["watching", "polling"]), refresh: periodMs })).toEqual({
      mode: "polling",
      refresh: 5_000,
    });
  });

  test("names the source without saying whether it is optional", () => {
    expect(parseSourceUrl("kube:east?optional=30s").name).toBe("kube:east");
    expect(parseSourceUrl("etcd://a:1/p?optional=1s&x=y").name).toBe("etcd://a:1/p?x=y");
  });

  test("of a directory may have question marks in its name", () => {
    expect(parseSourceUrl("file:./what?/mesh")).toMatchObject({ rest: "./what?/mesh", query: new Map() });
    expect(parseSourceUrl("file:./what?optional=1s").rest).toBe("./what");
  });

  test("needs a scheme", () => {
    expect(() => parseSourceUrl("mesh")).toThrow("--source mesh: is not a URL");
  });
});

describe("a query", () => {
  const types = { mode: oneOf(["watching", "polling"]) };

  test("may not have unknown settings", () => {
    expect(() => readQuery(parseSourceUrl("kube:?moode=polling"), types)).toThrow(
      "--source kube:?moode=polling: unknown setting moode; the settings are mode, optional",
    );
  });

  test("may not have invalid values", () => {
    expect(() => readQuery(parseSourceUrl("kube:?mode=guess"), types)).toThrow(
      'expected one of watching, polling after mode=, found "guess"',
    );
  });
});
