import type { JSX } from "preact";
import type { ExplainAnswer, ExplainedRequest, WhatIfAnswer } from "../../../src/desk/api/model/explain.ts";
import { ObjectName } from "../../parts/object.tsx";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { Decision } from "./decision.tsx";
import { outcomeWords } from "./outcome-words.ts";

/** The way of the request now, and beside it the way with edited objects. */
export function Answer({ answer }: { readonly answer: ExplainAnswer }): JSX.Element {
  const { whatIf } = answer;
  const after = whatIf?.answer;
  return (
    <div class="stack">
      {whatIf !== undefined && <Edits whatIf={whatIf} />}
      <div class={after === undefined ? "stack" : "beside"}>
        <Explained title={whatIf === undefined ? "Answer" : "Now"} answer={answer} other={after} />
        {after !== undefined && <Explained title="With the edit" answer={after} other={answer} />}
      </div>
    </div>
  );
}

/** The edited objects, and what is wrong with them. */
function Edits({ whatIf: { objects, issues, answer } }: { readonly whatIf: WhatIfAnswer }): JSX.Element {
  return (
    <Section title="The edit">
      {answer === undefined && (
        <p>
          <Status tone="error">The edited text cannot be used. The answer below is that of the mesh as it is.</Status>
        </p>
      )}
      <ul class="plain">
        {objects.map((object) => (
          <li key={object.id}>
            <Status tone={object.change === "unchanged" ? "off" : "info"}>{object.change}</Status>{" "}
            <ObjectName object={object} />
          </li>
        ))}
        {issues.map(({ severity, text, line }) => (
          <li key={`${line} ${text}`}>
            <Status tone={severity}>
              {line !== undefined && <b>Line {line}: </b>}
              {text}
            </Status>
          </li>
        ))}
      </ul>
      {answer !== undefined && <p class="hint">Nothing was applied: no proxy has seen these objects.</p>}
    </Section>
  );
}

interface ExplainedProps {
  readonly title: string;
  readonly answer: ExplainedRequest;
  /** The answer beside it: decisions that differ from it are marked. */
  readonly other: ExplainedRequest | undefined;
}

function Explained({ title, answer, other }: ExplainedProps): JSX.Element {
  const { outcome, steps, decidedBy, nearMisses } = answer;
  const [tone, words] = outcomeWords(outcome);
  const known = other && new Set(other.steps.map(keyOf));
  return (
    <Section title={title}>
      <p class="lead" role="status">
        <Status tone={tone}>{words}</Status>
      </p>
      {decidedBy.length > 0 && (
        <ul class="plain">
          {decidedBy.map(({ object, part }) => (
            <li key={`${object.id} ${part}`}>
              Decided by <ObjectName object={object} /> {part !== undefined && <code>{part}</code>}
            </li>
          ))}
        </ul>
      )}
      {nearMisses.total > 0 && (
        <>
          <h3>Did not apply, but nearly</h3>
          <ul class="plain">
            {nearMisses.items.map(({ object, why }) => (
              <li key={`${object.id} ${why}`}>
                <ObjectName object={object} /> {why}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Decisions</h3>
      <ol class="decisions" aria-label={`Decisions: ${title}`}>
        {steps.map((step, index) => {
          const changed = known !== undefined && !known.has(keyOf(step));
          return (
            <li key={index} class={changed ? "changed" : ""}>
              <Decision step={step} changed={changed} />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

/** Equal decisions, wherever their objects are declared. */
function keyOf(step: ExplainedRequest["steps"][number]): string {
  return JSON.stringify(step, (key, value: unknown) => (key === "reference" || key === "source" ? undefined : value));
}
