import type { JSX } from "preact";
import { TokenForm } from "./token-form.tsx";

/** Asks a remote viewer for a token. */
export function SignIn({ onDone }: { readonly onDone: () => void }): JSX.Element {
  return (
    <main class="alone">
      <TokenForm
        action="Open the desk"
        hint={
          <>
            In Kubernetes: <code>kubectl create token NAME</code>, for a service account of a system namespace to see
            everything.
          </>
        }
        onDone={onDone}
      >
        <h1>Binnacle</h1>
        <p>This server shows its desk to clients on its own machine, and to holders of a token of the mesh.</p>
      </TokenForm>
    </main>
  );
}
