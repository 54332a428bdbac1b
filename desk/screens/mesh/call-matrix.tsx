import type { JSX } from "preact";
import type { NamespaceCalls } from "../../../src/desk/api/model/mesh.ts";
import { Link, pathTo } from "../../app/router.tsx";
import { Empty } from "../../parts/notice.tsx";
import { count } from "../../parts/quantity.ts";
import { Status } from "../../parts/status.tsx";
import { callWords, verdictOf, verdictTones } from "./call-words.ts";

export interface CallMatrixProps {
  readonly names: readonly string[];
  readonly calls: readonly NamespaceCalls[];
}

/** The same content as the graph, for screen readers and for those who prefer numbers. */
export function CallMatrix({ names, calls }: CallMatrixProps): JSX.Element {
  const byPair = new Map(calls.map((each) => [`${each.from} ${each.to}`, each]));
  const called = names.filter((to) => calls.some((each) => each.to === to && callWords(each) !== "no services"));
  if (called.length === 0) return <Empty title="No namespace has services." />;
  return (
    <div class="table-frame" role="group" aria-label="Calls between namespaces" tabIndex={0}>
      <table class="matrix">
        <caption class="unseen">Services that the namespace of the row may call in the namespace of the column</caption>
        <thead>
          <tr>
            <th scope="col">From ↓ to →</th>
            {called.map((to) => (
              <th key={to} scope="col">
                <Link href={pathTo("mesh", "namespaces", to)}>{to}</Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((from) => (
            <tr key={from}>
              <th scope="row">{from}</th>
              {called.map((to) => (
                <Cell key={to} calls={byPair.get(`${from} ${to}`)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ calls }: { readonly calls: NamespaceCalls | undefined }): JSX.Element {
  if (calls === undefined) return <td>–</td>;
  const { allowed, depends, denied } = calls;
  const words = callWords(calls);
  return (
    <td>
      <Status tone={verdictTones[verdictOf(calls)]} title={words}>
        <span aria-hidden="true">
          {count(allowed)}/{count(allowed + depends + denied)}
        </span>
        <span class="unseen">{words}</span>
      </Status>
    </td>
  );
}
