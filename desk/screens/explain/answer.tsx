import type { JSX } from "preact";
import type {
  ExplainAnswer,
  ExplainedOutcome,
  ExplainedStep,
  ExplainedTarget,
} from "../../../src/desk/api/model/explain.ts";
import { ObjectName } from "../../parts/object.tsx";
import { Status, type Tone } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";

/** The way of the request, decision by decision. */
export function Answer({ answer, whatIf }: { readonly answer: ExplainAnswer; readonly whatIf: boolean }): JSX.Element {
  const { outcome, steps, decidedBy, nearMisses, issues } = answer;
  const [tone, words] = outcomeWords(outcome);
  return (
    <section aria-label="Answer" class="stack" role="status">
      <p class="lead">
        <Status tone={tone}>
          {whatIf && "What if: "}
          {words}
        </Status>
      </p>
      {issues.map(({ severity, text, line }) => (
        <Status key={`${line} ${text}`} tone={severity}>
          {line === undefined ? text : `line ${line}: ${text}`}
        </Status>
      ))}
      {decidedBy.length > 0 && (
        <p>
          Decided by{" "}
          {decidedBy.map(({ object, part }) => (
            <span key={`${object.id} ${part}`}>
              <ObjectName object={object} /> {part !== undefined && <code>{part}</code>}{" "}
            </span>
          ))}
        </p>
      )}
      <Section title="Decisions">
        <ol class="decisions">
          {steps.map((step, index) => (
            <li key={index}>
              <Decision step={step} />
            </li>
          ))}
        </ol>
      </Section>
      {nearMisses.length > 0 && (
        <Section title="Did not apply, but nearly">
          <ul class="plain">
            {nearMisses.map(({ text, object }) => (
              <li key={text}>
                {text} {object !== undefined && <ObjectName object={object} />}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </section>
  );
}

function Decision({ step }: { readonly step: ExplainedStep }): JSX.Element {
  const { type, name, why, notes, passedOver, owners, share, problem, endpoints = [] } = step;
  return (
    <>
      <h3>
        <span class="hint">{type}</span> <code>{name}</code> {share !== undefined && share < 1 && percent(share)}
      </h3>
      <p>{why}</p>
      {problem !== undefined && <Status tone="error">{problem}</Status>}
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      {owners.map((owner) => (
        <p key={owner.id}>
          <ObjectName object={owner} />
        </p>
      ))}
      {endpoints.length > 0 && (
        <ul class="plain">
          {endpoints.map(({ address, transport, priority, problem: trouble }) => (
            <li key={address}>
              <Status tone={trouble === undefined ? "ok" : "error"}>
                <code>{address}</code> {transport}, priority {priority} {trouble}
              </Status>
            </li>
          ))}
        </ul>
      )}
      {passedOver.length > 0 && (
        <details>
          <summary>{passedOver.length} passed over</summary>
          <ul class="plain">
            {passedOver.map((other) => (
              <li key={other.name}>
                <code>{other.name}</code> <span class="hint">{other.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function outcomeWords(outcome: ExplainedOutcome): readonly [Tone, string] {
  switch (outcome.type) {
    case "forwarded":
      return [
        outcome.targets.some(({ problem }) => problem !== undefined) ? "warning" : "ok",
        `forwarded: ${outcome.targets.map(targetWords).join(", ")}`,
      ];
    case "response":
      return ["info", `answered by the proxy with status ${outcome.status}`];
    case "redirect":
      return ["info", `redirected with status ${outcome.status} to ${outcome.location}`];
    case "refused":
      return [
        "error",
        `refused${outcome.status === undefined ? "" : ` with status ${outcome.status}`}: ${outcome.reason}`,
      ];
    case "accepted":
      return ["ok", `accepted: ${outcome.reason}`];
    case "unknown":
    default:
      return ["off", `unknown: ${outcome.reason}`];
  }
}

function targetWords({ cluster, share, problem }: ExplainedTarget): string {
  return `${percent(share)} to ${cluster}${problem === undefined ? "" : ` (${problem})`}`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
