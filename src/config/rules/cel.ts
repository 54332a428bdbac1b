import { error, type Finding } from "../finding.ts";
import { expressionMistake } from "../grammar/cel/envoy-expression.ts";

/** A CEL expression that Envoy accepts. For another one, Envoy refuses the whole listener. */
export function celExpression(text: string, path: string): readonly Finding[] {
  if (text === "") return [error(path, { code: "missing-value", message: "a CEL expression is missing" })];
  const mistake = expressionMistake(text);
  if (mistake === undefined) return [];
  const message = `Envoy does not accept the CEL expression "${text}": ${mistake}`;
  return [error(path, { code: "bad-expression", message })];
}
