import type { JSX } from "preact";
import type { ObjectLink } from "../../src/desk/api/model/object-link.ts";
import { Link, pathTo } from "../app/router.tsx";
import { useOffer } from "../app/session.ts";

/** An object of a user, as `Kind namespace/name`, with the line that declares it. */
export function ObjectName({ object }: { readonly object: ObjectLink }): JSX.Element {
  const { kind, namespace, name, reference } = object;
  const hasPage = useOffer("/configuration/KIND/NAMESPACE/NAME");
  const label = (
    <>
      <span class="kind">{kind}</span> {namespace === "" ? name : `${namespace}/${name}`}
    </>
  );
  return (
    <span class="object">
      {hasPage ? <Link href={objectPath(object)}>{label}</Link> : <span>{label}</span>}
      {reference !== undefined && <Reference at={reference} />}
    </span>
  );
}

/** `file:line`, or a path in a registry. Long ones show their end, which tells more. */
export function Reference({ at }: { readonly at: string }): JSX.Element {
  return (
    <code class="reference" title={at}>
      <bdi>{at}</bdi>
    </code>
  );
}

export function objectPath({ kind, namespace, name }: ObjectLink): string {
  return pathTo("configuration", kind, namespace === "" ? "-" : namespace, name);
}
