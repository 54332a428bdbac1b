import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Column, Head } from "./table.tsx";

/** Every row has this height, as in `style/table.css`. */
const rowPx = 40;
/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const spare = 10;

export interface VirtualTableProps<Item> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly items: readonly Item[];
  /** The rows of the whole list, of which `items` may be the beginning. */
  readonly total: number;
  readonly keyOf: (item: Item) => string;
  /** The cells of a row. */
  readonly row: (item: Item) => ComponentChildren;
  /** The rows in view, whenever they change. */
  readonly onRange: (first: number, last: number) => void;
}

/**
 * A table that draws the rows in view only, of thousands. It stays a table for screen readers, which are told the number
 * of all rows and the place of each.
 */
export function VirtualTable<Item>(props: VirtualTableProps<Item>): JSX.Element {
  const { label, columns, items, total, keyOf, row, onRange } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);

  const first = Math.max(0, Math.min(Math.floor(view.top / rowPx) - spare, items.length - 1));
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowPx) + spare);
  useEffect(() => onRange(first, last), [first, last, onRange]);

  return (
    <div class="table-frame virtual" ref={frame} role="group" aria-label={label} tabIndex={0}>
      <table aria-rowcount={total + 1}>
        <caption class="unseen">{label}</caption>
        <Head columns={columns} />
        <tbody>
          <Gap rows={first} columns={columns.length} />
          {items.slice(first, last).map((item, index) => (
            <tr key={keyOf(item)} aria-rowindex={first + index + 2}>
              {row(item)}
            </tr>
          ))}
          <Gap rows={items.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** The height of rows that are not drawn. */
function Gap({ rows, columns }: { readonly rows: number; readonly columns: number }): JSX.Element | null {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={columns} style={{ height: `${rows * rowPx}px` }} />
    </tr>
  );
}
