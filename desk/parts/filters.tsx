import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Facet } from "../../src/desk/api/model/listing.ts";
import { setQuery } from "../app/router.tsx";
import { count } from "./quantity.ts";

/** Typing pauses this long before the server searches. */
const typingMs = 200;

export function FilterBar({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <search class="filters" aria-label="Filters">
      {children}
    </search>
  );
}

/** The text is a parameter of the address, so that a search can be shared. */
export function SearchField({
  query,
  label,
}: {
  readonly query: URLSearchParams;
  readonly label: string;
}): JSX.Element {
  const asked = query.get("search") ?? "";
  const [text, setText] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setQuery({ search: next.trim() }), typingMs);
  };
  return (
    <label class="field grow">
      {label}
      <input type="search" value={text} onInput={({ currentTarget }) => type(currentTarget.value)} />
    </label>
  );
}

export interface FacetFieldProps {
  readonly query: URLSearchParams;
  /** The parameter of the address. */
  readonly name: string;
  readonly label: string;
  readonly facets: readonly Facet[];
  /** A value as people call it. */
  readonly wordFor?: (value: string) => string;
}

/** A choice between the values of a field, with their counts. */
export function FacetField({ query, name, label, facets, wordFor = same }: FacetFieldProps): JSX.Element {
  const chosen = query.get(name) ?? "";
  const known = facets.some(({ value }) => value === chosen) || chosen === "";
  const values = known ? facets : [...facets, { value: chosen, count: 0 }];
  return (
    <label class="field">
      {label}
      <select value={chosen} onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value })}>
        <option value="">all</option>
        {values.map((facet) => (
          <option key={facet.value} value={facet.value}>
            {wordFor(facet.value) || "none"} ({count(facet.count)})
          </option>
        ))}
      </select>
    </label>
  );
}

function same(value: string): string {
  return value;
}

/** The parameters of the API from those of the address. */
export function apiParameters(query: URLSearchParams, names: readonly string[]): string {
  return names
    .flatMap((name) => {
      const value = query.get(name);
      return value === null || value === "" ? [] : [`&${name}=${encodeURIComponent(value)}`];
    })
    .join("");
}
