import type { JSX } from "preact";

/** Shapes on a grid of 16: they differ without colour. */
const shapes = {
  ok: "M3 8.5l3.2 3.2L13 5",
  warning: "M8 2.2l6.3 11.3H1.7zM8 6.3v3.4M8 11.6v.2",
  error: "M5.2 1.8h5.6l3.4 3.4v5.6l-3.4 3.4H5.2l-3.4-3.4V5.2zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8",
  wait: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM8 4.5V8l2.4 1.6",
  info: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM8 7.4v3.8M8 4.8V5",
  off: "M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8zM4.8 8h6.4",
  overview: "M2 2h5v5H2zM9 2h5v3H9zM9 7h5v7H9zM2 9h5v5H2z",
  changes: "M2 4h8M2 8h12M2 12h5M12 2l2 2-2 2",
  proxies: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5v.1M4.5 11v.1",
  mesh: "M8 2.5v3M3.5 12l3-5M12.5 12l-3-5M8 4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM3 15a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM13 15a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z",
  configuration: "M3.5 1.5h6l3 3v10h-9zM9 1.5V5h3.5M6 8h4M6 11h4",
  explain: "M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2zM10.6 10.6L14 14",
  control: "M8 3a6 6 0 0 1 6 6c0 1.5-.5 2.8-1.4 4H3.4A6.5 6.5 0 0 1 2 9a6 6 0 0 1 6-6zM8 9l2.6-2.8",
  next: "M6 3l5 5-5 5",
} as const;

export type IconName = keyof typeof shapes;

/** Beside a word, never instead of one: hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}
