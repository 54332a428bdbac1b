import { deepEqual } from "../../lib/equal.ts";
import { storyCollections } from "./galley-objects.ts";
import { type GalleyRig, galleyRig, isPoisoned, optionalWaitMs, type Seams } from "./galley-rig.ts";
import type { StoryStep } from "./galley-story.ts";
import type { ManualSource } from "./manual-source.ts";
import { type GalleyPromise, SnapshotChecker, serviceEntryCollection } from "./snapshot-checker.ts";
import { StoryRunner } from "./story-runner.ts";

/** The broken promises, each with a description. */
export type Broken = ReadonlyMap<GalleyPromise, string>;

/** Runs a story against Galley, with or without faults, and returns the promises that Galley broke. */
export async function brokenPromises(story: readonly StoryStep[], seams?: Seams): Promise<Broken> {
  const broken = new Map<GalleyPromise, string>();
  const prompt = new SnapshotChecker(broken);
  const patient = new SnapshotChecker(broken);
  const rig = galleyRig(prompt, patient, seams);
  prompt.mayPublish = patient.mayPublish = () => mayPublish(rig);
  const teller = new StoryRunner(rig);
  await teller.begin();
  for (const step of story) await teller.tell(step);
  checkProblems(rig, broken);
  await teller.end();
  const truth = await freshSnapshots(rig.sources);
  for (const checker of [prompt, patient]) {
    checker.lookAgain();
    for (const [group, expected] of truth) {
      const found = checker.contents.get(group);
      if (!deepEqual(found, expected)) broken.set("truth", `${group} is ${JSON.stringify(found)}`);
    }
  }
  if (rig.graph.problems.length > 0) broken.set("problems", "there are some in the end");
  return broken;
}

function mayPublish({ sources, clock }: GalleyRig): boolean {
  return sources.every(({ name, told }) => {
    if (name === "late" && clock.now() >= optionalWaitMs) return true;
    return storyCollections.every((collection) => told.has(collection));
  });
}

/** Exactly the poisoned objects that are in use have no echo. */
function checkProblems({ graph, processor }: GalleyRig, broken: Map<GalleyPromise, string>): void {
  const failing = graph.problems.map(({ input }) => input);
  const inUse = processor.outputs.get(serviceEntryCollection)?.entries() ?? [];
  const poisoned = Array.from(inUse).flatMap(([key, config]) => (isPoisoned(config) ? key : []));
  if (!deepEqual(failing, poisoned.toSorted())) broken.set("problems", `${failing.join()}, not ${poisoned.join()}`);
}

/** The snapshots, by group, that a freshly started process makes of the worlds of these sources. */
async function freshSnapshots(worlds: readonly ManualSource[]): Promise<ReadonlyMap<string, unknown>> {
  const checker = new SnapshotChecker(new Map());
  const { processor, snapshotter, sources } = galleyRig(checker, { distribute: () => {} });
  for (const [index, { world }] of worlds.entries()) sources[index]?.change([...world]);
  snapshotter.start();
  await processor.start();
  for (const source of sources) source.drain();
  return checker.contents;
}
