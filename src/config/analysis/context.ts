import type { DescMessage } from "@bufbuild/protobuf";
import { assert } from "../../lib/assert.ts";
import type { Kind } from "../kind.ts";
import type { AnalysisContext, AnalysisInput, Analyzer } from "./analyzer.ts";
import { fillIn, type Message, subjectOf } from "./message.ts";

/** The input as one analyzer may read it. Reports are added to `messages`. */
export function contextFor({ name, inputs }: Analyzer, input: AnalysisInput, messages: Message[]): AnalysisContext {
  const declared = <Desc extends DescMessage>(kind: Kind<Desc>): Kind<Desc> => {
    const isDeclared = inputs.some(({ collection }) => collection === kind.collection);
    assert(isDeclared, `${name} declares that it reads ${kind.kind}`);
    return kind;
  };
  return {
    domain: input.domain,
    now: input.now,
    knows: (kind) => input.knows(declared(kind)),
    all: (kind) => input.all(declared(kind)),
    find: (kind, key) => input.find(declared(kind), key),
    report(type, { config, path = "" }, ...[parameters = {}]) {
      messages.push({ type, text: fillIn(type.template, parameters), subject: subjectOf(config), path });
    },
  };
}
