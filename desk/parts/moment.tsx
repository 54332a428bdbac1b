import type { JSX } from "preact";
import { Store, useStore } from "../app/store.ts";

/** One clock for the page: all relative times move together. */
const now = new Store(Date.now());
setInterval(() => now.set(Date.now()), 1000);

/** A time as people say it, with the exact one on demand. */
export function Moment({ at }: { readonly at: string | number }): JSX.Element {
  const current = useStore(now);
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact(date)}>
      {relative(current - date.getTime())}
    </time>
  );
}

/** `just now`, `12 s ago`, `3 min ago`, `2 h ago`, `5 d ago`. The server's clock may be ahead of ours. */
function relative(ageMs: number): string {
  const seconds = Math.round(ageMs / 1000);
  if (seconds < 2) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

function exact(date: Date): string {
  return `${date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })} (${date.toISOString()})`;
}
