import { maxNesting } from "../limits.ts";

/** Character codes with a meaning in YAML. */
export const charCodes = {
  lineBreak: 10,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  singleQuote: 39,
  comma: 44,
  dash: 45,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
} as const;

const { lineBreak, space, hash } = charCodes;

/** Thrown where a text leaves the subset of YAML that is read quickly. One object, because a stack would cost time. */
export const outsideSubset = new Error("this text needs the whole parser");

export function giveUp(): never {
  throw outsideSubset;
}

/** Each level costs stack. The whole parser decides about deeper values. */
const maxQuickNesting = maxNesting / 2;

/** YAML allows 1024 characters from the start of a key to its colon. */
const maxKeyLength = 500;
const specialKeys: ReadonlySet<string> = new Set(["<<", "__proto__"]);

/** A position in the text of a document. Reading past the end gives NaN, which equals no code. */
export class TextCursor {
  readonly text: string;
  at = 0;
  /** The column of the first character on this line that is not blank, from 0; -1 at the end of the text. */
  column = 0;
  /** The number of open lists and mappings. */
  depth = 0;
  /** The offset of the key `metadata.name`, once it is known. */
  nameOffset: number | undefined;
  #isInMetadata = false;
  #lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  code(): number {
    return this.text.charCodeAt(this.at);
  }

  isAtLineEnd(): boolean {
    return this.at === this.text.length || this.code() === lineBreak;
  }

  /** Goes to an offset on this line, and makes its column the current one. */
  startAt(offset: number): void {
    this.at = offset;
    this.column = offset - this.#lineStart;
  }

  skipSpaces(): void {
    while (this.code() === space) this.at += 1;
  }

  /** Only spaces and a comment may follow on this line. */
  endLine(): void {
    const before = this.at;
    this.skipSpaces();
    if (this.isAtLineEnd()) return;
    if (this.code() !== hash || this.at === before) giveUp();
    this.skipLine();
  }

  /** Goes to the first content of the document, after at most one marker. */
  start(): void {
    this.at = -1;
    this.#advance();
    if (!this.text.startsWith("---", this.at) || this.column !== 0) return;
    this.at += 3;
    this.endLine();
    this.nextContent();
  }

  /** Goes from the end of a line to the next content. Skips blank lines and comments. */
  nextContent(): void {
    this.#advance();
    const isMarker = this.text.startsWith("---", this.at) || this.text.startsWith("...", this.at);
    if (this.column === 0 && isMarker) giveUp();
  }

  skipLine(): void {
    const end = this.text.indexOf("\n", this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  /** Judges a key before its value is read. */
  enterField(mapping: object, key: string, offset: number): void {
    // The whole parser reports repeated keys, merges mappings, and knows the longest key.
    if (Object.hasOwn(mapping, key) || specialKeys.has(key) || key.length > maxKeyLength) giveUp();
    if (this.depth === 1) this.#isInMetadata = key === "metadata";
    else if (this.depth === 2 && this.#isInMetadata && key === "name") this.nameOffset = offset;
  }

  /** The characters from here on that belong to the set; the cursor goes behind them. */
  takeWhile(isTaken: (code: number) => boolean): string {
    const { text, at } = this;
    while (this.at < text.length && isTaken(this.code())) this.at += 1;
    return text.slice(at, this.at);
  }

  open(): void {
    this.depth += 1;
    if (this.depth > maxQuickNesting) giveUp();
  }

  close(): void {
    this.depth -= 1;
  }

  #advance(): void {
    while (this.at < this.text.length) {
      this.at += 1;
      this.#lineStart = this.at;
      this.skipSpaces();
      if (this.code() === hash) this.skipLine();
      if (this.isAtLineEnd()) continue;
      this.column = this.at - this.#lineStart;
      return;
    }
    this.column = -1;
  }
}

/** Whether the code is that of `A-Z a-z 0-9 _ . / -`: characters that never end a plain scalar. */
export function isWordCode(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 45 && code <= 57) || code === 95;
}
