import type { ComponentChildren, JSX, TargetedMouseEvent } from "preact";
import { Store, useStore } from "./store.ts";

/** The address of the page: every view has one, so that it can be shared. */
export interface Place {
  /** The decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const place = new Store<Place>(currentPlace());
addEventListener("popstate", () => place.set(currentPlace()));

function currentPlace(): Place {
  const path = location.pathname.split("/").filter((segment) => segment !== "");
  return { path: path.map(decoded), query: new URLSearchParams(location.search) };
}

/** A hand-typed address may contain a stray percent sign. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function usePlace(): Place {
  return useStore(place);
}

/** Goes to another page, as a link does. */
function navigate(href: string): void {
  history.pushState(null, "", href);
  place.set(currentPlace());
  scrollTo(0, 0);
}

/** A path with parameters; empty ones are left out. */
export function withQuery(path: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "")).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** Changes parameters of this page, without a new entry in the history. An empty value removes one. */
export function setQuery(changes: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", text === "" ? location.pathname : `${location.pathname}?${text}`);
  place.set(currentPlace());
}

/** The path with its segments encoded: names of nodes contain `~` and `/`. */
export function pathTo(...segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join("/")}`;
}

export interface LinkProps {
  readonly href: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly title?: string;
  /** For screen readers, where the text alone says too little. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link inside the desk. With a modifier key the browser opens it as it opens any link. */
export function Link({ href, current = false, label, children, ...rest }: LinkProps): JSX.Element {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a
      href={href}
      onClick={follow}
      {...(current && { "aria-current": "page" as const })}
      {...(label !== undefined && { "aria-label": label })}
      {...rest}
    >
      {children}
    </a>
  );
}
