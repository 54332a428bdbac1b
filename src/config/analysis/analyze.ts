import type { DescMessage } from "@bufbuild/protobuf";
import { append } from "../../lib/append.ts";
import { assert } from "../../lib/assert.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { Kind } from "../kind.ts";
import type { AnalysisContext, AnalysisInput, Analyzer } from "./analyzer.ts";
import { LastLook } from "./last-look.ts";
import { fillIn, type Message, subjectOf } from "./message.ts";
import { messages as types } from "./messages.ts";
import { inOrder } from "./order.ts";

/** The result of an analysis: the messages, and the analyzers that were skipped. */
export interface AnalysisReport {
  /** Sorted for display, without duplicates. */
  readonly messages: readonly Message[];
  readonly skipped: readonly SkippedAnalyzer[];
}

/** An analyzer that was skipped, because its result would be a guess. */
interface SkippedAnalyzer {
  readonly analyzer: string;
  /** The kinds for which some objects may be unknown. */
  readonly unknown: readonly string[];
}

/**
 * Runs all analyzers over one moment. Never throws: an analyzer that throws becomes a message, and the others continue.
 */
export function analyze(analyzers: readonly Analyzer[], input: AnalysisInput): AnalysisReport {
  const steps = analyzeStepwise(analyzers, input);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Runs one analyzer per step. Between the steps the caller may do other work, or stop. Analyzers do not run again where
 * nothing has changed since the last look.
 */
export function* analyzeStepwise(
  analyzers: readonly Analyzer[],
  input: AnalysisInput,
  last = new LastLook(),
): Generator<void, AnalysisReport> {
  const messages: Message[] = [];
  const skipped: SkippedAnalyzer[] = [];
  for (const analyzer of analyzers) {
    const unknown = (analyzer.needs ?? []).filter((kind) => !input.knows(kind)).map(({ kind }) => kind);
    if (unknown.length > 0) skipped.push({ analyzer: analyzer.name, unknown });
    else
      append(
        messages,
        last.messagesOf(analyzer, input, () => messagesOf(analyzer, input)),
      );
    yield;
  }
  return { messages: inOrder(messages), skipped };
}

interface Run {
  readonly messages: readonly Message[];
  /** Whether the analyzer read the time. */
  readonly readTime: boolean;
}

function messagesOf(analyzer: Analyzer, input: AnalysisInput): Run {
  const run = { messages: [] as Message[], readTime: false };
  try {
    analyzer.analyze(contextFor(analyzer, input, run));
  } catch (cause) {
    const { template } = types.internalError;
    const text = fillIn(template, { where: analyzer.name, detail: errorFrom(cause).message });
    run.messages.push({ type: types.internalError, text, subject: undefined, path: "" });
  }
  return run;
}

/** The input as one analyzer may read it. What it reports and reads is noted in `run`. */
function contextFor(
  { name, inputs }: Analyzer,
  input: AnalysisInput,
  run: { readonly messages: Message[]; readTime: boolean },
): AnalysisContext {
  const declared = <Desc extends DescMessage>(kind: Kind<Desc>): Kind<Desc> => {
    const isDeclared = inputs.some(({ collection }) => collection === kind.collection);
    assert(isDeclared, `${name} declares that it reads ${kind.kind}`);
    return kind;
  };
  return {
    domain: input.domain,
    get now() {
      run.readTime = true;
      return input.now;
    },
    knows: (kind) => input.knows(declared(kind)),
    version: (kind) => input.version(declared(kind)),
    all: (kind) => input.all(declared(kind)),
    find: (kind, key) => input.find(declared(kind), key),
    report(type, { config, path = "" }, ...[parameters = {}]) {
      run.messages.push({ type, text: fillIn(type.template, parameters), subject: subjectOf(config), path });
    },
  };
}
