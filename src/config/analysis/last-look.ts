import { sameElements } from "../../lib/same-elements.ts";
import type { AnalysisInput, Analyzer } from "./analyzer.ts";
import type { Message } from "./message.ts";

/** The messages of an analyzer, and all that it could read. */
interface Found {
  readonly read: readonly unknown[];
  readonly messages: readonly Message[];
}

/**
 * The messages of each analyzer about the last input. Analyzers are pure, and read only the kinds that they declare. So one whose
 * kinds have the same objects finds the same.
 */
export class LastLook {
  readonly #found = new Map<Analyzer, Found>();

  /** @param run reports whether the analyzer read the time, which is never the same */
  messagesOf(
    analyzer: Analyzer,
    input: AnalysisInput,
    run: () => { readonly messages: readonly Message[]; readonly readTime: boolean },
  ): readonly Message[] {
    const read = readBy(analyzer, input);
    const before = this.#found.get(analyzer);
    if (before !== undefined && read !== undefined && sameElements(before.read, read)) return before.messages;
    const { messages, readTime } = run();
    if (read === undefined || readTime) this.#found.delete(analyzer);
    else this.#found.set(analyzer, { read, messages });
    return messages;
  }
}

/** Undefined if something may differ unseen. */
function readBy({ inputs }: Analyzer, input: AnalysisInput): readonly unknown[] | undefined {
  const versions = inputs.map((kind) => [input.knows(kind), input.version(kind)] as const);
  const areSeen = versions.every(([isKnown, version]) => !isKnown || version !== undefined);
  return areSeen ? [input.domain, ...versions.flat()] : undefined;
}
