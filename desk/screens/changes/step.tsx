import type { ComponentChildren, JSX } from "preact";
import { Status, type Tone } from "../../parts/status.tsx";

export interface StepProps {
  readonly tone: Tone;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** One step of a story. */
export function Step({ tone, title, children }: StepProps): JSX.Element {
  return (
    <li class={`step ${tone}`}>
      <h2>
        <Status tone={tone}>{title}</Status>
      </h2>
      {children}
    </li>
  );
}
