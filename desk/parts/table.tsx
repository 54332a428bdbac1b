import type { ComponentChildren, JSX } from "preact";

export interface Column {
  readonly title: string;
  /** `number`: aligned at the right. `wide`: hidden on a narrow screen. */
  readonly kind?: "number" | "wide" | "wide number";
}

export interface TableProps {
  /** Tells a screen reader what the table lists. */
  readonly label: string;
  readonly columns: readonly Column[];
  /** The cells hold sentences: on a phone, those of a row stand below each other. `data-head` of a cell replaces the head. */
  readonly stacked?: boolean;
  readonly children: ComponentChildren;
}

/** A short table. Longer ones are virtual. */
export function Table({ label, columns, stacked = false, children }: TableProps): JSX.Element {
  return (
    <div class={stacked ? "table-frame stacked" : "table-frame"}>
      <table>
        <caption class="unseen">{label}</caption>
        <Head columns={columns} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Head({ columns }: { readonly columns: readonly Column[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map(({ title, kind = "" }) => (
          <th key={title} scope="col" class={kind}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** One fact after another: name and value. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value === "" ? "–" : value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="card" aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
