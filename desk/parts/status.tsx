import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** How something is: the shape and the word say it, the colour repeats it. */
export type Tone = "ok" | "warning" | "error" | "wait" | "info" | "off";

const icons: Readonly<Record<Tone, IconName>> = {
  ok: "ok",
  warning: "warning",
  error: "error",
  wait: "wait",
  info: "info",
  off: "off",
};

export interface StatusProps {
  readonly tone: Tone;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Status({ tone, title, children }: StatusProps): JSX.Element {
  return (
    <span class={`status ${tone}`} {...(title !== undefined && { title })}>
      <Icon name={icons[tone]} />
      {/* One word for the reader of a screen, however it wraps. */}
      <span>{children}</span>
    </span>
  );
}
