import { type ReplayReport, runReplay } from "../../app/recording/run-replay.ts";
import { assert } from "../../lib/assert.ts";
import { type Recording, readRecording } from "../../recording/recording.ts";
import { turns } from "../until.ts";

/** Reads a recording that is whole up to its cut. */
export function recordingIn(text: string): Recording {
  const recording = readRecording(text);
  assert(recording !== undefined, "the recording has a begin");
  return recording;
}

/** Repeats a recording, and compares all of it. */
export function replayed(text: string): Promise<ReplayReport> {
  const options = { until: Number.POSITIVE_INFINITY, isCompared: () => true, settled: () => turns(1) };
  return runReplay(recordingIn(text), options);
}
