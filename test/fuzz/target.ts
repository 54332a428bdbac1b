/**
 * One surface that takes bytes from outside, with an oracle. `npm run fuzz:coverage` mutates its inputs, guided by the
 * branches that they reach. `test/fuzz/fuzz.test.ts` replays all kept inputs.
 */
export type FuzzTarget = Surface & (SyncCheck | AsyncCheck);

interface Surface {
  /** The file of the target is `test/fuzz/targets/NAME.ts`, and its kept inputs are in `test/fuzz/corpus/NAME`. */
  readonly name: string;
  /** Inputs to begin with that are easier to read as code than as bytes. Texts are files in the corpus. */
  readonly seeds?: () => readonly Uint8Array[];
  /** Words of the surface that random changes would hardly find. */
  readonly words?: readonly string[];
  /** Ends what the checks have started. */
  readonly close?: () => Promise<void>;
  /** Proves that the target reaches its code: `npm run fuzz:coverage -- planted` builds this bug in and finds it. */
  readonly planted: PlantedBug;
}

/**
 * `check` throws for a finding: an unexpected exception, or a broken promise of the code. Inputs that the code refuses
 * as it should are no findings.
 */
interface SyncCheck {
  readonly mode: "sync";
  readonly check: (input: Buffer) => void;
}

interface AsyncCheck {
  readonly mode: "async";
  readonly check: (input: Buffer) => Promise<void>;
}

/** A bug that a patched build contains: a throw if `text` contains a word. */
export interface PlantedBug {
  /** A file deep below the surface. */
  readonly file: string;
  /** The text in the file before which the bug is planted. It occurs once. */
  readonly before: string;
  /** An expression at that place, for a text that the input decides. */
  readonly text: string;
}
