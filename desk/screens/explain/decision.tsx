import type { JSX } from "preact";
import type { ExplainedStep } from "../../../src/desk/api/model/explain.ts";
import { ObjectName } from "../../parts/object.tsx";
import { count, counted, sentence } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { percent } from "./outcome-words.ts";

export interface DecisionProps {
  readonly step: ExplainedStep;
  /** The answer beside it has no such decision. */
  readonly changed: boolean;
}

/** One decision: what was chosen, why, the objects behind it, and the candidates that were passed over. */
export function Decision({ step, changed }: DecisionProps): JSX.Element {
  const { type, name, why, notes, owners, share, problem } = step;
  return (
    <>
      <h4>
        <span class="hint">{type}</span> <code>{name}</code> {share !== undefined && share < 1 && percent(share)}{" "}
        {changed && <Status tone="info">differs</Status>}
      </h4>
      <p>{sentence(why)}</p>
      {problem !== undefined && <Status tone="error">It {problem}</Status>}
      {notes.map((note) => (
        <p key={note} class="hint">
          {sentence(note)}
        </p>
      ))}
      {/* The owners of a widely shared resource say little about one request. */}
      {owners.total > 3 ? (
        <p class="hint">It is made from {count(owners.total)} objects.</p>
      ) : (
        owners.items.map((owner) => (
          <p key={owner.id}>
            <ObjectName object={owner} />
          </p>
        ))
      )}
      <Endpoints step={step} />
      <PassedOver step={step} />
    </>
  );
}

function Endpoints({ step: { endpoints } }: Pick<DecisionProps, "step">): JSX.Element | null {
  if (endpoints === undefined || endpoints.total === 0) return null;
  return (
    <ul class="plain">
      {endpoints.items.map(({ address, transport, priority, problem }) => (
        <li key={address}>
          <Status tone={problem === undefined ? "ok" : "error"}>
            <code>{address}</code> {transport}
            {priority > 0 && `, priority ${priority}`} {problem}
          </Status>
        </li>
      ))}
      {endpoints.total > endpoints.items.length && (
        <li class="hint">and {count(endpoints.total - endpoints.items.length)} more endpoints</li>
      )}
    </ul>
  );
}

function PassedOver({ step: { passedOver } }: Pick<DecisionProps, "step">): JSX.Element | null {
  if (passedOver.total === 0) return null;
  return (
    <details>
      <summary>{counted(passedOver.total, "other was", "others were")} not chosen</summary>
      <ul class="plain">
        {passedOver.items.map((other) => (
          <li key={other.name}>
            <code>{other.name}</code> <span class="hint">{other.why}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
