import { parseArgs } from "node:util";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";

/** One flag of a command line, without its dashes. A `switch` takes no value. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  readonly type: "value" | "switch";
}

/** One argument or flag of the command line, in order. */
export type Argument =
  | { readonly type: "flag"; readonly name: string; readonly value: string }
  | { readonly type: "switch"; readonly name: string }
  | { readonly type: "positional"; readonly value: string };

/** Throws `bad-option` for a flag that does not exist, has no value or must not have one. */
export function readArguments(args: readonly string[], flags: readonly Flag[]): readonly Argument[] {
  const options = flags.map(({ name, short, type }) => {
    const kind = type === "value" ? ("string" as const) : ("boolean" as const);
    return [name, { type: kind, ...(short !== undefined && { short }) }] as const;
  });
  // Not strict: its messages name no flag that would have been right.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.flatMap((token): readonly Argument[] => {
    if (token.kind === "option-terminator") return [];
    if (token.kind === "positional") return [{ type: "positional", value: token.value }];
    return [optionOf(token, flags)];
  });
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionOf({ name, rawName, value, inlineValue }: OptionToken, flags: readonly Flag[]): Argument {
  const flag = flags.find((each) => each.name === name);
  if (flag === undefined) throw unknownFlag(rawName, flags);
  if (flag.type === "switch") {
    if (value !== undefined) throw new MeshError("bad-option", `${rawName} takes no value`);
    return { type: "switch", name };
  }
  // A single dash is a value: stdin.
  const swallowedNextFlag = inlineValue !== true && value !== "-" && value?.startsWith("-") === true;
  if (value === undefined || swallowedNextFlag) throw new MeshError("bad-option", `${rawName} needs a value`);
  return { type: "flag", name, value };
}

function unknownFlag(rawName: string, flags: readonly Flag[]): MeshError {
  const near = didYouMean(
    rawName,
    flags.map(({ name }) => `--${name}`),
  );
  return new MeshError("bad-option", `unknown flag ${rawName}${near === undefined ? "" : `; did you mean ${near}?`}`);
}
