import type { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";

/** The objects that a source has reported, each with its version, as one text. */
export function stateOf({ state }: SourceRecorder): string {
  return Array.from(state, ([key, { version }]) => `${key} ${version}`)
    .toSorted()
    .join("\n");
}
