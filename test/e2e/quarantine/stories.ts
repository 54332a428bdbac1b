import { type RowName, rows } from "./rows.ts";

type Mode = "sotw" | "delta";
/** How the control plane is restarted while the object is in quarantine. A server that restarts has a store. */
type Restart = "no restart" | "SIGTERM" | "SIGKILL";
export type Story = readonly [RowName, Mode, Restart];

const modes: readonly Mode[] = ["sotw", "delta"];
const rowNames = Object.keys(rows) as readonly RowName[];

/** The stories that `npm run quarantine` tells. */
export const allStories: readonly Story[] = [
  ...rowNames.flatMap((name) => modes.map((mode): Story => [name, mode, "no restart"])),
  ["a VirtualService", "delta", "SIGKILL"],
  ["a VirtualService", "sotw", "SIGTERM"],
];

/** The name of a story in the record of measurements. */
export function storyName(...story: Story): string {
  return story.join("; ");
}
