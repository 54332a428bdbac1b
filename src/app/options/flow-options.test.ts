import { describe, expect, test } from "vitest";
import type { Options } from "./options.ts";
import { limitsFrom } from "./pipeline-limits.ts";
import { readOptions } from "./read-options.ts";

function read(env: Readonly<Record<string, string>>): Options {
  return readOptions({ arguments: [], env, readFile: () => "" });
}

describe("Istio's switches of the pipeline", () => {
  test.each<[name: string, text: string, key: keyof Options, value: number | boolean]>([
    ["PILOT_ENABLE_EDS_DEBOUNCE", "true", "debounceEndpoints", true],
    ["PILOT_PUSH_THROTTLE", "50", "pushThrottle", 50],
    ["PILOT_ENABLE_FLOW_CONTROL", "false", "flowControl", false],
    ["PILOT_FLOW_CONTROL_TIMEOUT", "30s", "ackTimeoutMs", 30_000],
    ["PILOT_MAX_REQUESTS_PER_SECOND", "25", "streamsPerSecond", 25],
    ["ISTIO_GPRC_MAXSTREAMS", "1000", "maxStreams", 1_000],
    ["ISTIO_GPRC_MAXRECVMSGSIZE", "8388608", "maxRequestBytes", 8 << 20],
    ["PILOT_XDS_SEND_TIMEOUT", "5s", "sendTimeoutMs", 5_000],
    ["PILOT_XDS_SEND_TIMEOUT", "0s", "sendTimeoutMs", 0],
    ["GRPC_KEEPALIVE_INTERVAL", "10s", "keepaliveIntervalMs", 10_000],
    ["GRPC_KEEPALIVE_TIMEOUT", "20s", "keepaliveTimeoutMs", 20_000],
    ["PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION", "false", "autoRegistration", false],
    ["PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS", "false", "workloadHealth", false],
    ["PILOT_WORKLOAD_ENTRY_GRACE_PERIOD", "1m", "workloadGraceMs", 60_000],
  ])("%s=%s sets %s to %s", (name, text, key, value) => {
    expect(read({ [name]: text })[key]).toBe(value);
  });

  test("a request may have 4 MiB by default", () => {
    expect(read({}).maxRequestBytes).toBe(4_194_304);
  });

  test.each(["-1", "1.5", "many"])("a number of %s is refused", (text) => {
    expect(() => read({ PILOT_PUSH_THROTTLE: text })).toThrow(
      `PILOT_PUSH_THROTTLE: expected a whole number, 0 or more, found "${text}"`,
    );
  });

  test("by default, connections live half an hour and pings are sent twice a minute", () => {
    expect(read({})).toMatchObject({
      maxConnectionAgeMs: 1_800_000,
      keepaliveIntervalMs: 30_000,
      keepaliveTimeoutMs: 10_000,
    });
  });
});

describe("the number of pushes at a time", () => {
  const flow = read({});

  test.each([
    [1, 20],
    [2, 25],
    [64, 100],
  ])("with %d processors is %d by default", (processors, maxInFlight) => {
    expect(limitsFrom(flow, processors).maxInFlight).toBe(maxInFlight);
    expect(limitsFrom({ ...flow, pushThrottle: 7 }, processors).maxInFlight).toBe(7);
  });
});
