import type { JSX } from "preact";

/** Deeper parts begin closed. */
const openDepth = 3;

/** A value as a tree whose parts open and close. */
export function JsonTree({ value }: { readonly value: unknown }): JSX.Element {
  return (
    <div class="tree">
      <Node name="" value={value} depth={0} />
    </div>
  );
}

interface NodeProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}

function Node({ name, value, depth }: NodeProps): JSX.Element {
  if (typeof value !== "object" || value === null) {
    return (
      <div class="leaf">
        {name !== "" && <span class="key">{name}: </span>}
        <span class={`value ${typeof value}`}>{JSON.stringify(value)}</span>
      </div>
    );
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : "";
  if (name === "")
    return (
      <>
        {entries.map(([key, part]) => (
          <Node key={key} name={key} value={part} depth={depth} />
        ))}
      </>
    );
  return (
    <details open={depth < openDepth}>
      <summary>
        <span class="key">{name}</span> {size}
      </summary>
      {entries.map(([key, part]) => (
        <Node key={key} name={key} value={part} depth={depth + 1} />
      ))}
    </details>
  );
}
