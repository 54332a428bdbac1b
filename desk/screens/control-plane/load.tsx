import type { JSX } from "preact";
import type { ControlPlane, LoadFacts, LoadResource } from "../../../src/desk/api/model/control-plane.ts";
import { count, duration, sentence } from "../../parts/quantity.ts";
import { Status, type Tone } from "../../parts/status.tsx";

const tones: Readonly<Record<LoadFacts["level"], Tone>> = {
  normal: "ok",
  elevated: "warning",
  high: "error",
  critical: "error",
};

export interface LoadProps {
  readonly load: LoadFacts;
  readonly problems: ControlPlane["problems"];
}

/** Whether the server keeps up, which work it delays, and the next step. */
export function Load({ load, problems }: LoadProps): JSX.Element {
  const { level, reason, advice, resources, work } = load;
  const isWell = level === "normal" && problems.length === 0;
  const limited = work.filter(({ pace, shed }) => pace !== "usual" || shed > 0);
  return (
    <section class={`health ${isWell ? "ok" : tones[level]}`} aria-label="Load">
      <p class="health-line">
        <Status tone={tones[level]}>{level === "normal" ? "The server keeps up" : `The load is ${level}`}</Status>
      </p>
      {reason !== undefined && <p>{sentence(reason)}</p>}
      {advice !== undefined && <p>Next: {sentence(advice)}</p>}
      {problems.map(({ part, reason: why }) => (
        <p key={part}>
          <Status tone="error">
            The part “{part}” failed: {sentence(why)} The server tries it again.
          </Status>
        </p>
      ))}
      {resources.length > 0 && <p class="hint">{resources.map((each) => resourceText(each)).join(" · ")}</p>}
      {limited.length > 0 && (
        <p class="hint">
          Delayed or refused work:{" "}
          {limited.map(({ name, pace, shed }) => `${name} ${pace} (${count(shed)} so far)`).join(", ")}
        </p>
      )}
    </section>
  );
}

function resourceText({ name, unit, value, elevated }: LoadResource): string {
  const text = unit === "ms" ? duration : percent;
  return `${name} ${text(value)} (elevated from ${text(elevated)})`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
