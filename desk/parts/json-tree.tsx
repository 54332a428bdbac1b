import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { count } from "./quantity.ts";

/** Deeper parts begin closed, and the items of longer lists. */
const openDepth = 2;
const openItems = 10;
/** Longer lists show their first items, until somebody asks for more. */
const shownItems = 100;

export interface JsonTreeProps {
  readonly value: unknown;
  /** A note beside the part at a path, such as `virtual_hosts[0].routes[2]`, and beside a single value. */
  readonly noteAt?: (path: string, isValue: boolean) => ComponentChildren;
  /** Shows only the parts that contain this text, and opens them. In lower case. */
  readonly search?: string;
}

/** A value as a tree whose parts open and close. Closed parts are not drawn. */
export function JsonTree({ value, noteAt = () => null, search = "" }: JsonTreeProps): JSX.Element {
  if (search !== "" && !contains("", value, search)) return <p class="hint">No part contains this text.</p>;
  return (
    <div class="tree" role="group" aria-label="Content" tabIndex={0}>
      {noteAt("", false)}
      <Parts value={value} path="" depth={0} noteAt={noteAt} search={search} />
    </div>
  );
}

interface NodeProps extends Required<JsonTreeProps> {
  readonly path: string;
  readonly depth: number;
}

function Parts({ value, path, depth, search, ...rest }: NodeProps): JSX.Element {
  const [all, setAll] = useState(false);
  const isList = Array.isArray(value);
  const entries = Object.entries(value as object).filter(([key, part]) => search === "" || contains(key, part, search));
  const shown = all ? entries : entries.slice(0, shownItems);
  return (
    <>
      {shown.map(([key, part]) => (
        <Node
          key={key}
          name={key}
          value={part}
          path={isList ? `${path}[${key}]` : pathTo(path, key)}
          depth={depth}
          isOpen={depth < openDepth && entries.length <= openItems}
          // Inside of a part that is found by its name, everything is shown.
          search={search !== "" && key.toLowerCase().includes(search) ? "" : search}
          {...rest}
        />
      ))}
      {entries.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {count(entries.length)}
        </button>
      )}
    </>
  );
}

interface NamedProps extends NodeProps {
  readonly name: string;
  /** At the beginning. */
  readonly isOpen: boolean;
}

function Node({ name, isOpen: beginsOpen, ...node }: NamedProps): JSX.Element {
  const { value, path, depth, search, noteAt } = node;
  const [open, setOpen] = useState(beginsOpen);
  if (typeof value !== "object" || value === null) {
    return (
      <div class="leaf">
        <span class="key">{name}: </span>
        <span class={`value ${typeof value}`}>{JSON.stringify(value)}</span> {noteAt(path, true)}
      </div>
    );
  }
  const isOpen = open || search !== "";
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="key">{name}</span> <span class="hint">{sizeOf(value)}</span>
      </summary>
      {isOpen && (
        <>
          {noteAt(path, false)}
          <Parts {...node} depth={depth + 1} />
        </>
      )}
    </details>
  );
}

/** As the server writes paths: keys with other characters are quoted. */
function pathTo(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** The number of items, and the name of the part, if it has one. */
function sizeOf(value: object): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const { name } = value as { readonly name?: unknown };
  return typeof name === "string" ? name : "";
}

function contains(key: string, value: unknown, search: string): boolean {
  if (key.toLowerCase().includes(search)) return true;
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).some(([inner, part]) => contains(inner, part, search));
  }
  return String(value).toLowerCase().includes(search);
}
