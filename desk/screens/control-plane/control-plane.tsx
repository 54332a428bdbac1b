import type { JSX } from "preact";
import type { ControlPlane as ControlPlaneAnswer, PhaseTime } from "../../../src/desk/api/model/control-plane.ts";
import { useApi } from "../../app/use-api.ts";
import { useTicks } from "../../app/use-ticks.ts";
import { Moment } from "../../parts/moment.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { bytes, count, duration } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Facts, Section, Table } from "../../parts/table.tsx";
import { LogLevels } from "./log-levels.tsx";

const refreshMs = 5000;

/** The server itself. */
export function ControlPlane(): JSX.Element {
  const watched = useApi<ControlPlaneAnswer>("/control-plane");
  useTicks(refreshMs, watched.refresh);
  return (
    <Page title="Control plane">
      <WhenReady watched={watched}>{(facts) => <Content facts={facts} />}</WhenReady>
    </Page>
  );
}

function Content({ facts }: { readonly facts: ControlPlaneAnswer }): JSX.Element {
  const { load, problems, queue, streams, process: own, pushPhases } = facts;
  return (
    <>
      <p class="lead">
        <Status tone={load.level === "normal" ? "ok" : "warning"}>
          Load: {load.level} {load.reason}
        </Status>
      </p>
      {problems.map(({ part, reason }) => (
        <Status key={part} tone="error">
          {part} failed and is paused: {reason}
        </Status>
      ))}
      <div class="grid two">
        <Section title="Push queue">
          <Facts
            facts={[
              ["Waiting proxies", count(queue.waiting)],
              ["Longest wait", duration(queue.longestWaitMs)],
              ["State", queue.settled ? "settled" : "working"],
              ["Streams", `${count(streams.total)} (${count(streams.sotw)} SotW, ${count(streams.delta)} delta)`],
            ]}
          />
          <Phases phases={pushPhases} />
        </Section>
        <Section title="Process">
          <Facts
            facts={[
              [
                "Version",
                <span key="version" title={facts.commit}>
                  {facts.version}
                </span>,
              ],
              ["Started", <Moment key="started" at={facts.startedAt} />],
              ["Heap", `${bytes(own.heapUsedBytes)} of ${bytes(own.heapLimitBytes)}`],
              ["Memory", bytes(own.rssBytes)],
              ["Event loop delay", `${duration(own.eventLoopDelayMs)} (p99)`],
              ["Stalls", count(own.stalls)],
            ]}
          />
        </Section>
        <Section title="Addresses">
          <Facts
            facts={Object.entries(facts.addresses).map(([name, address]) => [name, <code key={name}>{address}</code>])}
          />
        </Section>
        <Section title="Certificates">
          {facts.certificates.length === 0 ? (
            <p class="hint">The server uses no certificates.</p>
          ) : (
            <Facts
              facts={facts.certificates.map(({ name, subject, expires }) => [
                name,
                <span key={name}>
                  {subject}, expires {new Date(expires).toLocaleString()}
                </span>,
              ])}
            />
          )}
        </Section>
      </div>
      <LogLevels levels={facts.logLevels} />
    </>
  );
}

const columns = [
  { title: "Phase of a push" },
  { title: "Pushes", kind: "number" },
  { title: "p50", kind: "number" },
  { title: "p99", kind: "number" },
] as const;

function Phases({ phases }: { readonly phases: Readonly<Record<string, PhaseTime>> }): JSX.Element {
  return (
    <Table label="Time by phase" columns={columns}>
      {Object.entries(phases).map(([phase, { count: pushes, p50, p99 }]) => (
        <tr key={phase}>
          <th scope="row">{phase}</th>
          <td class="number">{count(pushes)}</td>
          <td class="number">{p50 === undefined ? "–" : duration(p50)}</td>
          <td class="number">{p99 === undefined ? "–" : duration(p99)}</td>
        </tr>
      ))}
    </Table>
  );
}
