import type { JSX } from "preact";
import { count } from "./quantity.ts";
import type { Tone } from "./status.tsx";

export interface Share {
  readonly tone: Tone;
  readonly word: string;
  readonly value: number;
}

/** Shares of a whole, as a bar. The numbers stand in words beside it, so it is a picture with a description. */
export function Meter({ shares, label }: { readonly shares: readonly Share[]; readonly label: string }): JSX.Element {
  const total = shares.reduce((sum, { value }) => sum + value, 0);
  const words = shares.filter(({ value }) => value > 0).map(({ word, value }) => `${count(value)} ${word}`);
  return (
    <div class="meter" role="img" aria-label={`${label}: ${words.join(", ") || "none"}`}>
      {shares.map(({ tone, word, value }) =>
        value === 0 ? null : <span key={word} class={tone} style={{ flexGrow: String(value / total) }} />,
      )}
    </div>
  );
}

/** A few bars, the newest at the right. */
export function Bars({ values, label }: { readonly values: readonly number[]; readonly label: string }): JSX.Element {
  const highest = values.reduce((most, value) => Math.max(most, value), 1);
  const width = 100 / Math.max(values.length, 1);
  return (
    <svg class="bars" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, index) => {
        const height = value === 0 ? 0.6 : Math.max(1.5, (24 * value) / highest);
        return <rect key={index} x={index * width + 0.3} y={24 - height} width={width - 0.6} height={height} />;
      })}
    </svg>
  );
}
