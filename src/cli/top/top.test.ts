import { describe, expect, test } from "vitest";
import { MetricValues } from "./metric-values.ts";
import { bucketsBetween, quantileOf } from "./quantile.ts";
import { topLines, topText } from "./top-lines.ts";
import type { TopSample } from "./top-sample.ts";
import { afterKeys, firstState, sorted, sortings } from "./top-state.ts";
import { topView } from "./top-view.ts";

const down = "\u001B[B";
const now = Date.parse("2026-01-01T12:00:00Z");

describe("the keys of top", () => {
  test("q and Ctrl-C end it, also while a filter is typed", () => {
    for (const keys of ["q", "\u0003", "/ab\u0003"]) expect(afterKeys(firstState, keys).hasEnded).toBe(true);
    expect(afterKeys(firstState, "/q").hasEnded).toBe(false);
  });

  test("s goes through all orders, and r turns the order", () => {
    const states = sortings.map((_, count) => afterKeys(firstState, "s".repeat(count)).sorting);
    expect(states).toEqual(sortings);
    expect(afterKeys(firstState, "s".repeat(sortings.length)).sorting).toBe(firstState.sorting);
    expect(afterKeys(firstState, "r").isReversed).toBe(true);
  });

  test("/ takes a text until Enter, Backspace corrects it, and Escape keeps or clears the filter", () => {
    expect(afterKeys(firstState, "/webx\u007F-0")).toMatchObject({ input: "web-0", filter: "" });
    const filtered = afterKeys(firstState, "/web \r");
    expect(filtered).toMatchObject({ filter: "web" });
    expect(filtered.input).toBeUndefined();
    expect(afterKeys(filtered, "/other\u001B")).toMatchObject({ filter: "web" });
    expect(afterKeys(filtered, "\u001B").filter).toBe("");
    expect(afterKeys(firstState, `/${"x".repeat(1_000)}`).input).toHaveLength(100);
    expect(afterKeys(firstState, "/a\u0007\u001B[Ab").input).toBe("ab");
  });

  test("cursor keys scroll, not above the first proxy", () => {
    expect(afterKeys(firstState, `${down}${down}\u001BOBj`).offset).toBe(4);
    expect(afterKeys(firstState, `${down}kkk`).offset).toBe(0);
    expect(afterKeys(firstState, "\u001B[6~g").offset).toBe(0);
    expect(afterKeys(firstState, "pp ").isPaused).toBe(true);
  });
});

describe("the metrics of top", () => {
  test("are read from the text for Prometheus", () => {
    const values = new MetricValues(
      '# HELP a b\na{type="cds",x="q\\"}"} 2\na{type="eds"} 3.5\nb 4\nc_bucket{le="+Inf"} 1e3\nbroken line here\n',
    );
    expect([values.sum("a"), values.sum("b"), values.sum("none")]).toEqual([5.5, 4, undefined]);
    expect([...values.by("a", "type")]).toEqual([
      ["cds", 2],
      ["eds", 3.5],
    ]);
    expect([...values.by("c_bucket", "le")]).toEqual([["+Inf", 1000]]);
  });

  test("give quantiles of what happened between two samples", () => {
    const before = new Map([
      ["0.1", 10],
      ["1", 10],
      ["+Inf", 10],
    ]);
    const after = new Map([
      ["0.1", 60],
      ["1", 109],
      ["+Inf", 110],
    ]);
    const buckets = bucketsBetween(before, after);
    expect(quantileOf(buckets, 0.5)).toBeCloseTo(0.1);
    expect(quantileOf(buckets, 0.25)).toBeCloseTo(0.05);
    expect(quantileOf(buckets, 0.999)).toBe(1);
    expect(quantileOf(bucketsBetween(before, before), 0.5)).toBeUndefined();
    // A server that restarted counts from 0.
    expect(bucketsBetween(after, before)).toEqual(before);
  });
});

const proxy = (name: string, state: "synced" | "behind" | "rejecting", connectedAt = "2026-01-01T11:00:00Z") =>
  ({
    node: `sidecar~10.0.0.1~${name}~x`,
    name,
    namespace: "shop",
    type: "sidecar",
    version: "1.40.0",
    cluster: "Kubernetes",
    connectedAt,
    mode: "delta",
    state,
    types: [
      { type: "CDS", status: "SYNCED" },
      { type: "RDS", status: state === "synced" ? "SYNCED" : "ERROR" },
    ],
  }) as const;

function sample(
  at: number,
  metrics: string,
  proxies = [proxy("web-1.shop", "synced"), proxy("web-0.shop", "rejecting")],
): TopSample {
  return {
    at,
    server: { version: "0.2.0", commit: "c", start: "s", startedAt: "2026-01-01T09:00:00Z" },
    overview: {
      at: "2026-01-01T12:00:00.000Z",
      health: "failing",
      advice: [{ severity: "error", text: "1 of 2 proxies rejects its configuration.", action: "Open it.", link: "/" }],
      proxies: { total: 2, synced: 1, behind: 0, rejecting: 1 },
      sources: Array.from({ length: 7 }, (_, index) => ({
        name: `etcd://${index}`,
        state: index === 0 ? "stale" : "synced",
        ...(index === 0 && { reason: "connect ECONNREFUSED", staleSince: "2026-01-01T11:58:00Z" }),
        objects: 3,
        issues: 0,
        lost: 0,
      })),
      issues: { errors: 0, warnings: 1 } as TopSample["overview"]["issues"],
      pushes: { lastMinute: 7, perMinute: [7] },
      changes: [],
    },
    proxies,
    matching: proxies.length,
    load: {
      level: "normal",
      resources: [
        { resource: "event loop", value: 3.25, text: "" },
        { resource: "push queue", value: 12, text: "" },
      ],
    },
    metrics: new MetricValues(metrics),
  };
}

const earlier =
  'pilot_xds_pushes{type="cds"} 10\npilot_xds_pushes{type="cds_senderr"} 1\npilot_xds_config_size_bytes_sum{type="x"} 1000\nprocess_resident_memory_bytes 2e8\n';
const later =
  'pilot_xds_pushes{type="cds"} 30\npilot_xds_pushes{type="cds_senderr"} 9\npilot_xds_config_size_bytes_sum{type="x"} 5000\nprocess_resident_memory_bytes 2.5e8\npilot_proxy_convergence_time_bucket{le="0.1"} 4\npilot_proxy_convergence_time_bucket{le="+Inf"} 4\n';
const view = topView(sample(0, earlier), sample(2_000, later));

describe("the view of top", () => {
  test("has rates between two samples, and quantiles", () => {
    expect(view.pushes).toEqual({ perSecond: { CDS: 10 }, bytesPerSecond: 2000, rejectsPerSecond: 0, lastMinute: 7 });
    expect(view.convergence).toEqual({ p50: 50, p99: 99 });
    expect(view.queue).toEqual({ longest: 12 });
    expect(view.process).toEqual({ load: "normal", eventLoopDelayMs: 3.25, memoryBytes: 2.5e8 });
    expect(view.list.items.map(({ name, behind }) => [name, ...behind])).toEqual([
      ["web-1.shop"],
      ["web-0.shop", "RDS ERROR"],
    ]);
  });

  test("is wide with the version and the node of each proxy", () => {
    const options = { server: "a:1", state: firstState, now: Date.parse(view.at), coloured: false };
    expect(topText(view, options)).not.toContain("sidecar~");
    const lines = topText(view, { ...options, isWide: true }).split("\n");
    expect(lines.find((line) => line.startsWith("PROXY"))).toMatch(/ {3}VERSION {3}NODE$/u);
    expect(lines.find((line) => line.startsWith("web-1.shop"))).toMatch(/ {3}1\.40\.0 +sidecar~\S+$/u);
  });

  test("has no rates without metrics, and none over no time", () => {
    const without = topView({ ...sample(0, ""), metrics: undefined }, { ...sample(2_000, ""), metrics: undefined });
    expect(without.pushes).toEqual({ perSecond: {}, lastMinute: 7 });
    expect(topView(sample(5, later), sample(5, later)).pushes.perSecond).toEqual({});
  });

  test.each([
    [80, 24],
    [40, 10],
    [200, 60],
    [20, 5],
  ])("fits a terminal of %i columns and %i rows", (columns, rows) => {
    const many = Array.from({ length: 200 }, (_, index) => proxy(`web-${index}.shop`, "behind"));
    const full = topView(sample(0, earlier, many), sample(2_000, later, many));
    const options = { server: "127.0.0.1:8080", state: firstState, now, coloured: false, size: { columns, rows } };
    const lines = topLines(full, options);
    expect(lines).toHaveLength(rows);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.at(-1)).toMatch(/^q quit/u);
    // Colours change no width.
    const coloured = topLines(full, { ...options, coloured: true });
    // oxlint-disable-next-line no-control-regex -- colours begin with an escape
    expect(coloured.map((line) => line.replaceAll(/\u001B\[[\d;]*m/gu, ""))).toEqual(lines);
    expect(coloured.join("")).toContain("\u001B[");
  });

  test("puts rejecting proxies first, and other orders behind s and r", () => {
    const orders = ["", "r", "s"].map((keys) => sorted(view.list.items, afterKeys(firstState, keys)));
    expect(orders.map((all) => all.map(({ name }) => name))).toEqual([
      ["web-0.shop", "web-1.shop"],
      ["web-1.shop", "web-0.shop"],
      ["web-0.shop", "web-1.shop"],
    ]);
  });

  test("as text has everything that an operator asks for", () => {
    const text = topText(view, { server: "127.0.0.1:8080", state: firstState, now, coloured: false });
    for (const part of [
      "binnacle 0.2.0 at 127.0.0.1:8080, up 3h",
      "health       failing: 1 of 2 proxies rejects its configuration. Open it.",
      "pushes       CDS 10/s   2.0 kB/s   rejects 0/s",
      "convergence  p50 50 ms  p99 99 ms   queue p99 –, longest 12 ms   pushes/min 7",
      "process      load normal  loop 3.3 ms  memory 250.0 MB  heap –  cpu –",
      "etcd://0   stale    2m ",
      "etcd://6",
      "web-0.shop   shop        sidecar   delta   rejecting   1h      RDS ERROR",
    ]) {
      expect(text).toContain(part);
    }
  });
});
