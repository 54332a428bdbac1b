import { clone, type DescMessage, isMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { assert } from "../../../lib/assert.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { EnvoyPatch, PatchContext, PatchTarget } from "../../model/policy/envoy-patch.ts";
import { type ListMerge, mergeMessage } from "./merge-message.ts";
import { PatchError } from "./patch-error.ts";
import { PatchTrace } from "./patch-trace.ts";
import { type PatchValue, patchValueOf } from "./patch-value.ts";

/** A reason why a patch is not applied. */
export interface PatchProblem {
  /** The field of Envoy's message; empty for the message itself. */
  readonly path: string;
  readonly reason: string;
}

/** One application of patches to one resource. It remembers which patches had an effect, and which were refused. */
export class PatchRun {
  readonly applied = new Set<EnvoyPatch>();
  readonly problems = new Map<EnvoyPatch, PatchProblem>();
  readonly trace = new PatchTrace();
  readonly writer: ProtoWriter;
  readonly #byTarget: ReadonlyMap<PatchTarget, readonly EnvoyPatch[]>;

  constructor(patches: readonly EnvoyPatch[], context: PatchContext, writer: ProtoWriter) {
    const here = patches.filter((patch) => appliesIn(patch, context));
    this.#byTarget = Map.groupBy(here, ({ target }) => target);
    this.writer = writer;
  }

  /** In the order of application. */
  for(target: PatchTarget): readonly EnvoyPatch[] {
    return this.#byTarget.get(target) ?? [];
  }

  /** Notes that a patch removes an item of this part. */
  remove(patch: EnvoyPatch, part: object): void {
    this.applied.add(patch);
    this.trace.mark(patch, part, false);
  }

  /** Runs one step of a patch, which may change this part of the resource. It returns whether it had an effect. */
  step(patch: EnvoyPatch, part: object, step: () => boolean): void {
    if (this.problems.has(patch)) return;
    try {
      if (this.trace.follow(patch, part, step)) this.applied.add(patch);
    } catch (thrown) {
      if (!(thrown instanceof PatchError)) throw thrown;
      this.problems.set(patch, { path: thrown.path, reason: thrown.reason });
    }
  }
}

/** Whether the patch is for this place. */
export function appliesIn({ context }: EnvoyPatch, where: PatchContext): boolean {
  return context === where || context === "ANY";
}

export function isMerge({ operation }: EnvoyPatch): boolean {
  return operation === "MERGE" || operation === "MERGE_AND_REPLACE_LIST";
}

/** A copy of the patch's message, to insert into a resource. Throws a `PatchError` for an unreadable value. */
export function copyOf<Desc extends DescMessage>(patch: EnvoyPatch, schema: Desc): MessageShape<Desc> {
  const { message } = readable(patch);
  assert(isMessage(message, schema), `the value of a ${patch.target} patch is a ${schema.typeName}`);
  return clone(schema, message);
}

/** Merges the patch's value into a message of the same type. */
export function mergeValue(patch: EnvoyPatch, target: Message): void {
  const { desc, message } = readable(patch);
  const lists: ListMerge = patch.operation === "MERGE_AND_REPLACE_LIST" ? "replace" : "append";
  mergeMessage(desc, target, message, lists);
}

function readable(patch: EnvoyPatch): Extract<PatchValue, { readonly type: "message" }> {
  const value = patchValueOf(patch);
  if (value.type === "message") return value;
  if (value.type === "none") throw new PatchError("", "the patch has no value");
  throw new PatchError(value.path, value.reason);
}
