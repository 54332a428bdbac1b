/** Markup that is safe to send, because all its text is escaped. Only `html` makes it. */
export interface Html {
  readonly markup: string;
}

export type Insert = string | number | boolean | Html | readonly Html[];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A template whose values are escaped as text. Markup from this function is inserted unchanged. */
export function html(literals: TemplateStringsArray, ...values: readonly Insert[]): Html {
  const pieces = literals.map((literal, index) => {
    const value = values[index];
    return value === undefined ? literal : literal + markupOf(value);
  });
  return { markup: pieces.join("") };
}

function markupOf(value: Insert): string {
  if (typeof value !== "object") return String(value).replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "");
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("\n");
}

/** A table with a heading per column. The first cell of each row names the row. */
export function table(head: readonly string[], rows: readonly (readonly Insert[])[]): Html {
  return html`<table>
<thead><tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>
${rows.map(([name = "", ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
</tbody>
</table>`;
}

/** Names and values. */
export function facts(values: Readonly<Record<string, string | number | boolean>>): Html {
  return table(["name", "value"], Object.entries(values));
}
