import type { ComponentChildren, JSX } from "preact";
import type { ApiFailure } from "../app/api.ts";
import type { Watched } from "../app/use-api.ts";
import { Icon } from "./icon.tsx";

/** An empty list says what to do next. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export interface FailureProps {
  readonly failure: ApiFailure;
  readonly retry: () => void;
  /** Whether an older answer is still shown below. */
  readonly stale?: boolean;
}

/** An error where the answer would be, with another attempt. */
export function Failure({ failure, retry, stale = false }: FailureProps): JSX.Element {
  return (
    <div class="failure" role="alert">
      <Icon name="error" />
      <p>
        {failure.message} {stale ? "The content below is older." : ""}
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

export interface WhenReadyProps<T> {
  readonly watched: Pick<Watched<T>, "loaded" | "retry">;
  readonly children: (value: T) => ComponentChildren;
}

/** The content when it is there; until then that it is loading, or why it is not there. */
export function WhenReady<T>({ watched: { loaded, retry }, children }: WhenReadyProps<T>): JSX.Element {
  switch (loaded.type) {
    case "loading":
      return <p class="loading">Loading …</p>;
    case "failed":
      return <Failure failure={loaded.failure} retry={retry} />;
    case "ready":
    default:
      return (
        <>
          {loaded.failure !== undefined && <Failure failure={loaded.failure} retry={retry} stale />}
          {children(loaded.value)}
        </>
      );
  }
}
