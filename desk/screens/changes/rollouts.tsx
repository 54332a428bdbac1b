import type { JSX } from "preact";
import type { Listing } from "../../../src/desk/api/model/listing.ts";
import type { RolloutTimeline } from "../../../src/desk/api/model/rollouts.ts";
import { useApi } from "../../app/use-api.ts";
import { Moment } from "../../parts/moment.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { counted } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";

const tones: Readonly<Record<RolloutTimeline["phase"], Tone>> = {
  waiting: "wait",
  delivering: "wait",
  paused: "warning",
  halted: "error",
  finished: "ok",
  withdrawn: "off",
};

/** The changes that reach proxies in waves, each with its timeline. Nothing without a rollout. */
export function Rollouts(): JSX.Element | null {
  const { loaded } = useApi<Listing<RolloutTimeline>>("/rollouts", ({ type }) =>
    type === "rollouts" ? "refetch" : undefined,
  );
  if (loaded.type !== "ready" || loaded.value.items.length === 0) return null;
  return (
    <section class="card" aria-label="Rollouts">
      <h2>Rollouts</h2>
      {loaded.value.items.map((each) => (
        <Rollout key={`${each.rollout} ${each.events[0]?.at ?? ""}`} rollout={each} />
      ))}
    </section>
  );
}

function Rollout({ rollout }: { readonly rollout: RolloutTimeline }): JSX.Element {
  const { phase, objects, reason } = rollout;
  const isOver = phase === "finished" || phase === "withdrawn";
  return (
    <details open={!isOver}>
      <summary>
        <b>{rollout.rollout}</b> <Status tone={tones[phase]}>{wordsOf(rollout)}</Status>
      </summary>
      {reason !== "" && <p class="words">{reason}</p>}
      <ul class="plain">
        {objects.items.map((object) => (
          <li key={object.id}>
            <ObjectName object={object} />
          </li>
        ))}
      </ul>
      <Timeline rollout={rollout} />
    </details>
  );
}

function wordsOf({ phase, wave, waves, accepted, proxies }: RolloutTimeline): string {
  if (phase !== "delivering" && phase !== "paused") return phase;
  const name = waves[wave - 1];
  const where = name === undefined ? "" : ` wave ${wave} of ${waves.length} (${name}),`;
  return `${phase}:${where} accepted by ${accepted} of ${counted(proxies, "proxy", "proxies")}`;
}

const columns = [
  { title: "Time" },
  { title: "Event" },
  { title: "Wave", kind: "number" },
  { title: "Proxies", kind: "number" },
  { title: "By", kind: "wide" },
  { title: "Reason" },
] as const;

function Timeline({ rollout: { rollout, events } }: { readonly rollout: RolloutTimeline }): JSX.Element {
  return (
    <Table label={`Timeline of ${rollout}`} columns={columns}>
      {events.toReversed().map(({ at, type, wave, proxies, by, reason }, index) => (
        <tr key={`${at} ${events.length - index}`}>
          <td>
            <Moment at={at} />
          </td>
          <td>{type}</td>
          <td class="number">{wave}</td>
          <td class="number">{proxies}</td>
          <td class="wide">{by}</td>
          <td>{reason}</td>
        </tr>
      ))}
    </Table>
  );
}
