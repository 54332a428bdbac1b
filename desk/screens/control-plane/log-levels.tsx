import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LogFacts, LogLevelRequest } from "../../../src/desk/api/model/control-plane.ts";
import { ask, sending } from "../../app/api.ts";
import { useRights } from "../../app/session.ts";
import { TokenForm } from "../../app/token-form.tsx";
import { Status } from "../../parts/status.tsx";
import { Section, Table } from "../../parts/table.tsx";

const columns = [{ title: "Scope" }, { title: "Level" }, { title: "Lines about", kind: "wide" }] as const;

export interface LogLevelsProps {
  readonly log: LogFacts;
  /** Reads the facts again. */
  readonly onChanged: () => void;
}

/** Switches of the log. The server changes nothing without a token of an operator. */
export function LogLevels({ log, onChanged }: LogLevelsProps): JSX.Element {
  const { mayChange } = useRights();
  const [problem, setProblem] = useState("");
  const [done, setDone] = useState("");
  const choose = async (scope: string, level: string) => {
    const body: LogLevelRequest = { scope, level };
    const answer = await ask<LogFacts>("/control-plane/log-level", sending("PUT", body));
    setProblem(answer.type === "failure" ? answer.failure.message : "");
    setDone(answer.type === "failure" ? "" : `${scope} logs at ${level}.`);
    onChanged();
  };
  return (
    <Section title="Log levels" aside={<span class="hint">A restart sets them back.</span>}>
      {problem !== "" && (
        <p role="alert">
          <Status tone="error">{problem}</Status>
        </p>
      )}
      <p role="status" class={done === "" ? "unseen" : ""}>
        {done !== "" && <Status tone="ok">{done}</Status>}
      </p>
      {!mayChange && <AskForToken />}
      <Table label="Log levels" columns={columns}>
        {log.scopes.map(({ name, doc, level }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              {mayChange ? (
                <select
                  aria-label={`Level of ${name}`}
                  value={level}
                  onChange={({ currentTarget }) => void choose(name, currentTarget.value)}
                >
                  {log.levels.map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              ) : (
                level
              )}
            </td>
            <td class="wide hint">{doc}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

/** A client on the server's machine sees everything without a token, but changes nothing. */
function AskForToken(): JSX.Element {
  const { reload } = useRights();
  const [asked, setAsked] = useState(false);
  if (!asked)
    return (
      <p>
        <button type="button" onClick={() => setAsked(true)}>
          Enter a token to change levels
        </button>
      </p>
    );
  return (
    <TokenForm
      action="Use this token"
      hint={
        <>
          In Kubernetes: <code>kubectl create token NAME</code>, for a service account of a system namespace. Without
          tokens, start the server with <code>--log-level</code>.
        </>
      }
      onDone={reload}
    >
      <p>Changes need a token of an operator.</p>
    </TokenForm>
  );
}
