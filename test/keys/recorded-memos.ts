import type * as Memo from "../../src/lib/memo.ts";

type Held = readonly (object | undefined)[];
/** `memoize` without its types: the recorder treats all memos alike. */
export type Memoize = (build: (held: Held, facts: unknown) => unknown) => (held: Held, facts: unknown) => unknown;

/** A value that a memo built, and its key. */
export interface RecordedValue {
  readonly held: Held;
  readonly facts: unknown;
  readonly value: unknown;
  /** Runs the builder again with the same key. */
  readonly rebuild: () => unknown;
}

/** A call of `memoize` in the source, and all values that it built. */
export interface RecordedMemo {
  /** The path below `src/`. */
  readonly path: string;
  readonly values: readonly RecordedValue[];
}

const all: RecordedMemo[] = [];
/** The memos of all loaded modules, in the order of their creation. */
export const recordedMemos: readonly RecordedMemo[] = all;

/** The real module, with builders that record their values. For `vi.mock`, so that no module needs a hook for tests. */
export function recordMemos(real: typeof Memo): typeof Memo {
  const realMemoize = real.memoize as unknown as Memoize;
  const memoize: Memoize = (build) => {
    const values: RecordedValue[] = [];
    all.push({ path: callerPath(), values });
    return realMemoize((held, facts) => {
      const rebuild = () => build(held, facts);
      const value = rebuild();
      values.push({ held, facts, value, rebuild });
      return value;
    });
  };
  return { ...real, memoize: memoize as unknown as typeof Memo.memoize };
}

/** The file of `src` that called, from the stack. Lines of compiled code differ, so that they are not used. */
function callerPath(): string {
  const path = /\/src\/(?<path>[^\s:?]+\.ts)/u.exec(new Error("for its stack").stack ?? "")?.groups?.["path"];
  if (path === undefined) throw new Error("no file of src calls memoize");
  return path;
}
