import { append } from "../../lib/append.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { AnalysisInput, Analyzer } from "./analyzer.ts";
import { contextFor } from "./context.ts";
import { fillIn, type Message } from "./message.ts";
import { messages as types } from "./messages.ts";
import { inOrder } from "./order.ts";

/** What was found, and what could not be looked for. */
export interface Report {
  /** In the order in which they are read; none twice. */
  readonly messages: readonly Message[];
  readonly skipped: readonly SkippedAnalyzer[];
}

/** An analyzer that would only guess. */
interface SkippedAnalyzer {
  readonly analyzer: string;
  /** The kinds of which not all objects are known. */
  readonly unknown: readonly string[];
}

/** Runs all analyzers over one moment. Never throws: an analyzer that does is a message, and the others go on. */
export function analyze(analyzers: readonly Analyzer[], input: AnalysisInput): Report {
  const steps = analyzeStepwise(analyzers, input);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same an analyzer at a time: whoever has better things to do may do them, or give up, between the steps. */
export function* analyzeStepwise(analyzers: readonly Analyzer[], input: AnalysisInput): Generator<void, Report> {
  const messages: Message[] = [];
  const skipped: SkippedAnalyzer[] = [];
  for (const analyzer of analyzers) {
    const unknown = (analyzer.needs ?? []).filter((kind) => !input.knows(kind)).map(({ kind }) => kind);
    if (unknown.length > 0) skipped.push({ analyzer: analyzer.name, unknown });
    else append(messages, messagesOf(analyzer, input));
    yield;
  }
  return { messages: inOrder(messages), skipped };
}

function messagesOf(analyzer: Analyzer, input: AnalysisInput): readonly Message[] {
  const messages: Message[] = [];
  try {
    analyzer.analyze(contextFor(analyzer, input, messages));
    return messages;
  } catch (cause) {
    const { template } = types.internalError;
    const text = fillIn(template, { where: analyzer.name, detail: errorFrom(cause).message });
    return [...messages, { type: types.internalError, text, subject: undefined, path: "" }];
  }
}
