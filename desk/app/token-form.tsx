import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session, SessionRequest } from "../../src/desk/api/model/session.ts";
import { Status } from "../parts/status.tsx";
import { ask, sending } from "./api.ts";

export interface TokenFormProps {
  /** Why a token is asked for. */
  readonly children: ComponentChildren;
  /** The text of the button. */
  readonly action: string;
  /** Below the button. */
  readonly hint: ComponentChildren;
  readonly onDone: () => void;
}

/** Asks for a token. The server keeps a session; the page keeps nothing. */
export function TokenForm({ children, action, hint, onDone }: TokenFormProps): JSX.Element {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);

  const send = async () => {
    setBusy(true);
    const body: SessionRequest = { token: token.trim() };
    const answer = await ask<Session>("/session", sending("POST", body));
    setBusy(false);
    if (answer.type === "failure") return setProblem(answer.failure.message);
    setToken("");
    onDone();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send();
  };

  return (
    <form class="card sign-in" onSubmit={submit}>
      {children}
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        required
        value={token}
        onInput={({ currentTarget }) => setToken(currentTarget.value)}
      />
      {problem !== "" && (
        <p role="alert">
          <Status tone="error">{problem}</Status>
        </p>
      )}
      <button type="submit" class="primary" disabled={busy}>
        {action}
      </button>
      <p class="hint">{hint}</p>
    </form>
  );
}
