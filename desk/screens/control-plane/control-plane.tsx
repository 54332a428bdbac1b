import type { JSX } from "preact";
import type { ControlPlane as ControlPlaneAnswer } from "../../../src/desk/api/model/control-plane.ts";
import { useApi } from "../../app/use-api.ts";
import { useTicks } from "../../app/use-ticks.ts";
import { Moment } from "../../parts/moment.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { bytes, count, counted, duration } from "../../parts/quantity.ts";
import { Facts, Section } from "../../parts/table.tsx";
import { Certificates } from "./certificates.tsx";
import { Load } from "./load.tsx";
import { LogLevels } from "./log-levels.tsx";
import { Phases } from "./phases.tsx";

const refreshMs = 5000;

/** The server itself. */
export function ControlPlane(): JSX.Element {
  const watched = useApi<ControlPlaneAnswer>("/control-plane");
  useTicks(refreshMs, watched.refresh);
  return (
    <Page title="Control plane">
      <WhenReady watched={watched}>
        {(facts) => (
          <>
            <Load load={facts.load} problems={facts.problems} />
            <div class="grid two">
              <Queue facts={facts} />
              <Process facts={facts} />
              <Certificates certificates={facts.certificates} />
              <Section title="Addresses">
                <Facts
                  facts={Object.entries(facts.addresses).map(([name, address]) => [
                    name,
                    address === "off" ? "off" : <code key={name}>{address}</code>,
                  ])}
                />
              </Section>
            </div>
            <LogLevels log={facts.log} onChanged={watched.refresh} />
          </>
        )}
      </WhenReady>
    </Page>
  );
}

interface PartProps {
  readonly facts: ControlPlaneAnswer;
}

function Queue({ facts: { queue, streams, pushPhases } }: PartProps): JSX.Element {
  const { debounce } = queue;
  return (
    <Section title="Pushes">
      <Facts
        facts={[
          ["State", queue.settled ? "every change is pushed" : "a change waits for its push"],
          ["Pushes", `${count(queue.pushesLastMinute)} in the last minute`],
          [
            "Queue",
            queue.waiting === 0
              ? "empty"
              : `${counted(queue.waiting, "proxy waits", "proxies wait")}, the first for ${duration(queue.longestWaitMs)}`,
          ],
          ["Debounce", `${duration(debounce.afterMs)} after the last change, at most ${duration(debounce.maxMs)}`],
          ["Streams", `${count(streams.total)} (${count(streams.sotw)} SotW, ${count(streams.delta)} delta)`],
          ["Open desks", desksText(streams.desks, streams.slowDesks)],
        ]}
      />
      <Phases phases={pushPhases} />
    </Section>
  );
}

function desksText(open: number, slow: number): string {
  return slow === 0 ? count(open) : `${count(open)} (${count(slow)} disconnected because they read too slowly)`;
}

function Process({ facts }: PartProps): JSX.Element {
  const { process: own } = facts;
  const { watchdog, heapLimitBytes: limit, eventLoopDelayMs: delay } = own;
  return (
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
          ["Heap", limit === undefined ? bytes(own.heapUsedBytes) : `${bytes(own.heapUsedBytes)} of ${bytes(limit)}`],
          ["Memory", bytes(own.rssBytes)],
          ["Event loop delay", delay === undefined ? "not measured" : duration(delay)],
          [
            "Watchdog",
            watchdog.type === "off"
              ? "off"
              : `${counted(watchdog.stalls, "stall", "stalls")} over ${duration(watchdog.stallMs)} since the start`,
          ],
        ]}
      />
    </Section>
  );
}
