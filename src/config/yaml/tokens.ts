import { CST, Lexer, Parser } from "yaml";
import { maxDirectiveLength, maxNesting, maxProperties } from "./limits.ts";
import { DocumentRefused } from "./yaml-problem.ts";

/**
 * The syntax tree of a text, one top-level token after the other. The number of steps is linear in the text. Deep
 * nesting and long rows of anchors and tags are refused before the tree is built. The parser compares blank lines and
 * comment lines with each other, so it does not get them. They have no meaning.
 */
export function* syntaxTree(text: string, onNewLine: (offset: number) => void): Generator<CST.Token, void> {
  const feeder = new Feeder(onNewLine);
  for (const lexeme of new Lexer().lex(text)) yield* feeder.take(lexeme);
  yield* feeder.end();
}

class Feeder {
  readonly #parser: Parser;
  readonly #onNewLine: (offset: number) => void;
  /** Whether the current line has only white space and comments so far. */
  #lineIsBlank = true;
  /** White space at the start of a line, until it is known whether something follows. */
  #indentation: string[] = [];
  /** After the marker of a scalar comes its text, which may look like any token. */
  #next: "token" | "text" = "token";
  #inBlockScalar = false;
  #properties = 0;

  constructor(onNewLine: (offset: number) => void) {
    this.#parser = new Parser(onNewLine);
    this.#onNewLine = onNewLine;
    onNewLine(0);
  }

  *take(lexeme: string): Generator<CST.Token, void> {
    if (this.#next === "text") yield* this.#takeText(lexeme);
    else yield* this.#takeToken(lexeme, CST.tokenType(lexeme));
  }

  *#takeText(text: string): Generator<CST.Token, void> {
    this.#next = "token";
    // The text of a block scalar ends with its last line break.
    this.#lineIsBlank = this.#inBlockScalar;
    this.#inBlockScalar = false;
    yield* this.#feed(text);
  }

  *#takeToken(lexeme: string, type: CST.TokenType | null): Generator<CST.Token, void> {
    if (this.#lineIsBlank && isBlank(type)) {
      this.#hold(lexeme, type);
      return;
    }
    this.#countProperties(type);
    if (type === "directive-line" && lexeme.length > maxDirectiveLength) {
      throw refused(this.#parser.offset, "a directive is too long");
    }
    yield* this.#feedIndentation();
    yield* this.#feed(lexeme);
    if (type === "scalar") this.#next = "text";
    if (type === "block-scalar-header") this.#inBlockScalar = true;
    if (type === "newline") this.#lineIsBlank = true;
    else if (type !== "doc-mode" && type !== "flow-error-end") this.#lineIsBlank = false;
  }

  *end(): Generator<CST.Token, void> {
    yield* this.#feedIndentation();
    yield* this.#parser.end();
  }

  /** Keeps white space for later; skips it where only a comment or the end of the line follows. */
  #hold(lexeme: string, type: CST.TokenType | null): void {
    if (type === "space") {
      this.#indentation.push(lexeme);
      return;
    }
    for (const space of this.#indentation) this.#parser.offset += space.length;
    this.#parser.offset += lexeme.length;
    this.#indentation = [];
    if (type === "newline") this.#onNewLine(this.#parser.offset);
  }

  *#feedIndentation(): Generator<CST.Token, void> {
    const indentation = this.#indentation;
    this.#indentation = [];
    for (const space of indentation) yield* this.#feed(space);
  }

  *#feed(lexeme: string): Generator<CST.Token, void> {
    const { offset, stack } = this.#parser;
    yield* this.#parser.next(lexeme);
    // The first on the stack is the document, and the last may be a scalar.
    if (stack.length > maxNesting + 1 && CST.isCollection(stack.at(-1))) {
      throw refused(offset, `lists and mappings are nested more than ${maxNesting} levels deep`);
    }
  }

  #countProperties(type: CST.TokenType | null): void {
    if (type === "anchor" || type === "tag") this.#properties += 1;
    else if (!isBlank(type)) this.#properties = 0;
    if (this.#properties > maxProperties) throw refused(this.#parser.offset, "one value has too many anchors and tags");
  }
}

function refused(offset: number, message: string): DocumentRefused {
  return new DocumentRefused({ offset, code: "too-complex", message });
}

function isBlank(type: CST.TokenType | null): boolean {
  return type === "space" || type === "comment" || type === "newline";
}
