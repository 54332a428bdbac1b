import { describe, expect, test } from "vitest";
import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import { configsIn } from "../../../testing/config/configs-in.ts";
import { ChangeLog } from "./change-log.ts";

const [a, b] = ["a", "b"].map((name) => configId("VirtualService", "shop", name)) as [ConfigId, ConfigId];

function version(number: number): Config {
  const spec = { hosts: [`v${number}.example.com`], http: [{ route: [{ destination: { host: "a" } }] }] };
  const text = { apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: { name: "a" }, spec };
  const [config] = configsIn(JSON.stringify(text));
  if (config === undefined) throw new Error("no object");
  return config;
}

const [first, second] = [version(1), version(2)];

/** Each of these changes is in a push of its own. */
function logOf(...changes: readonly (readonly [id: ConfigId, before: Config | undefined])[]): ChangeLog {
  const log = new ChangeLog();
  for (const [id, before] of changes) {
    log.note([{ id, before }]);
    log.captured();
    log.published();
  }
  return log;
}

function entries(changes: ReadonlyMap<ConfigId, Config | undefined> | undefined) {
  return changes && [...changes];
}

describe("the log of changes", () => {
  test("has the version before the first change after an epoch, the object that changed last at the end", () => {
    const log = logOf([a, first], [b, undefined], [a, second]);
    expect(entries(log.since(0))).toEqual([
      [b, undefined],
      [a, first],
    ]);
    expect(entries(log.since(1))).toEqual([
      [b, undefined],
      [a, second],
    ]);
    expect(entries(log.since(3))).toEqual([]);
  });

  test("knows nothing about epochs that it has forgotten", () => {
    const log = logOf([a, first], [a, second]);
    log.forgetUntil(1);
    expect([log.since(0), log.size]).toEqual([undefined, 1]);
    expect(entries(log.since(1))).toEqual([[a, second]]);
  });

  test("is published when a push after the last change is", () => {
    const log = new ChangeLog();
    log.captured();
    log.note([{ id: a, before: first }]);
    log.published();
    expect(log.isPublished).toBe(false);
    log.captured();
    log.published();
    expect(log.isPublished).toBe(true);
  });

  test("forgets the oldest changes beyond 10 000, and then knows nothing about their epochs", () => {
    const log = logOf([a, first]);
    log.note(
      Array.from({ length: 10_000 }, (_, index) => ({
        id: configId("Gateway", "shop", String(index)),
        before: undefined,
      })),
    );
    expect([log.size, log.since(0)]).toEqual([10_000, undefined]);
    expect(log.since(1)?.size).toBe(10_000);
  });
});
