import type { TreeChange } from "../session.ts";
import type { JuteReader } from "./jute.ts";
import type { SessionIdentity } from "./requests.ts";

export interface Greeting {
  readonly session: SessionIdentity;
  /** The time that the server grants. 0 or less if it no longer knows the session. */
  readonly timeoutMs: number;
  /** Whether the server has lost the others, and may show an old state for ever. */
  readonly isReadOnly: boolean;
}

/** Servers before 3.4 do not tell whether they are read-only. */
export function readGreeting(reader: JuteReader): Greeting {
  reader.int();
  const timeoutMs = reader.int();
  const id = reader.long();
  // The bytes outlive the answer.
  const password = Buffer.from(reader.buffer());
  return { session: { id, password }, timeoutMs, isReadOnly: reader.rest > 0 && reader.flag() };
}

export interface AnswerHead {
  /** The number of the request, or one of `fixedNumbers`. */
  readonly number: number;
  /** The last transaction of the server; 0 or less if it does not tell. */
  readonly transaction: bigint;
  /** 0 for none. */
  readonly error: number;
}

export function readHead(reader: JuteReader): AnswerHead {
  return { number: reader.int(), transaction: reader.long(), error: reader.int() };
}

/** A reported change. `children` is only reported by watches of single nodes. */
export interface WatchEvent {
  readonly type: TreeChange["type"] | "children";
  readonly path: string;
}

const eventTypes = new Map<number, WatchEvent["type"]>([
  [1, "created"],
  [2, "deleted"],
  [3, "changed"],
  [4, "children"],
]);

/** Undefined for events without a changed node, such as a removed watch. */
export function readWatchEvent(reader: JuteReader): WatchEvent | undefined {
  const type = eventTypes.get(reader.int());
  reader.int();
  const path = reader.text("a path");
  return type && { type, path };
}

export const noError = 0;
export const noNode = -101;

/** Errors that mean: ask again on another connection. */
const lostErrors = new Set([-4, -7, -112, -118]);

const errorNames = new Map<number, string>([
  [-2, "DATA_INCONSISTENCY"],
  [-5, "MARSHALLING_ERROR"],
  [-6, "UNIMPLEMENTED"],
  [-8, "BAD_ARGUMENTS"],
  [-102, "NO_AUTH"],
  [-115, "AUTH_FAILED"],
  [-124, "SESSION_CLOSED_REQUIRE_SASL_AUTH"],
  [-127, "THROTTLED_OP"],
]);

export type Failure =
  | { readonly type: "missing" }
  | { readonly type: "lost" }
  | { readonly type: "refused"; readonly reason: string };

export function failureOf(error: number): Failure {
  if (error === noNode) return { type: "missing" };
  if (lostErrors.has(error)) return { type: "lost" };
  return { type: "refused", reason: errorNames.get(error) ?? `error ${error}` };
}
