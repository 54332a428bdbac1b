import { type Evidence, type Group, group, row } from "../../row.ts";
import { arrived, equals, grpcCollector, httpCollector, lacks, matches, named, seen, telemetry } from "./evidence.ts";

/** The line is in the file. */
function logged(line: string) {
  return async (evidence: Evidence): Promise<void> => {
    await arrived(
      `the line ${line}`,
      () => httpCollector(evidence).lines(),
      (found) => found === line,
    );
  };
}

/** The line arrives, and no line with the other words came before it. */
function loggedWithout(line: string, absent: string) {
  return async (evidence: Evidence): Promise<void> => {
    await logged(line)(evidence);
    lacks(textOf(evidence), absent);
  };
}

function textOf(evidence: Evidence): string {
  return httpCollector(evidence).lines().join("\n");
}

function entryFor(path: string, evidence: Evidence) {
  return arrived(
    `an entry for ${path}`,
    () => grpcCollector(evidence).entries,
    ({ http }) => http?.path === path,
  );
}

function recordFor(path: string, evidence: Evidence) {
  return arrived(
    `a record for ${path}`,
    () => grpcCollector(evidence).records,
    ({ body }) => body === `otlp ${path}`,
  );
}

export const accessLogGroups: readonly Group[] = [
  group(
    "access logs to a file",
    [telemetry("logs", { accessLogging: [named("table-text")] })],
    [
      seen("have a line of text for a request", "/file/1", logged("text GET /file/1 200")),
      row("have a line for a method and a query", { method: "PUT", path: "/file/2?a=b" }, 200, [], {
        check: logged("text PUT /file/2?a=b 200"),
      }),
      row("have a line for a connection", { protocol: "tcp" }, "answered", [], { check: logged("text - - 0") }),
    ],
  ),
  group(
    "access logs as JSON",
    [telemetry("logs", { accessLogging: [named("table-json")] })],
    [
      seen("have the labels as keys", "/json/1", async (evidence) => {
        const line = await arrived(
          "a line of JSON",
          () => httpCollector(evidence).lines(),
          (found) => found.includes("/json/1"),
        );
        equals(JSON.parse(line), { kind: "json", path: "/json/1" });
      }),
    ],
  ),
  group(
    "access logs with a filter",
    [
      telemetry("logs", {
        accessLogging: [
          { ...named("table-text"), filter: { expression: 'request.url_path.startsWith("/filter/keep")' } },
        ],
      }),
    ],
    [
      seen("leave out other requests", "/filter/drop", undefined),
      seen(
        "have the requests that the expression accepts",
        "/filter/keep",
        loggedWithout("text GET /filter/keep 200", "/filter/drop"),
      ),
    ],
  ),
  group(
    "access logs over gRPC",
    [telemetry("logs", { accessLogging: [named("table-http-als", "table-tcp-als")] })],
    [
      seen(
        "have an entry with the further headers",
        "/als/1",
        async (evidence) => {
          equals(await entryFor("/als/1", evidence), {
            logName: "table-http",
            http: { path: "/als/1", code: 200, headers: { "x-seen": "yes" } },
          });
        },
        { "x-seen": "yes", "x-other": "no" },
      ),
      row("have an entry for a connection", { protocol: "tcp" }, "answered", [], {
        check: async (evidence) => {
          const received = "question".length;
          const { entries } = grpcCollector(evidence);
          await arrived(
            "an entry of TCP",
            () => entries,
            (entry) => entry.logName === "table-tcp" && entry.tcp?.received === received,
          );
        },
      }),
    ],
  ),
  group(
    "access logs over OTLP",
    [telemetry("logs", { accessLogging: [named("table-otel-als")] })],
    [
      seen("have a body and attributes", "/otlp/1?a=b", async (evidence) => {
        matches(await recordFor("/otlp/1?a=b", evidence), {
          attributes: { code: "200", short: "/otlp/1" },
        });
      }),
    ],
  ),
  group(
    "access logs to several providers",
    [telemetry("logs", { accessLogging: [named("table-text", "table-otel-als")] })],
    [
      seen("arrive at each of them", "/several/1", async (evidence) => {
        await logged("text GET /several/1 200")(evidence);
        await recordFor("/several/1", evidence);
      }),
    ],
  ),
  group(
    "access logs that a workload disables",
    [
      telemetry("namespace", { accessLogging: [named("table-text", "table-otel-als")] }),
      telemetry("workload", {
        selector: { matchLabels: { app: "access-logs-that-a-workload-disables" } },
        accessLogging: [{ ...named("table-text"), disabled: true }, named("table-otel-als")],
      }),
    ],
    [
      seen("keep the other provider of the namespace", "/disabled/1", async (evidence) => {
        await recordFor("/disabled/1", evidence);
        lacks(textOf(evidence), "/disabled/1");
      }),
    ],
  ),
  group(
    "access logs by the side of the workload",
    [
      telemetry("logs", {
        accessLogging: [
          { ...named("table-text"), match: { mode: "CLIENT" } },
          { ...named("table-otel-als"), match: { mode: "SERVER" } },
        ],
      }),
    ],
    [
      seen("are those of servers for requests that arrive", "/side/1", async (evidence) => {
        await recordFor("/side/1", evidence);
        lacks(textOf(evidence), "/side/1");
      }),
    ],
  ),
];
