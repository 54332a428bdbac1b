import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Shortened } from "../../../src/desk/api/model/listing.ts";
import type { ProxyDiff, ResourceDiff, TypeDiff } from "../../../src/desk/api/model/proxies.ts";
import { pathTo, setQuery } from "../../app/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { NodeField } from "../../parts/node-field.tsx";
import { WhenReady } from "../../parts/notice.tsx";
import { count, counted } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { Section } from "../../parts/table.tsx";
import { ValueDiffs } from "../../parts/value-diffs.tsx";

export interface CompareProps {
  readonly node: string;
  readonly query: URLSearchParams;
}

/** The resources of this proxy beside those of another one. The other one is in the address. */
export function Compare({ node, query }: CompareProps): JSX.Element {
  const other = query.get("with") ?? "";
  const [text, setText] = useState(other);
  const submit = (event: Event) => {
    event.preventDefault();
    setQuery({ with: text.trim() });
  };
  return (
    <Section title="Compare with another proxy">
      <form class="filters" onSubmit={submit}>
        <NodeField label="The other proxy" value={text} onInput={setText} />
        <button type="submit">Compare</button>
      </form>
      {other !== "" && <Differences node={node} other={other} />}
    </Section>
  );
}

interface PairProps {
  readonly node: string;
  readonly other: string;
}

function Differences({ node, other }: PairProps): JSX.Element {
  const path = `${pathTo("proxies", node)}/diff?with=${encodeURIComponent(other)}`;
  const watched = useApi<ProxyDiff>(path, ({ type }) => (type === "proxies" ? "refetch" : undefined));
  return (
    <WhenReady watched={watched}>
      {({ types }) => (
        <div class="stack" role="status">
          {types.every(isEqual) && (
            <p>
              <Status tone="ok">Both proxies get the same resources.</Status>
            </p>
          )}
          {types.map((diff) => (
            <OfType key={diff.type} diff={diff} node={node} other={other} />
          ))}
        </div>
      )}
    </WhenReady>
  );
}

function isEqual({ different, onlyHere, onlyThere }: TypeDiff): boolean {
  return different.total + onlyHere.total + onlyThere.total === 0;
}

function OfType({ diff, node, other }: PairProps & { readonly diff: TypeDiff }): JSX.Element {
  const { type, equal, different, onlyHere, onlyThere } = diff;
  return (
    <div>
      <h3>
        {type} <span class="hint">{count(equal)} equal</span>
      </h3>
      <ul class="plain">
        {different.items.map((name) => (
          <li key={name}>
            <Different type={type} name={name} node={node} other={other} />
          </li>
        ))}
      </ul>
      <Rest list={different} word="different" />
      <OnlyIn list={onlyHere} title="Only this proxy has" />
      <OnlyIn list={onlyThere} title="Only the other proxy has" />
    </div>
  );
}

function OnlyIn({ list, title }: { readonly list: Shortened<string>; readonly title: string }): JSX.Element | null {
  if (list.total === 0) return null;
  return (
    <details>
      <summary>
        {title} {counted(list.total, "resource", "resources")}
      </summary>
      <ul class="plain">
        {list.items.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      <Rest list={list} word="more" />
    </details>
  );
}

function Rest({ list, word }: { readonly list: Shortened<string>; readonly word: string }): JSX.Element | null {
  const rest = list.total - list.items.length;
  return rest > 0 ? (
    <p class="hint">
      and {count(rest)} {word}
    </p>
  ) : null;
}

interface DifferentProps extends PairProps {
  readonly type: string;
  readonly name: string;
}

/** The values are read when somebody opens them. */
function Different(props: DifferentProps): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Status tone="warning">
          <code>{props.name}</code> differs
        </Status>
      </summary>
      {open && <Values {...props} />}
    </details>
  );
}

function Values({ node, other, type, name }: DifferentProps): JSX.Element {
  const parameters = `with=${encodeURIComponent(other)}&type=${encodeURIComponent(type)}`;
  const watched = useApi<ResourceDiff>(`${pathTo("proxies", node, "diff", name)}?${parameters}`);
  return (
    <WhenReady watched={watched}>
      {({ differences }) => <ValueDiffs differences={differences} here="here" there="there" />}
    </WhenReady>
  );
}
