import { MeshError } from "../../src/lib/errors.ts";
import type { FuzzTarget } from "./target.ts";

/** An oracle found a broken promise. */
class Finding extends Error {
  override readonly name = "Finding";
}

/** Throws a {@link Finding} unless the promise holds. */
export function promise(holds: boolean, text: string | (() => string)): asserts holds {
  if (!holds) throw new Finding(typeof text === "string" ? text : text());
}

/**
 * The result, or undefined if the input was refused as it should be: with a MeshError whose code is not `internal`, or
 * with an error of the given classes. Any other exception is a finding, and passes through.
 */
export function orRefused<T>(run: () => T, ...classes: readonly ErrorClass[]): T | undefined {
  try {
    return run();
  } catch (thrown) {
    if (isRefusal(thrown, classes)) return undefined;
    throw thrown;
  }
}

/** The same for a promise. */
export async function orRefusedLater<T>(
  run: () => Promise<T>,
  ...classes: readonly ErrorClass[]
): Promise<T | undefined> {
  try {
    return await run();
  } catch (thrown) {
    if (isRefusal(thrown, classes)) return undefined;
    throw thrown;
  }
}

type ErrorClass = abstract new (...args: never[]) => Error;

function isRefusal(thrown: unknown, classes: readonly ErrorClass[]): boolean {
  if (thrown instanceof MeshError) return thrown.code !== "internal" && !isBug(thrown.cause);
  return classes.some((each) => thrown instanceof each);
}

/** An exception that Node throws for an input, such as a bad URL, has a code. One without is a bug. */
function isBug(cause: unknown): boolean {
  return cause instanceof ReferenceError || (cause instanceof TypeError && !("code" in cause));
}

/** Messages of exceptions that only a bug throws. Code that turns every exception into a reason would hide them. */
const bug = /is not a function|is not iterable|cannot (?:read|set|convert|mix|destructure)|is not defined|call stack/iu;

/** A reason that the code gives for a refusal. */
export function checkReason(reason: string): void {
  promise(!bug.test(reason), () => `a bug was taken for a reason: ${reason}`);
}

const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype];

/** The check of a target. Beside its own oracle, no input may change a prototype that all objects share. */
export function guarded(target: FuzzTarget): (input: Buffer) => void | Promise<void> {
  const before = prototypes.map(shapeOf);
  const unchanged = (): void => {
    prototypes.forEach((prototype, at) => {
      promise(shapeOf(prototype) === before[at], "an input changed the prototype of other objects");
    });
  };
  if (target.mode === "sync") {
    return (input) => {
      target.check(input);
      unchanged();
    };
  }
  return async (input) => {
    await target.check(input);
    unchanged();
  };
}

function shapeOf(prototype: object): number {
  return Reflect.ownKeys(prototype).length;
}
