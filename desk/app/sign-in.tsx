import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session, SessionRequest } from "../../src/desk/api/model/session.ts";
import { Icon } from "../parts/icon.tsx";
import { ask, sending } from "./api.ts";

/** Asks a remote viewer for a token. The server keeps a session; the page keeps nothing. */
export function SignIn({ onDone }: { readonly onDone: () => void }): JSX.Element {
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
    <main class="alone">
      <form class="card sign-in" onSubmit={submit}>
        <h1>Binnacle</h1>
        <p>This server shows its desk to clients on its own machine, and to holders of a token of the mesh.</p>
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
          <p class="status error" role="alert">
            <Icon name="error" /> <span>{problem}</span>
          </p>
        )}
        <button type="submit" class="primary" disabled={busy}>
          Open the desk
        </button>
        <p class="hint">
          In Kubernetes: <code>kubectl create token NAME</code>, for a service account of a system namespace to see
          everything.
        </p>
      </form>
    </main>
  );
}
