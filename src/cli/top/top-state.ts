import { compareTexts } from "../../lib/compare.ts";
import type { ListedProxy } from "./top-view.ts";

/** The columns that the list of proxies can be sorted by, in the order of the key `s`. */
export const sortings = ["state", "name", "namespace", "type", "connected"] as const;
type Sorting = (typeof sortings)[number];

/** Everything that keys change. */
export interface TopState {
  readonly sorting: Sorting;
  readonly isReversed: boolean;
  /** Sent to the server, which searches in all proxies. */
  readonly filter: string;
  /** The text that is being typed; absent outside of the input line. */
  readonly input?: string;
  readonly isPaused: boolean;
  /** Proxies above the first shown one. */
  readonly offset: number;
  readonly hasEnded: boolean;
}

export const firstState: TopState = {
  sorting: "state",
  isReversed: false,
  filter: "",
  isPaused: false,
  offset: 0,
  hasEnded: false,
};

const maxFilterLength = 100;

/** The state after the keys of one read from the terminal. A pasted text has many keys. */
export function afterKeys(state: TopState, text: string): TopState {
  // Cursor keys are sequences, such as ESC [ A. An escape alone is the key itself.
  // oxlint-disable-next-line no-control-regex -- they begin with an escape
  const keys = text.match(/\u001B\[[\d;]*[~A-Za-z]|\u001BO[A-Za-z]|[\s\S]/gu) ?? [];
  return keys.reduce(
    (current, key) => (current.input === undefined ? onKey(current, key) : onInput(current, key)),
    state,
  );
}

function onKey(state: TopState, key: string): TopState {
  switch (key) {
    case "q":
    case "\u0003":
      return { ...state, hasEnded: true };
    case "s":
      return { ...state, sorting: after(state.sorting), offset: 0 };
    case "r":
      return { ...state, isReversed: !state.isReversed, offset: 0 };
    case "p":
    case " ":
      return { ...state, isPaused: !state.isPaused };
    case "/":
      return { ...state, input: state.filter };
    case "\u001B":
      return { ...state, filter: "", offset: 0 };
    default:
      return { ...state, offset: Math.max(0, state.offset + (steps.get(key) ?? 0)) };
  }
}

/** Lines that a key scrolls by. */
const steps: ReadonlyMap<string, number> = new Map([
  ["j", 1],
  ["k", -1],
  ["\u001B[B", 1],
  ["\u001BOB", 1],
  ["\u001B[A", -1],
  ["\u001BOA", -1],
  ["\u001B[6~", 10],
  ["\u001B[5~", -10],
  ["g", Number.NEGATIVE_INFINITY],
]);

function onInput(state: TopState, key: string): TopState {
  const { input = "", ...rest } = state;
  if (key === "\u0003") return { ...rest, hasEnded: true };
  if (key === "\r" || key === "\n") return { ...rest, filter: input.trim(), offset: 0 };
  if (key === "\u001B") return rest;
  if (key === "\u007F" || key === "\b") return { ...state, input: input.slice(0, -1) };
  const isText = key.length === 1 && key >= " ";
  return isText && input.length < maxFilterLength ? { ...state, input: input + key } : state;
}

function after(sorting: Sorting): Sorting {
  return sortings[(sortings.indexOf(sorting) + 1) % sortings.length] ?? "state";
}

const worst = ["rejecting", "behind", "synced"];

/** The proxies in the chosen order; equal ones by name. */
export function sorted(proxies: readonly ListedProxy[], { sorting, isReversed }: TopState): readonly ListedProxy[] {
  const order = (a: ListedProxy, b: ListedProxy) =>
    comparisons[sorting](a, b) || compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
  const all = proxies.toSorted(order);
  return isReversed ? all.toReversed() : all;
}

const comparisons: Readonly<Record<Sorting, (a: ListedProxy, b: ListedProxy) => number>> = {
  state: (a, b) => worst.indexOf(a.state) - worst.indexOf(b.state),
  name: (a, b) => compareTexts(a.name, b.name),
  namespace: (a, b) => compareTexts(a.namespace, b.namespace),
  type: (a, b) => compareTexts(a.type, b.type),
  connected: (a, b) => compareTexts(b.connectedAt, a.connectedAt),
};
