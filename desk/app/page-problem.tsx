import type { ComponentChildren, JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Store, useStore } from "./store.ts";

/** The first error of the page that nothing else has shown. */
const problem = new Store("");

/** A mistake of the page must not look like a quiet mesh: it is shown until the page is loaded again. */
export function watchErrors(): void {
  addEventListener("error", ({ error, message }) => note(error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => note(reason));
}

function note(thrown: unknown): void {
  if (problem.value === "") problem.set(thrown instanceof Error ? thrown.message : String(thrown));
}

/** The banner above the screens. */
export function PageProblem(): JSX.Element | null {
  const text = useStore(problem);
  return text === "" ? null : <Problem text={text}>The page may show old or incomplete data.</Problem>;
}

/** Draws the children, or the error that one of them throws. The navigation around it stays usable. */
export function Guarded({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error === undefined) return <>{children}</>;
  const text = error instanceof Error ? error.message : String(error);
  return <Problem text={text}>The screen cannot be drawn.</Problem>;
}

function Problem({ text, children }: { readonly text: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <Icon name="error" />
      <p>
        The desk has an error: {text}. {children}
      </p>
      <button type="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
