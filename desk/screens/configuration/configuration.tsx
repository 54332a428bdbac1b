import type { JSX } from "preact";
import type { ViewProps } from "../../app/view.ts";
import { ObjectList } from "./object-list.tsx";
import { ObjectPage } from "./object-page.tsx";

/** All objects, or one. */
export function Configuration({ path: [kind, namespace, name], query }: ViewProps): JSX.Element {
  if (kind === undefined || namespace === undefined || name === undefined) return <ObjectList query={query} />;
  return <ObjectPage kind={kind} namespace={namespace} name={name} query={query} />;
}
