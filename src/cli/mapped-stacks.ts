import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The place of a call in a built file, as V8 writes it. */
const builtPlace = /file:\/\/[^\s()]+?\.js(?=:\d+:\d+)/u;
const lineAndColumn = /^:(?<line>\d+):(?<column>\d+)/u;

/**
 * Writes stacks that name our files, by the source maps of the built package. Node can do the same, but then it reads
 * all maps at the start, which costs 12 MB. Here, a map is read when a stack with its file is first used.
 */
export class MappedStacks {
  readonly #maps = new Map<string, SourceMap | undefined>();

  /** For `Error.prepareStackTrace`: V8 calls it when somebody reads the stack of an error. */
  readonly stackOf = (error: Error, calls: readonly { toString(): string }[]): string => {
    const head = Error.prototype.toString.call(error);
    return [head, ...calls.map((call) => `    at ${this.#named(call.toString())}`)].join("\n");
  };

  #named(call: string): string {
    const [url] = builtPlace.exec(call) ?? [];
    if (url === undefined) return call;
    const [before = "", after = ""] = call.split(url);
    const { line, column } = lineAndColumn.exec(after)?.groups ?? {};
    const built = fileURLToPath(url);
    const origin = this.#mapOf(built)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !("fileName" in origin)) return call;
    const { fileName, lineNumber, columnNumber } = origin;
    const rest = after.replace(lineAndColumn, `:${lineNumber}:${columnNumber}`);
    return `${before}${join(dirname(built), fileName)}${rest}`;
  }

  #mapOf(built: string): SourceMap | undefined {
    if (!this.#maps.has(built)) this.#maps.set(built, readMap(built));
    return this.#maps.get(built);
  }
}

/** Never throws: it runs while an error is reported, and that error matters more. */
function readMap(built: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(mapBeside(built), "utf8")) as SourceMapPayload);
  } catch {
    return undefined;
  }
}

function mapBeside(built: string): string {
  return `${built}.map`;
}

/** Makes stacks name our files, if this module is part of a built package with source maps. */
export function mapStacks(): void {
  if (existsSync(mapBeside(import.meta.filename))) Error.prepareStackTrace = new MappedStacks().stackOf;
}
