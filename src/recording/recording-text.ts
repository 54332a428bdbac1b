import { encodeLine } from "../history/log-line.ts";
import type { OpenStep } from "./open-step.ts";
import { describeResponse } from "./response-contents.ts";
import type { ContentEntry, RecordedOutput, RecordedStep, RecordingHead } from "./step.ts";

/** Makes the text of a recording, step by step. Contents that many responses share are written once. */
export class RecordingText {
  /** Whether responses of a type are left out: answers to requests that are not for resources. */
  readonly #isLeftOut: (typeUrl: string) => boolean;
  readonly #contents = new Set<string>();
  readonly #bodies = new Set<string>();

  constructor(isLeftOut: (typeUrl: string) => boolean) {
    this.#isLeftOut = isLeftOut;
  }

  head(head: RecordingHead): string {
    return encodeLine("recording", JSON.stringify(head));
  }

  step(step: OpenStep): string {
    const records: string[] = [];
    const outputs = step.outputs.flatMap((output): RecordedOutput[] => {
      if (output.type === "end") return [output];
      const { response, contents } = describeResponse(output);
      if (this.#isLeftOut(response.typeUrl)) return [];
      for (const { id, entries } of contents) {
        if (this.#contents.has(id)) continue;
        this.#contents.add(id);
        records.push(encodeLine("contents", JSON.stringify({ id, entries: entries.map((each) => this.#once(each)) })));
      }
      return [response];
    });
    return records.join("") + encodeLine("step", JSON.stringify(recordedStep(step, outputs)));
  }

  /** Something that a replay cannot repeat. */
  unrecorded(what: string, at: number): string {
    return encodeLine("unrecorded", JSON.stringify({ what, at }));
  }

  end(reason: string): string {
    return encodeLine("end", JSON.stringify({ reason }));
  }

  /** The fields of a resource stand in the first entry with its bytes. */
  #once({ name, version, hash, fields }: ContentEntry): readonly unknown[] {
    if (this.#bodies.has(hash)) return [name, version, hash];
    this.#bodies.add(hash);
    return [name, version, hash, fields];
  }
}

function recordedStep(step: OpenStep, outputs: readonly RecordedOutput[]): RecordedStep {
  const { number, at, clock, queued, load, yields, refusal, foreign } = step;
  return {
    number,
    at,
    cause: step.cause(),
    ...(clock.changes.length > 0 && { clock: clock.changes }),
    ...(queued.changes.length > 0 && { queued: queued.changes }),
    ...(load.changes.length > 0 && { load: load.changes }),
    ...(yields.length > 0 && { yields }),
    ...(refusal && { refusal }),
    ...(foreign && { foreign }),
    ...(outputs.length > 0 && { outputs }),
  };
}
