import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LogLevelRequest } from "../../../src/desk/api/model/control-plane.ts";
import { ask, sending } from "../../app/api.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Switches of the log. The server refuses viewers without the right. */
export function LogLevels({ levels: current }: { readonly levels: Readonly<Record<string, string>> }): JSX.Element {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState("");
  const choose = async (scope: string, level: string) => {
    const body: LogLevelRequest = { scope, level };
    const answer = await ask("/control-plane/log-level", sending("PUT", body));
    setProblem(answer.type === "failure" ? answer.failure.message : "");
    if (answer.type === "answer") setChosen({ ...chosen, [scope]: level });
  };
  return (
    <Section title="Log levels">
      {problem !== "" && (
        <p role="alert">
          <Status tone="error">{problem}</Status>
        </p>
      )}
      <div class="filters">
        {Object.entries(current).map(([scope, level]) => {
          const shown = chosen[scope] ?? level;
          return (
            <label key={scope} class="field">
              {scope}
              <select value={shown} onChange={({ currentTarget }) => void choose(scope, currentTarget.value)}>
                {[...new Set([...levels, shown])].map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
            </label>
          );
        })}
      </div>
    </Section>
  );
}
