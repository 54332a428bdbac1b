import { afterEach, beforeEach, describe } from "vitest";
import { describeChanges } from "./source/describe-changes.ts";
import { describeLife } from "./source/describe-life.ts";
import { describeMistakes, describePlaces, describeStrangers, describeUnreadable } from "./source/describe-mistakes.ts";
import { describeResets } from "./source/describe-resets.ts";
import { type SourceSubject, SourceTrial } from "./source/source-trial.ts";

export type { SourceSubject } from "./source/source-trial.ts";

export interface SourceTraits {
  readonly losesTrack: boolean;
  readonly registry?: boolean;
  readonly asksByKind?: boolean;
}

/**
 * The contract of every source, whatever lies behind it. With `losesTrack`, the source may have to start over. With
 * `registry`, the source derives objects from a registry, so a bad object has no last good version. With `asksByKind`,
 * the source requests only known kinds, so it meets no others, and its objects have no lines.
 */
export function describeSource(
  name: string,
  makeSubject: () => Promise<SourceSubject>,
  { losesTrack, registry = false, asksByKind = false }: SourceTraits,
): void {
  describe(`${name} as a source`, () => {
    let current: SourceTrial;

    beforeEach(async () => {
      current = new SourceTrial(await makeSubject());
    });

    afterEach(async () => {
      await current.subject.source.stop();
      await current.subject.close();
    });

    const trial = () => current;
    describeLife(trial);
    describeChanges(trial);
    describePlaces(trial);
    if (registry) describeUnreadable(trial);
    else describeMistakes(trial, asksByKind ? undefined : 10);
    if (!registry && !asksByKind) describeStrangers(trial);
    if (losesTrack) describeResets(trial);
  });
}
