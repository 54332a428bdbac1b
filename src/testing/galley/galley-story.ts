import fc from "fast-check";
import { forms, type ObjectChoice, storyKinds, storyNames } from "./galley-objects.ts";

/** One object of a batch: written in a form, or (undefined) deleted. */
export interface StoryEdit extends ObjectChoice {
  readonly gone: boolean;
}

/** A step in the life of Galley. Sources are counted from 0, modulo their number. */
export type StoryStep =
  /** A source's world changes. The source reports the change later, in order. */
  | { readonly type: "change"; readonly source: number; readonly edits: readonly StoryEdit[] }
  /** A source delivers some of its pending events. Until then it is slow. */
  | { readonly type: "deliver"; readonly source: number; readonly count: number }
  /** A source repeats an earlier event. */
  | { readonly type: "repeat"; readonly source: number; readonly object: ObjectChoice }
  /** A source's world changes unnoticed. Then the source notices and sends everything anew. */
  | { readonly type: "lose"; readonly source: number; readonly order: number; readonly edits: readonly StoryEdit[] }
  | { readonly type: "wait"; readonly ms: number }
  /** Everything stops and starts again. In between, stopped sources may still send events. */
  | { readonly type: "restart"; readonly haunted: boolean };

const anySource = fc.nat(2);
const anyObject: fc.Arbitrary<ObjectChoice> = fc.record({
  kind: fc.constantFrom(...storyKinds),
  name: fc.constantFrom(...storyNames),
  form: fc.nat(forms - 1),
});
const anyEdit: fc.Arbitrary<StoryEdit> = fc
  .tuple(anyObject, fc.integer({ min: 0, max: 2 }))
  .map(([object, chance]) => ({ ...object, gone: chance === 0 }));
const anyEdits = fc.array(anyEdit, { minLength: 1, maxLength: 3 });

const anyStep: fc.Arbitrary<StoryStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ type: fc.constant("change"), source: anySource, edits: anyEdits }),
  },
  { weight: 10, arbitrary: fc.record({ type: fc.constant("deliver"), source: anySource, count: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("repeat"), source: anySource, object: anyObject }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("lose"), source: anySource, order: fc.nat(7), edits: anyEdits }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("wait"), ms: fc.constantFrom(100, 600, 1200, 3000) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("restart"), haunted: fc.boolean() }) },
);

/** Adds, changes, deletions, resets, repetitions, slow sources and restarts, in any order. */
export const anyStory: fc.Arbitrary<readonly StoryStep[]> = fc.array(anyStep, { minLength: 5, maxLength: 40 });
