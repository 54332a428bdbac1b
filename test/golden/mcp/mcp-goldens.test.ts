import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { serviceEntry } from "../../../src/config/kinds/service-entry.ts";
import { kinds } from "../../../src/config/kinds.ts";
import { lackedBy } from "../../../src/galley/source/mcp/istio-galley.ts";
import { receivedCollections } from "../../../src/galley/source/remote/received-collections.ts";
import { oncePer } from "../../../src/lib/memo.ts";
import { travelling } from "../../../src/testing/mcp/mcp-object.ts";
import { describeWithData } from "../../../src/testing/shared-data.ts";
import { differingParts } from "./compare.ts";
import { replayRemote } from "./replay-remote.ts";
import { replaySink } from "./replay-sink.ts";
import { SourceReplay } from "./replay-source.ts";
import { istioGoldens, type RecordedSession, readSession, sessionNames } from "./session.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/reference/mcp-differences.md"), "utf8");

/** Recorded with the others, but without MCP: the responses of Pilot to proxies. */
const elsewhere = "ads-v2";

const synthetic = travelling("istio/networking/v1alpha3/synthetic/serviceentries");

interface Row {
  readonly cases: string;
  readonly role: string;
  readonly difference: string;
}

const rows: readonly Row[] = Array.from(
  page.matchAll(/^\| `(?<cases>[^`]+)` \| (?<role>source|sink) \| `(?<difference>[^`]+)` \|/gmu),
  ({ groups: { cases = "", role = "", difference = "" } = {} }) => ({ cases, role, difference }),
);

/** Each session is replayed once in each role. */
const sinkReplay = oncePer((session: RecordedSession) => [...replaySink(session)]);
const sourceReplay = oncePer((session: RecordedSession) => new SourceReplay(session).run());

/** A star in a pattern matches anything. */
function fits(text: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(text);
}

/** True if a row describes a difference in a session. */
function tells(row: Row, { name }: RecordedSession, role: string, difference: string): boolean {
  return row.role === role && fits(name, row.cases) && fits(difference, row.difference);
}

/** The differences that are not documented. */
function unwritten(session: RecordedSession, role: string, found: Iterable<string>): readonly string[] {
  return [...found].filter((difference) => !rows.some((row) => tells(row, session, role, difference)));
}

/** True if a role can be replayed: something was pushed and, for a source, derived from files. */
function playable({ lines, files, name }: RecordedSession) {
  const pushes = lines.some((line) => line.type === "push");
  return { sink: pushes, source: pushes && (files.size > 0 || name.endsWith("file-source")) };
}

describeWithData(istioGoldens, "recorded MCP sessions of Galley and Pilot 1.3.6", () => {
  const sessions = sessionNames.map((name) => readSession(name));
  const asSink = sessions.filter((session) => playable(session).sink);
  const asSource = sessions.filter((session) => playable(session).source);

  test.each(asSink)("our sink accepts every push of the recorded source: $name", (session) => {
    expect(unwritten(session, "sink", sinkReplay(session))).toEqual([]);
  });

  test.each(asSource)("our Galley pushes so that every recorded answer follows: $name", async (session) => {
    const replay = await sourceReplay(session);
    const answers = session.lines.filter((line) => line.type === "request" && line.request.responseNonce !== "");
    expect(replay.answered).toBe(answers.length);
    expect(unwritten(session, "source", replay.found)).toEqual([]);
  });

  test.each(sessions.filter(({ name }) => name.endsWith("/service-discovery")))(
    "our Pilot has the services of a recorded Galley, as its service entries: $name",
    async (session) => {
      const pushes = session.lines.flatMap((line) => (line.type === "push" ? [line.push] : []));
      const last = pushes.findLast(({ collection }) => collection === synthetic.name);
      const { state, names, allIssues } = await replayRemote(session);
      expect(allIssues).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(["cart", "payments-api", "web"]));
      const made = names.filter((name) => name.startsWith("synthetic_"));
      expect(made).toEqual(["synthetic_headless", "synthetic_ratings"]);
      for (const resource of last?.resources ?? []) {
        const ours = state.get(`${serviceEntry.collection} ${resource.metadata?.name?.replace("/", "/synthetic_")}`);
        expect(ours && differingParts(ours, resource, synthetic)).toEqual([]);
      }
    },
  );

  test("a Galley of Istio 1.3 that calls us gets no request for a collection that the recorded one lacks", () => {
    const collections = receivedCollections(kinds, { forwards: true });
    const lacked = new Set(lackedBy("istio-1.3", collections));
    const asked = collections.map(({ name }) => name).filter((name) => !lacked.has(name));
    const pipelines = sessions.filter(({ name }) => name.endsWith("/all-collections"));
    expect(pipelines).toHaveLength(2);
    for (const { lines } of pipelines) {
      const had = lines.flatMap((line) => (line.type === "request" ? [line.request.collection] : []));
      expect(had).toEqual(expect.arrayContaining([...asked, synthetic.name]));
    }
  });

  test("every documented difference exists", async () => {
    const told = new Set<Row>();
    const note = (session: RecordedSession, role: string, found: Iterable<string>) => {
      for (const difference of found) {
        for (const row of rows) if (tells(row, session, role, difference)) told.add(row);
      }
    };
    for (const session of asSink) note(session, "sink", sinkReplay(session));
    for (const session of asSource) note(session, "source", (await sourceReplay(session)).found);
    expect(rows.filter((row) => !told.has(row))).toEqual([]);
  });

  test("every one of the 41 cases is covered", () => {
    const listed = Array.from(page.matchAll(/^\| `(?<name>[^`]+)` \| (?<sink>yes|no)[^|]*\| (?<source>yes|no)/gmu));
    const expected = sessions.map((session) => {
      const { sink, source } = playable(session);
      return [session.name, sink ? "yes" : "no", source ? "yes" : "no"];
    });
    expect(listed.map(([, ...groups]) => groups)).toEqual([[elsewhere, "no", "no"], ...expected]);
    expect(listed).toHaveLength(41);
  });
});
