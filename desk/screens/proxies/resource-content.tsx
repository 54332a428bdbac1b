import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ProxyResourceDetail, ResourcePart } from "../../../src/desk/api/model/proxies.ts";
import { pathTo, setQuery } from "../../app/router.tsx";
import { useOffer } from "../../app/session.ts";
import { useApi } from "../../app/use-api.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { ObjectName } from "../../parts/object.tsx";
import { bytes, count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { FieldCauseList } from "./field-causes.tsx";
import { syncTones } from "./proxy-state.ts";

export interface ResourceContentProps {
  readonly node: string;
  readonly type: string;
  readonly name: string;
}

/** One resource: the objects that it is made from, and its content as a tree with the object behind each part. */
export function ResourceContent({ node, type, name }: ResourceContentProps): JSX.Element {
  const path = `${pathTo("proxies", node, "resources", name)}?type=${encodeURIComponent(type)}`;
  const watched = useApi<ProxyResourceDetail>(path, (event) => (event.type === "proxies" ? "refetch" : undefined));
  const top = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The list is below other sections of the page, and so is the tree.
    top.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <>
      <p ref={top}>
        <button type="button" onClick={() => setQuery({ resource: "" })}>
          All resources
        </button>
      </p>
      <h3 class="mono">
        {type} {name}
      </h3>
      <WhenReady watched={watched}>{(resource) => <Resource node={node} resource={resource} />}</WhenReady>
    </>
  );
}

interface ResourceProps {
  readonly node: string;
  readonly resource: ProxyResourceDetail;
}

function Resource({ node, resource }: ResourceProps): JSX.Element {
  const { type, name, owners, content, version, status, bytes: size, parts } = resource;
  const [search, setSearch] = useState("");
  /** The field whose lines are shown. */
  const [asked, setAsked] = useState<string>();
  const mayAsk = useOffer("/proxies/NODE/resources/NAME/why");
  const query = new URLSearchParams({ type, field: asked ?? "" });
  const causes = `${pathTo("proxies", node, "resources", name, "why")}?${query.toString()}`;
  const byPath = Map.groupBy(parts, ({ path }) => path);
  return (
    <>
      <p class="hint">
        <Status tone={syncTones[status]}>{status.toLowerCase()}</Status> Version <code>{version || "none"}</code>,{" "}
        {bytes(size)}
      </p>
      <ul class="plain">
        {owners.items.map((owner) => (
          <li key={owner.id}>
            From <ObjectName object={owner} />
          </li>
        ))}
      </ul>
      {owners.total > owners.items.length && (
        <p class="hint">and {count(owners.total - owners.items.length)} more objects</p>
      )}
      {content === undefined ? (
        <p>
          The resource is too large for a page. Read it with <code>binnacle proxy-config all NODE -o json</code>.
        </p>
      ) : (
        <>
          <label class="field">
            Search in this resource
            <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
          </label>
          <JsonTree
            value={content}
            search={search.trim().toLowerCase()}
            noteAt={(path, isValue) => (
              <>
                {mayAsk && isValue && path !== asked && (
                  <button type="button" class="why" onClick={() => setAsked(path)}>
                    Why?
                  </button>
                )}
                {byPath.get(path)?.map((part) => (
                  <PartNote key={`${part.object.id} ${part.patch}`} part={part} />
                ))}
                {mayAsk && isValue && path === asked && <FieldCauseList path={causes} />}
              </>
            )}
          />
        </>
      )}
    </>
  );
}

function PartNote({ part: { object, patch } }: { readonly part: ResourcePart }): JSX.Element {
  return (
    <p class="part-note">
      {patch === undefined ? "from" : `changed by ${patch} of`} <ObjectName object={object} />
    </p>
  );
}
